package check

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// freeOptions lists the flags that may differ between runs that share a state file, because the
// report does not depend on them.
var freeOptions = []string{"state", "workers", "json", "quiet", "progress", "one-by-one",
	"device", "device-from", "help"}

// keptOptions returns the values of all flags that are not in freeOptions.
func keptOptions(cmd *cobra.Command) map[string]string {
	kept := map[string]string{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(freeOptions, f.Name) {
			kept[f.Name] = f.Value.String()
		}
	})
	return kept
}

// A keeper holds the progress of a check, and saves it in the file of --state if there is one.
type keeper struct {
	state.State            // as of the last mark
	run         *state.Run // nil without --state
	saved       time.Time  // time of the last save

	before  float64   // total duration of earlier runs, in seconds
	started time.Time // time at which this run began
	err     error
	stop    func() // cancels the run if the state cannot be saved
}

// openState creates the file that --state names (the saved progress), or opens it to resume its
// run. With --verdicts it does the same with the file of verdicts.
func openState(ctx context.Context, o *checkOptions, disk durable.FS, all []entry) (*keeper,
	error) {
	k := &keeper{started: time.Now(), saved: time.Now()}
	k.Begun = k.started
	if o.state == "" {
		return k, nil
	}
	head := &state.Head{Version: cli.Version(), Options: o.kept}
	for _, e := range all {
		if err := o.identify(e, head); err != nil {
			return nil, cli.Usagef("--state: %w", err)
		}
	}
	run, s, err := state.Begin(ctx, disk, o.state, head, o.verdicts.name)
	if err != nil {
		return nil, cli.Ended(ctx, err)
	}
	if s.Begun.IsZero() {
		s.Begun = k.started
	}
	k.run, k.State, k.before = run, *s, s.Seconds
	return k, nil
}

// record appends r to the report that is saved in the file of --state.
func (k *keeper) record(r *state.Record) {
	if k.run != nil && k.err == nil {
		k.failed(k.run.Record(r))
	}
}

// failed stops the run if err, the error of a save, is not nil.
func (k *keeper) failed(err error) {
	if err != nil && k.err == nil {
		k.err = fmt.Errorf("the state cannot be saved: %w", err)
		k.stop()
	}
}

// reached updates the progress at a position before which all rows have been reported. place is the
// position in the next input. reached saves the progress if enough time has passed since the last
// save, but not after a cancellation, because then the run ends soon and finish saves.
func (k *keeper) reached(ctx context.Context, place *reading.Place) {
	k.Place = place
	if k.run == nil || k.err != nil {
		return
	}
	k.failed(k.run.Reached())
	if time.Since(k.saved) >= cli.SaveEvery && ctx.Err() == nil {
		k.save()
	}
}

func (k *keeper) save() {
	k.Seconds = k.before + time.Since(k.started).Seconds()
	if k.run != nil && k.err == nil {
		k.failed(k.run.Save(&k.State))
		k.saved = time.Now()
	}
}

// finish saves the progress at the end of the run.
func (k *keeper) finish(interrupted bool) {
	if !k.Done {
		k.Done = !interrupted
		k.save()
	}
}

// hint returns the end of the message about an interrupted run. It says that the run can go on, if
// its state is saved.
func (k *keeper) hint() string {
	if k.run == nil || k.err != nil {
		return ""
	}
	return ", and the same command goes on from there"
}

// ownFiles returns the existing files that --state creates: the state file and the file of
// verdicts. These files are not inputs. If one of them was not written by such a run, state.Begin
// returns an error.
func (o *checkOptions) ownFiles() (own []fs.FileInfo) {
	if o.state == "" {
		return nil
	}
	for _, name := range []string{o.state, o.verdicts.name} {
		if info, err := os.Stat(name); err == nil {
			own = append(own, info)
		}
	}
	return own
}

// identify appends the identities of the files of entry e to head, so that a resumed run can
// compare them.
func (o *checkOptions) identify(e entry, head *state.Head) error {
	if e.isNode() {
		list, err := os.ReadDir(e.name)
		if err != nil {
			return err
		}
		// A folder that cannot be opened is one input, and otherwise each of its files is one: a run
		// must not go on from the state of a run with other inputs.
		if _, err := o.openFolder(e.name); err != nil {
			head.Inputs = append(head.Inputs, state.Identity{Name: e.name})
			return nil
		}
		own := slices.Sorted(maps.Keys(bitcoin.BlockFiles(e.name, list)))
		head.Inputs = append(head.Inputs, state.IdentifyFolder(e.name, own))
		return nil
	}
	if e.err != nil {
		head.Inputs = append(head.Inputs, state.Identity{Name: e.name})
		return nil
	}
	for _, name := range []string{e.name, o.spent} {
		if name == "" {
			continue
		}
		id, err := state.Identify(name)
		if err != nil {
			return err
		}
		head.Inputs = append(head.Inputs, id)
	}
	return nil
}
