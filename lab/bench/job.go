package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A job is a measurement that runs in its own process, since a peer may end the process: by a crash
// in C code, or by a panic in a goroutine of the peer's, which recover does not catch.
//
// Before a peer runs an operation, the process writes the names of the peer and the operation to
// doingFile. If the process ends without a result, this peer is left out of this operation, and the
// job is repeated in a new process.
type job struct {
	Settings harness.Settings
	Only     []string // names of the operations
	Peers    peer.Config
	LeftOut  []harness.LeftOut // peers that crashed before, which the job leaves out
}

// jobVariable is the environment variable that holds a job's folder. It is set only in the process
// that runs the job.
const jobVariable = "KOBLITZ_BENCH_JOB"

// The names of the files in a job's folder.
const (
	jobFile    = "job.json"
	doingFile  = "doing" // two lines: the peer and the operation that runs
	resultFile = "result.json"
)

// A result is the content of resultFile, which the process of a job writes.
type result struct {
	Run   *harness.Run
	Error string
}

// measure runs a job. Each time that a peer crashes, measure repeats the job without it.
func measure(j job, errs io.Writer) (*harness.Run, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "koblitz-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for {
		run, crash, err := j.start(ctx, dir, errs)
		if crash == nil {
			return run, err
		}
		fmt.Fprintf(errs, "%v; the measurement begins again\n", crash)
		j.LeftOut = append(j.LeftOut, *crash)
	}
}

// start runs the job in a new process and copies its progress to errs. If the process ends while a
// peer runs, start returns this crash.
func (j *job) start(
	ctx context.Context, dir string, errs io.Writer,
) (run *harness.Run, crash *harness.LeftOut, err error) {
	b, err := json.Marshal(j)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, jobFile), b, 0o666); err != nil {
		return nil, nil, err
	}
	if err := os.Remove(filepath.Join(dir, doingFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	var text bytes.Buffer
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), jobVariable+"="+dir)
	cmd.Stdout, cmd.Stderr = errs, &text
	ended := cmd.Run()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	b, err = os.ReadFile(filepath.Join(dir, resultFile))
	if err == nil {
		errs.Write(text.Bytes())
		var r result
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, nil, err
		}
		if r.Error != "" {
			return nil, nil, errors.New(r.Error)
		}
		return r.Run, nil, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	doing, err := os.ReadFile(filepath.Join(dir, doingFile))
	lines := strings.SplitN(string(doing), "\n", 3)
	if err != nil || len(lines) < 3 || lines[0] == "" || isOurs(lines[0]) {
		return nil, nil, fmt.Errorf("nothing was measured: %s\n%s", reason(text.String(), ended),
			text.Bytes())
	}
	return nil, &harness.LeftOut{
		Name: lines[0], Operation: lines[1], Reason: reason(text.String(), ended), Crashed: true,
	}, nil
}

// isOurs reports whether the named peer is koblitz, with any of its implementations.
func isOurs(name string) bool {
	return name == peer.Koblitz || strings.HasPrefix(name, peer.Koblitz+"/") ||
		strings.HasPrefix(name, peer.Koblitz+peer.OneByOne)
}

// reason returns why a job's process ended without a result. text is the error output of the
// process, and ended is the error of its execution.
func reason(text string, ended error) string {
	for line := range strings.Lines(text) {
		for _, begin := range []string{"panic: ", "fatal error: "} {
			if message, ok := strings.CutPrefix(strings.TrimSpace(line), begin); ok {
				message, _, _ = strings.Cut(message, " [recovered")
				return "it panicked: " + message
			}
		}
	}
	if ended == nil {
		return "it ended the process"
	}
	return "it ended the process: " + ended.Error()
}

// runJob is the main function of a job's process. It reads the job from folder dir, and writes
// progress to out.
func runJob(dir string, out io.Writer) error {
	b, err := os.ReadFile(filepath.Join(dir, jobFile))
	if err != nil {
		return err
	}
	var j job
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, doingFile))
	if err != nil {
		return err
	}
	defer f.Close()
	var r result
	r.Run, err = j.run(out, func(name, operation string) {
		// Readers of doingFile use only its first two lines, because a longer earlier record may
		// leave text after them.
		if _, err := f.WriteAt([]byte(name+"\n"+operation+"\n"), 0); err != nil {
			panic(err)
		}
	})
	if err != nil {
		r.Error = err.Error()
	}
	if b, err = json.Marshal(r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, resultFile), b, 0o666)
}

// opened is called for every peer that a job opens. Tests replace this function to plant faults in
// peers.
var opened = func(*peer.Peer) {}

// run measures the job's operations. It calls the function doing with the names of a peer and an
// operation before the peer runs it, and with empty strings afterwards.
func (j *job) run(out io.Writer, doing func(name, operation string)) (*harness.Run, error) {
	ops, err := harness.Select(j.Only, j.Settings.Quick)
	if err != nil {
		return nil, err
	}
	points, many := 0, 0
	for _, o := range ops {
		switch o.Group {
		case peer.MSM:
			points = max(points, o.Size)
		case peer.Batches:
			many = max(many, o.Size)
		}
	}
	left, c := slices.Clone(j.LeftOut), j.Peers
	c.Absent = func(name string, reason error) {
		left = append(left, harness.LeftOut{Name: name, Reason: reason.Error()})
	}
	if c.Rust, err = fs.Sub(rust, "rust"); err != nil {
		return nil, err
	}
	c.Skip = map[string]string{}
	for _, l := range j.LeftOut {
		if l.Operation == "" {
			c.Skip[l.Name] = l.Reason
		}
	}
	c.Opened = func(p *peer.Peer) { opened(p) }
	c.Doing = doing
	doing("", "")
	in := peer.NewInputs(points, many)
	peers, err := peer.Open(in, c)
	if err != nil {
		return nil, err
	}
	chosen := func(id string) bool {
		return slices.ContainsFunc(ops, func(o peer.Operation) bool { return o.ID == id || o.Base == id })
	}
	for _, p := range peers {
		if p.Close != nil {
			defer p.Close()
		}
		compared := func(id string) bool {
			o, _ := peer.Lookup(id)
			return chosen(id) && !harness.IsLeftOut(j.LeftOut, p.Name, o)
		}
		if err := peer.Check(in, peers[0], p, compared, doing); err != nil {
			return nil, err
		}
	}
	return harness.Measure(j.Settings, peers, ops, left, out, doing), nil
}
