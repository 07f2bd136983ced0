package kb

import "context"

// Move gives the capsules of one workspace, which keep their ids, to another: all or none.
func (k *KB) Move(ctx context.Context, from, to string) (moved int, err error) {
	why := "its project " + clip(from, 1000) + " is in " + clip(to, 1000)
	err = k.change(ctx, func(ch *change) error {
		all, err := capsulesWhere(ch.tx, `workspace = ?`, from)
		moved = len(all)
		for i := range all {
			old, err := ch.get(all[i].ID)
			if err != nil {
				return err
			}
			c := *old
			c.Workspace = to
			if err := ch.update(old, &c, nil, VerbEdited, "", why); err != nil {
				return err
			}
		}
		return err
	})
	return moved, err
}
