package rust

import (
	"bufio"
	"bytes"
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A peer is a running process of the Rust program. The comments in peer/src describe its requests
// and answers.
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
	cache := reference.Must(os.UserCacheDir())
	target := filepath.Join(cache, "koblitz-rust")
	build := exec.Command("cargo", "build", "--locked", "--quiet",
		"--manifest-path", filepath.Join("peer", "Cargo.toml"), "--target-dir", target)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cargo build: %v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(target, "debug", "koblitz-rust-peer"))
	cmd.Stderr = os.Stderr
	in := reference.Must(cmd.StdinPipe())
	out := reference.Must(cmd.StdoutPipe())
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

// ask sends a request of some words and returns the words of the answer. If the crate refuses the
// request, ask returns the identifiers of the participants whom the crate blames, and false.
func (p *peer) ask(t *testing.T, request ...string) (answer []string, ok bool) {
	t.Helper()
	if _, err := fmt.Fprintln(p.in, strings.Join(request, " ")); err != nil {
		t.Fatal(err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("no answer to %q: %v", request, err)
	}
	answer = strings.Fields(line)
	if len(answer) > 0 && answer[0] == "-" {
		return answer[1:], false
	}
	return answer, true
}

// expect checks that the answer to a request is want.
func (p *peer) expect(t *testing.T, want []string, request ...string) {
	t.Helper()
	if got, ok := p.ask(t, request...); !ok || !slices.Equal(got, want) {
		t.Fatalf("%q: the crate answers %q, %t, want %q", request, got, ok, want)
	}
}

// refuses checks that the crate refuses a request and blames these participants.
func (p *peer) refuses(t *testing.T, blamed []string, request ...string) {
	t.Helper()
	if got, ok := p.ask(t, request...); ok || !slices.Equal(got, blamed) {
		t.Fatalf("%q: the crate answers %q, %t, want a refusal that blames %q", request, got, ok, blamed)
	}
}

// list encodes byte strings as a list of a request.
func list(all ...[]byte) string {
	items := make([]string, len(all))
	for i, b := range all {
		items[i] = hex.EncodeToString(b)
	}
	return strings.Join(items, ",")
}

// A round is one random case of a comparison.
type round struct {
	*peer
	*rand.Rand
	seen map[string]int // numbers of cases of each kind
}

// rounds runs f as a subtest for n seeds, and checks that each kind of case was seen. KOBLITZ_SEED
// is the first seed, which is 0 otherwise. An error names the seed of its round.
func rounds(t *testing.T, n int, kinds []string, f func(t *testing.T, r *round)) {
	t.Helper()
	first := uint64(0)
	if s := os.Getenv("KOBLITZ_SEED"); s != "" {
		first = reference.Must(strconv.ParseUint(s, 10, 64))
	}
	p, seen := startPeer(t), map[string]int{}
	for i := range uint64(n) {
		seed := first + i
		if !t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			f(t, &round{p, rand.New(rand.NewPCG(seed, 0)), seen})
		}) {
			t.Fatalf("KOBLITZ_SEED=%d repeats the error", seed)
		}
	}
	t.Logf("covers %d rounds, with %v", n, seen)
	for _, kind := range kinds {
		if seen[kind] == 0 {
			t.Errorf("no case of %q", kind)
		}
	}
}

// given runs f, for which crypto/rand returns the bytes b. It checks that f reads all of them.
func given(t *testing.T, b []byte, f func()) {
	t.Helper()
	source, left := crand.Reader, bytes.NewReader(b)
	crand.Reader = left // rand.Read ends the program when there are no more
	defer func() { crand.Reader = source }()
	f()
	if left.Len() > 0 {
		t.Fatalf("%d of %d random bytes were not read", left.Len(), len(b))
	}
}
