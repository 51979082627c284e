package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// twoLists returns the arguments of a check whose report has two lists, failures and senders, and
// the lengths of these lists. One list begins first, is written at once, and has one element. The
// other list, which is senders if sendersWait is set, has more elements than the report keeps in
// memory while a list waits.
func twoLists(t *testing.T, sendersWait bool) (args []string, failures, senders int) {
	t.Helper()
	const perChain, n = 612, 6000
	chain := readFile(t, gethFile(t, "cmd", "devp2p", "internal", "ethtest", "testdata", "chain.rlp"))
	bad := func(n int) string {
		return write(t, "bad.json", []byte(`{"gasLimit":"0x1","transactions":[`+strings.Repeat(`"0x",`,
			n-1)+`"0x"]}`))
	}
	args = []string{"--senders", "--max-failures", "-1", "--network", "3503995874084926"}
	if sendersWait {
		return append(args, bad(1), write(t, "chain", []byte(strings.Repeat(chain, n/perChain+1)))), 1,
			(n/perChain + 1) * perChain
	}
	return append(args, write(t, "chain", []byte(chain)), bad(n)), n, perChain
}

// TestWaitingList checks that both lists of a JSON report are complete, whichever list waits until
// the other has been written.
func TestWaitingList(t *testing.T) {
	for _, sendersWait := range []bool{true, false} {
		args, failures, senders := twoLists(t, sendersWait)
		r := checkJSON(t, "", args...)
		if len(r.Failures) != failures || len(r.Senders) != senders || r.Unlisted != 0 ||
			r.Exit != exitInvalid || len(r.Unreadable) != 0 {
			t.Errorf("senders wait: %v: %d failures, want %d; %d senders, want %d; %+v", sendersWait,
				len(r.Failures), failures, len(r.Senders), senders, r.summary)
		}
		for i, s := range r.Senders {
			if s.File != r.Senders[0].File || len(s.From) != 42 || s.Offset == nil ||
				i > 0 && *s.Offset <= *r.Senders[i-1].Offset {
				t.Fatalf("sender %d: %+v", i, s)
			}
		}
		for i, f := range r.Failures {
			if f.Verdict != "malformed" || f.Index == nil || *f.Index != i {
				t.Fatalf("failure %d: %+v", i, f)
			}
		}
	}
}

// TestSpoolFails checks that a report that lost elements of a list says so, and that the exit
// status is then not 0.
func TestSpoolFails(t *testing.T) {
	args, _, _ := twoLists(t, true)
	args = append([]string{"check", "--json"}, args...)
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, "/nowhere")
	}
	status, stdout, stderr := cli(t, "", args...)
	const message = "no temporary file for report: "
	if status != exitInvalid || !strings.Contains(stderr, message) || !strings.Contains(stdout,
		message) {
		t.Errorf("status %d\n%.500s\n%s", status, stdout[max(0, len(stdout)-500):], stderr)
	}
	var r result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || len(r.Failures) != 1 {
		t.Errorf("%d failures, %v", len(r.Failures), err)
	}
}

// TestTempSpace checks that temporary files of every kind stay within --temp-space, and that the
// report names the file for which there was no room.
func TestTempSpace(t *testing.T) {
	args, _, _ := twoLists(t, true)
	args = append([]string{"check", "--json", "--temp-space", "0"}, args...)
	const message = "temporary files may take 0 MiB of the disk together (--temp-space)"
	status, stdout, stderr := cli(t, "", args...)
	var r result
	err := json.Unmarshal([]byte(stdout), &r)
	if status != exitInvalid || err != nil || len(r.Unreadable) != 1 ||
		!strings.Contains(r.Unreadable[0], message) || !strings.Contains(stderr, message) {
		t.Errorf("status %d, %v, %q\n%s", status, err, r.Unreadable, stderr)
	}
	for _, bad := range []string{"-1", "1073741825"} {
		wantCLI(t, exitUsage, []string{"--temp-space " + bad}, "",
			"check", "--temp-space", bad, "--sample")
	}
}
