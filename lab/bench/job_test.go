package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// plantVariable is the environment variable with the fault that a test plants in a job's process:
// the name of a peer, a space, and a key of the map faults.
const plantVariable = "KOBLITZ_BENCH_PLANT"

// faults holds the faults that a test can plant in a peer. Except for "setup", they occur in the
// operation keygen.
var faults = map[string]func(p *peer.Peer){
	"setup":     func(*peer.Peer) { panic("planted in setup") },
	"exit":      func(*peer.Peer) { os.Exit(0) },
	"compare":   inOut(func() { panic("planted in compare") }),
	"goroutine": inOut(func() { go panic("planted in a goroutine"); time.Sleep(time.Minute) }),
	"nil":       inOut(func() { var p *peer.Peer; p.Name = "" }),
	"timing": func(p *peer.Peer) {
		d := p.Drivers["keygen"]
		d.Do = func(int) { go panic("planted in timing"); time.Sleep(time.Minute) }
		p.Drivers["keygen"] = d
	},
}

func inOut(fault func()) func(p *peer.Peer) {
	return func(p *peer.Peer) {
		d := p.Drivers["keygen"]
		d.Out = func(int) []byte { fault(); return nil }
		p.Drivers["keygen"] = d
	}
}

// TestMain runs a job if jobVariable is set. A job runs in a new process of the same program, which
// in tests is the test binary.
func TestMain(m *testing.M) {
	if os.Getenv(jobVariable) == "" {
		os.Exit(m.Run())
	}
	name, fault, _ := strings.Cut(os.Getenv(plantVariable), " ")
	opened = func(p *peer.Peer) {
		if p.Name == name {
			faults[fault](p)
		}
	}
	main()
}

// TestCrash plants faults in one peer. A fault in an operation must leave the peer out of this
// operation, and a fault in the peer's setup must leave it out of all operations. The report and
// the error must name the peer, and all other peers must be measured.
func TestCrash(t *testing.T) {
	for fault, want := range map[string]string{
		"setup":     "dcrec: left out: it panicked: planted in setup",
		"exit":      "dcrec: left out: it ended the process",
		"compare":   "dcrec: left out of keygen: it panicked: planted in compare",
		"goroutine": "dcrec: left out of keygen: it panicked: planted in a goroutine",
		"nil":       "dcrec: left out of keygen: it panicked: runtime error: invalid memory address",
		"timing":    "dcrec: left out of keygen: it panicked: planted in timing",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Setenv(plantVariable, "dcrec "+fault)
			dir := t.TempDir()
			out, errs, err := bench(append(short, "-device", "none", "-report", dir)...)
			if !errors.Is(err, errCrashed) || !strings.Contains(err.Error(), want) {
				t.Fatalf("the error is %v, want %q", err, want)
			}
			if !strings.Contains(out, want) || !strings.Contains(errs, want) {
				t.Errorf("no %q in\n%s\n%s", want, out, errs)
			}
			r := read(t, dir)
			for _, id := range []string{"keygen", "parse"} {
				o, _ := r.Find(id)
				_, there := o.Of("dcrec")
				_, ours := o.Of(peer.Koblitz)
				if there != (id == "parse" && strings.Contains(want, "keygen")) || !ours {
					t.Errorf("%s has dcrec: %v, koblitz: %v", id, there, ours)
				}
			}
		})
	}
}

// TestRequiredCrash checks that bench returns an error if the setup of a required peer fails, or if
// the process crashes while no peer runs.
func TestRequiredCrash(t *testing.T) {
	t.Setenv(plantVariable, "dcrec setup")
	_, _, err := bench(append(short, "-require", "dcrec")...)
	if err == nil || !strings.Contains(err.Error(), "dcrec is required: it panicked: planted") {
		t.Error(err)
	}
	dir := t.TempDir()
	j := job{Only: []string{"keygen"}, Settings: harness.Settings{Rounds: 1, Each: -1}}
	if err := os.WriteFile(filepath.Join(dir, resultFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, crash, err := j.start(t.Context(), dir, io.Discard); crash != nil || err == nil {
		t.Errorf("a damaged result: %v, %v", crash, err)
	}
}

// crashing lists the known crashes, which are bugs in other peers. The report must name each of
// them, until the peer is repaired.
var crashing = []string{"gnark: left out of base-mul-batch-4096: it panicked: "}

// TestEverything checks that every operation runs once with every peer, and that only the peers in
// crashing crash. Without KOBLITZ_DEEP, it runs only the operations on up to 16 elements and those
// on 4,096.
func TestEverything(t *testing.T) {
	var only []string
	for _, o := range peer.Operations() {
		if o.Size <= 16 || o.Size == 4096 || os.Getenv("KOBLITZ_DEEP") != "" {
			only = append(only, o.ID)
		}
	}
	dir := t.TempDir()
	args := []string{"-rounds", "1", "-time", "1us", "-device", "none", "-report", dir,
		"-only", strings.Join(only, ",")}
	if require := os.Getenv("BENCH_REQUIRE"); require != "" {
		args = append(args, "-require", require)
	}
	_, errs, err := bench(args...)
	if err != nil && !errors.Is(err, errCrashed) {
		t.Fatalf("%v\n%s", err, errs)
	}
	r := read(t, dir)
	known := 0
	for _, l := range r.LeftOut {
		isKnown := slices.ContainsFunc(crashing, func(s string) bool {
			return strings.HasPrefix(l.String(), s)
		})
		switch {
		case isKnown:
			known++
		case l.Crashed:
			t.Errorf("a crash that is not known: %v", l)
		default:
			t.Log(l)
		}
	}
	if gnark := slices.ContainsFunc(r.Peers, func(p harness.PeerInfo) bool {
		return p.Name == "gnark"
	}); gnark && known != len(crashing) {
		t.Errorf("%d of %d known crashes were met", known, len(crashing))
	}
	for _, id := range only {
		o, ok := r.Find(id)
		if !ok || len(o.Results) == 0 {
			t.Errorf("%s was not measured", id)
		}
		for _, result := range o.Results {
			if len(result.Rounds) != 1 || result.Rounds[0] <= 0 {
				t.Errorf("%s by %s: %v", id, result.Peer, result.Rounds)
			}
		}
	}
	t.Logf("%d operations, %d peers", len(only), len(r.Peers))
}
