package payments

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A peer is a running process of the Rust program, which calls the crate silentpayments. The
// comment in rust/src/main.rs describes its requests and answers.
type peer struct {
	in  io.Writer
	out *bufio.Reader
}

// startPeer builds the Rust program and runs it until the end of the test. The user's cache keeps
// what cargo compiles.
func startPeer(t *testing.T) *peer {
	t.Helper()
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("without cargo: the peer is a Rust program")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(cache, "koblitz-payments")
	build := exec.Command("cargo", "build", "--locked", "--quiet",
		"--manifest-path", filepath.Join("rust", "Cargo.toml"), "--target-dir", target)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cargo build: %v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(target, "debug", "koblitz-payments-peer"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the Rust program: %v", err)
		}
	})
	return &peer{in, bufio.NewReader(out)}
}

// ask sends a request of some words and returns the words of the answer. It returns false if the
// crate refuses the request.
func (p *peer) ask(t *testing.T, request ...string) (answer []string, ok bool) {
	t.Helper()
	if _, err := fmt.Fprintln(p.in, strings.Join(request, " ")); err != nil {
		t.Fatal(err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("no answer to %q: %v", request, err)
	}
	line = strings.TrimSuffix(line, "\n")
	return strings.Fields(line), line != "-"
}

// list encodes byte strings as a list of a request.
func list(all ...[]byte) string {
	items := make([]string, len(all))
	for i, b := range all {
		items[i] = hex.EncodeToString(b)
	}
	return strings.Join(items, ",")
}
