package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
)

type VarGetIn struct {
	OnRun
	Key     string          `json:"key,omitempty" arg:"[KEY]" jsonschema:"default: all"`
	Default json.RawMessage `json:"default,omitempty" only:"cli" value:"JSON" cli:"print this when it is not set, instead of exit 5"`
	Raw     bool            `json:"raw,omitempty" flag:"string,raw" only:"cli" cli:"print a string without its quotes, for the shell"`
	op.Given
}

// VarGetOut is a variable of a run, or all of them.
type VarGetOut struct {
	Variable  *board.Variable   `json:"variable,omitempty"`
	Variables *[]board.Variable `json:"variables,omitempty"`
	raw       bool
}

var VarGet = op.Op[Runs, VarGetIn, VarGetOut]{
	Info: op.Info{Command: "state get", Tool: "board_var_get", Profile: "run",
		Budget: 4000, Short: "print a variable's value; without a key, list all",
		About: "Read the run's shared variables; without a key, all of them."},
	Do: onBoard(Read, func(ctx context.Context, _ Runs, b *board.Board, in VarGetIn) (VarGetOut, error) {
		if in.Key == "" {
			all, err := b.Variables(ctx)
			return VarGetOut{Variables: &all}, err
		}
		v, err := b.Get(ctx, in.Key)
		if errors.Is(err, fault.NotFound) && in.Has("default") {
			v, err = board.Variable{Key: in.Key, Value: in.Default}, nil
		}
		return VarGetOut{Variable: &v, raw: in.Raw}, err
	}),
	Text: func(p *op.Page, o VarGetOut) {
		switch {
		case o.Variables != nil:
			listed(p, *o.Variables, false, "variables", func(v *board.Variable) string {
				return varLine(p, v)
			})
		case p.Shorten != nil:
			p.Printf("%s\n", varLine(p, o.Variable))
		default:
			said := string(o.Variable.Value)
			if o.raw {
				_ = json.Unmarshal(o.Variable.Value, &said) // what is no string stays as it is
			}
			p.Printf("%s\n", p.Block(said, ""))
		}
	},
}

func varLine(p *op.Page, v *board.Variable) string {
	by := ""
	if p.Shorten != nil {
		by = ", by " + p.Line(v.Worker, board.MaxName)
	}
	return p.Line(v.Key, 200) + " = " + p.Value(v.Value, "variable.get", v.Key) +
		p.Paint(op.Dim, fmt.Sprintf("  (version %d%s)", v.Version, by))
}

// VarGuard guards a change against one that was faster.
type VarGuard struct {
	IfVersion *int `json:"if_version,omitempty" min:"0" flag:"if-version,if-match" value:"VERSION" jsonschema:"only if it has this one; 0: it is new"`
}

func (v *VarGuard) match() int64 {
	if v.IfVersion == nil {
		return board.AnyVersion
	}
	return int64(*v.IfVersion)
}

type VarSetIn struct {
	On
	Key    string          `json:"key" arg:"KEY" jsonschema:"its name"`
	Value  json.RawMessage `json:"value,omitempty" arg:"[VALUE | -]" as:"json" unless:"delete"`
	String bool            `json:"string,omitempty" only:"cli" cli:"VALUE is a string, whatever it looks like"`
	Delete bool            `json:"delete,omitempty" flag:"unset" jsonschema:"unset"`
	VarGuard
	KeepSecrets
}

type VarSetOut struct {
	Variable *board.Variable `json:"variable,omitempty"`
	Deleted  *board.Variable `json:"deleted,omitempty"`
}

var VarSet = op.Op[Runs, VarSetIn, VarSetOut]{
	Info: op.Info{Command: "state set", Tool: "board_var_set", Profile: "run",
		Kind: op.Writes, Short: "set a variable, or take it away",
		About: "Set a shared variable of the run. Give if_version (0: it is new), and nobody's " +
			"change is lost.",
		Long: `VALUE is JSON; a plain word that is not JSON is taken as a string, and --string takes
anything as one. Every change raises the version; --if-version fails (exit 6) if another
writer was faster.`},
	Do: func(ctx context.Context, h Runs, in VarSetIn) (out VarSetOut, err error) {
		if in.Delete == (in.Value != nil) {
			return out, fault.Usage.New("a variable is set to a value, or deleted",
				"give one of value and delete")
		}
		need := Create
		if in.Delete {
			need = Write
		}
		err = withBoardWorker(ctx, h, in.On, need, func(b *board.Board, who string) error {
			if in.Delete {
				v, err := b.Delete(ctx, who, in.Key, in.match())
				out.Deleted = &v
				return err
			}
			v, err := b.Set(ctx, who, in.Key, in.Value, in.match())
			out.Variable = &v
			return err
		})
		return out, err
	},
	Text: varSetText,
}

func varSetText(p *op.Page, o VarSetOut) {
	if o.Deleted != nil {
		p.Printf("%s deleted; it was %s\n", p.Line(o.Deleted.Key, 200), p.Line(string(o.Deleted.Value), 120))
		return
	}
	p.Printf("%s\n", varLine(p, o.Variable))
}
