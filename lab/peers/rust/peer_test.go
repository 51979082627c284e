//go:build rust

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

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/frost"
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

// words returns the words of a request or an answer. A slice of bytes, or the result of a method
// Bytes, becomes a word in hexadecimal. A slice of strings is a list of words, and package fmt
// prints all other values.
func words(parts ...any) (all []string) {
	for _, p := range parts {
		switch p := p.(type) {
		case []string:
			all = append(all, p...)
		case []byte:
			all = append(all, list(p))
		case interface{ Bytes() []byte }:
			all = append(all, list(p.Bytes()))
		default:
			all = append(all, fmt.Sprint(p))
		}
	}
	return all
}

// ask sends a request of some words and returns the words of the answer. If the crate refuses the
// request, ask returns the identifiers of the participants whom the crate blames, and false.
func (r *round) ask(request ...any) (answer []string, ok bool) {
	r.Helper()
	if _, err := fmt.Fprintln(r.in, strings.Join(words(request...), " ")); err != nil {
		r.Fatal(err)
	}
	line, err := r.out.ReadString('\n')
	if err != nil {
		r.Fatalf("no answer to %q: %v", words(request...), err)
	}
	answer = strings.Fields(line)
	if len(answer) > 0 && answer[0] == "-" {
		return answer[1:], false
	}
	return answer, true
}

// expect checks that the answer to a request is want.
func (r *round) expect(want []string, request ...any) {
	r.Helper()
	if got, ok := r.ask(request...); !ok || !slices.Equal(got, want) {
		r.Fatalf("%q: the crate answers %q, %t, want %q", words(request...), got, ok, want)
	}
}

// refuses checks that the crate refuses a request and blames these participants.
func (r *round) refuses(blamed []string, request ...any) {
	r.Helper()
	if got, ok := r.ask(request...); ok || !slices.Equal(got, blamed) {
		r.Fatalf("%q: the crate answers %q, %t, want a refusal that blames %q",
			words(request...), got, ok, blamed)
	}
}

// same checks that the crate gives the answer want to a request, or, if err is not nil, refuses the
// request. It reports whether err is nil.
func (r *round) same(want []string, err error, request ...any) bool {
	r.Helper()
	if err != nil {
		r.refuses(nil, request...)
		return false
	}
	r.expect(want, request...)
	return true
}

// checkSignature checks that both sides accept a signature, and refuse it with one bit changed. It
// is one of RFC 9591 or else of BIP-340.
func (r *round) checkSignature(suite string, key *koblitz.PublicKey, message, signature []byte) {
	r.Helper()
	changed := slices.Clone(signature)
	changed[r.IntN(len(changed))] ^= 1 << r.IntN(8)
	for _, s := range [][]byte{signature, changed} {
		ok := schnorr.Verify(key.XOnlyPublicKey(), message, s)
		if suite == "rfc9591" {
			ok = frost.VerifyRFC9591(key, message, s)
		}
		if want := bytes.Equal(s, signature); ok != want {
			r.Fatalf("signature %x of %x under %v: valid %t, want %t", s, message, key, ok, want)
		}
		if ok {
			r.expect(nil, suite, "valid", key, message, s)
		} else {
			r.refuses(nil, suite, "valid", key, message, s)
		}
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
	*testing.T
	*peer
	*rand.Rand
	seen map[string]int // numbers of cases of each kind
}

// rounds runs f as a subtest for n seeds, and checks that each kind of case was seen. KOBLITZ_SEED
// is the first seed, which is 0 otherwise. An error names the seed of its round.
func rounds(t *testing.T, n int, kinds []string, f func(r *round)) {
	t.Helper()
	first := uint64(0)
	if s := os.Getenv("KOBLITZ_SEED"); s != "" {
		first = reference.Must(strconv.ParseUint(s, 10, 64))
	}
	p, seen := startPeer(t), map[string]int{}
	for i := range uint64(n) {
		seed := first + i
		if !t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			f(&round{t, p, rand.New(rand.NewPCG(seed, 0)), seen})
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
func (r *round) given(b []byte, f func()) {
	source, left := crand.Reader, bytes.NewReader(b)
	crand.Reader = left // rand.Read ends the program when there are no more
	defer func() { crand.Reader = source }()
	f()
	if left.Len() > 0 {
		r.Fatalf("%d of %d random bytes were not read", left.Len(), len(b))
	}
}

// count returns the number of rounds: few, or more if KOBLITZ_DEEP is set, or many if it is
// "every".
func count(few, more, every int) int {
	switch os.Getenv("KOBLITZ_DEEP") {
	case "":
		return few
	case "every":
		return every
	}
	return more
}
