package chunks

import "blackboard/board/fault"

var (
	invalid = fault.Invalid.New
	unknown = fault.Unknown
	clip    = fault.Clip
)

func noChunk(id string) error {
	return fault.NotFound.New(NoChunkText(id), "", fault.Do("context.list", "{} shows what there is"))
}

func noState(key string) error {
	return fault.NotFound.New(NoStateText(key), "", fault.Do("context.set", "{} sets it"))
}

var otherStore = fault.Give("store", "", "name the directory of a store with {} or $AGENT_STORE_PATH")

func storeError(err error) error {
	switch fault.KindOf(err) {
	case fault.ReadOnly:
		return fault.With(err, "make the store's directory writable", otherStore)
	case fault.Corrupt:
		return fault.With(err, "restore the file from a backup, or move it away: the next use creates a new store from the files of agent-memory-store beside it")
	case fault.Gone:
		return fault.With(err, "repeat the call if the store is still wanted")
	}
	return err
}
