package memory

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// FuzzRef gives anything as a ref code and as a scope. What is taken is one, and is written back
// as it was read; what is not is refused with words that can be printed; and whatever it is, it
// reaches no conversation but the one that has it.
func FuzzRef(f *testing.F) {
	for _, s := range []string{"", "4Zk8Qp1mXaB", "4Zk8Qp1mXa", "4Zk8Qp1mXaBB", "../../../etc", "4Zk8Qp1mXa\x00", "' OR 1=1 --", "conversation:4Zk8Qp1mXaB", "channel:general", "channel:../x", "workspace", "workspace:x",
		"account", ":", "conversation:", "４Zk8Qp1mXaB", "4Zk8Qp1mXaB\n", "%%%%%%%%%%%", "___________"} {
		f.Add(s)
	}
	s := open(f, f.TempDir(), Options{})
	real, _ := expect.Values(s.StartConversation(f.Context(), "", ""))(f)
	expect.Value(s.Put(f.Context(), Item{Tier: Conversation, Conversation: real.Ref, Content: "said here", Importance: .5}, PutOptions{}))(f)
	f.Fuzz(func(t *testing.T, ref string) {
		err := checkRef(ref)
		is := len(ref) == RefLen && strings.Trim(ref, base62) == ""
		if is != (err == nil) {
			t.Fatalf("%q: %v", ref, err)
		}
		if err != nil && (!errors.Is(err, fault.Invalid) || !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\n\x1b\x00")) {
			t.Fatalf("%q is refused with %q", ref, err)
		}
		if ref != real.Ref {
			for what, err := range map[string]error{
				"a conversation":  second(s.Conversation(t.Context(), ref)),
				"a read":          second(s.Read(t.Context(), Query{Tiers: []string{Conversation}, Conversation: ref})),
				"a working note":  second(s.ReadScratch(t.Context(), ref, "k")),
				"an end":          second(s.IdleConversation(t.Context(), ref)),
				"something to do": second(s.Put(t.Context(), Item{Tier: Conversation, Conversation: ref, Content: "x", Importance: .5}, PutOptions{})),
			} {
				if !errors.Is(err, fault.Invalid) && !errors.Is(err, fault.NotFound) {
					t.Fatalf("%q as the ref code of %s: %v", ref, what, err)
				}
			}
		}
		scope, err := ParseScope(ref)
		if err == nil && scope.String() != ref {
			t.Fatalf("the scope %q is written %q", ref, scope)
		}
		if err != nil && !errors.Is(err, fault.Invalid) {
			t.Fatalf("the scope %q: %v", ref, err)
		}
	})
}
