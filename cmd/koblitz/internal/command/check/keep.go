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
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// freeOptions lists the flags that may differ between runs that share a state file, because the
// report does not depend on them.
var freeOptions = []string{"state", "workers", "json", "quiet", "progress", "no-progress",
	"one-by-one", "device", "device-from", "help"}

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

// A keeper saves the progress of a check in the file of --state. The methods of a nil keeper do
// nothing.
type keeper struct {
	run   *state.Run
	state state.State // as of the last mark
	saved time.Time   // time of the last save

	before float64 // total duration of earlier runs, in seconds
	begun  time.Time
	err    error
	stop   func() // cancels the run if the state cannot be saved
}

// openState creates the file that --state names (the saved progress), or opens it to resume its
// run. With --verdicts it does the same with the file of verdicts.
func openState(ctx context.Context, o *checkOptions, disk durable.FS, all []entry) (*keeper,
	error) {
	if o.state == "" {
		return nil, nil
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
	k := &keeper{run: run, begun: time.Now(), saved: time.Now()}
	if s.Begun.IsZero() {
		s.Begun = time.Now()
	}
	k.state, k.before = *s, s.Seconds
	return k, nil
}

func (k *keeper) close() {
	if k != nil {
		k.run.Close()
	}
}

// done reports whether an earlier run finished the check.
func (k *keeper) done() bool { return k != nil && k.state.Done }

// from returns the saved state (progress) from which reading resumes. It returns nil if reading
// starts at the beginning.
func (k *keeper) from() *state.State {
	if k == nil {
		return nil
	}
	s := k.state
	return &s
}

// seconds returns the total duration of all runs in seconds. since is the start of this run.
func (k *keeper) seconds(since time.Time) float64 {
	switch s := time.Since(since).Seconds(); {
	case k == nil:
		return s
	case k.state.Done:
		return k.state.Seconds
	default:
		return s + k.before
	}
}

// begunAt returns the start of the first run, truncated to seconds. now is the start of this run.
func (k *keeper) begunAt(now time.Time) time.Time {
	if k != nil {
		now = k.state.Begun
	}
	return now.UTC().Truncate(time.Second)
}

// record appends r to the report that is saved in the file of --state.
func (k *keeper) record(r *state.Record) {
	if k != nil && k.err == nil {
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

// reached updates the state, the progress to save, at m, a position before which all rows have been
// reported. It saves the state if enough time has passed since the last save, but not after a
// cancellation, because then the run ends soon and finish saves.
func (k *keeper) reached(ctx context.Context, t *verify.Counts, m verify.Mark, r *report) {
	if k == nil || k.err != nil || !m.End && m.Place == nil {
		return
	}
	s := &k.state
	k.failed(k.run.Reached())
	s.Totals, s.Place, s.Listed = *t, m.Place, r.listed
	s.Blocks = m.Blocks
	if m.End {
		s.Input++
		s.Ended, s.Files, s.Formats = *t, r.ended.files, slices.Clone(r.ended.formats)
		s.Blocks, s.Chains = reading.Blocks{}, slices.Clone(r.ended.chains)
	}
	if time.Since(k.saved) >= cli.SaveEvery && ctx.Err() == nil {
		k.save()
	}
}

func (k *keeper) save() {
	if k.err != nil {
		return
	}
	k.state.Seconds = k.before + time.Since(k.begun).Seconds()
	k.failed(k.run.Save(&k.state))
	k.saved = time.Now()
}

// finish saves the state (progress) at the end of the run.
func (k *keeper) finish(interrupted bool) {
	if k != nil && !k.state.Done {
		k.state.Done = !interrupted
		k.save()
	}
}

// hint returns the end of the message about an interrupted run. It says that the run can go on, if
// its state is saved.
func (k *keeper) hint() string {
	if k == nil || k.err != nil {
		return ""
	}
	return ", and the same command goes on from there"
}

// validateState returns a usage error if --state is not allowed with the other flags or with the
// inputs.
func (o *checkOptions) validateState(names []string) error {
	switch {
	case o.state == "":
		return nil
	case o.sample:
		return cli.Usagef("--state does not go with --sample")
	case slices.Contains(names, reading.Stdin) || o.spent == reading.Stdin:
		return cli.Usagef("--state: standard input cannot be read a second time; name a file")
	}
	return nil
}

// apart returns an error if the file of --state is also an input.
func (o *checkOptions) apart(all []entry) error {
	if info, err := os.Stat(o.state); o.state != "" && err == nil && o.reads(all, info) {
		return cli.Usagef("--state %s: the file is read too", o.state)
	}
	return nil
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
	if e.Failed() != nil {
		head.Inputs = append(head.Inputs, state.Absent(e.Name))
		return nil
	}
	if e.IsNode() {
		list, err := os.ReadDir(e.Name)
		if err != nil {
			return err
		}
		own := slices.Sorted(maps.Keys(bitcoin.BlockFiles(e.Name, list)))
		head.Inputs = append(head.Inputs, state.IdentifyFolder(e.Name, own))
		return nil
	}
	for _, name := range []string{e.Name, o.spent} {
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
