//go:build (amd64 || 386) && !race && !valgrind

package secret_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestNothingIsLeft checks that no operation leaves a secret in memory. It runs every operation,
// and then Zeroize, in another process, and looks for the operation's secrets in the memory of that
// process.
func TestNothingIsLeft(t *testing.T) {
	r := startSubject(t, nil)
	for _, level := range levels() {
		t.Run(string(level), func(t *testing.T) {
			cputest.Use(t, level)
			for i := range operations {
				for _, fresh := range []bool{false, true} {
					if found := r.search(t, i, level.Features(), fresh); len(found) > 0 {
						t.Errorf("%s, fresh goroutine: %v: %d pieces are left:\n%s", operations[i].name,
							fresh, len(found), strings.Join(found[:min(len(found), 4)], "\n"))
					}
				}
			}
		})
	}
}

// TestNothingIsLeftByCollections makes the check of TestNothingIsLeft for operations that run many
// times during garbage collections. If general registers are not cleared, the runtime may happen to
// save a register with an earlier call's value. So the test fails only if a secret is found in
// several searches, each with different secrets. On 64-bit machines this concerns operations of
// scalars that do not use Do.
func TestNothingIsLeftByCollections(t *testing.T) {
	r := startSubject(t, nil)
	r.runs = 20
	left, all := 0, 0
	for i := range exported {
		tries := 1
		kept := !cpu.Has(cpu.AVX2) || strings.Contains(exported[i].name, "Scalar.")
		if kept && *settings == promised {
			tries = 3
		}
		for _, fresh := range []bool{false, true} {
			var found []string
			for range tries {
				if found = r.search(t, i, ^cpu.Feature(0), fresh); len(found) == 0 {
					break
				}
			}
			if len(found) > 0 {
				t.Errorf("%s, fresh goroutine: %v: %d pieces are left, first %s", exported[i].name, fresh,
					len(found), found[0])
				left++
			}
			all++
		}
	}
	t.Logf("%d of %d searches find something", left, all)
}

// TestLeaksAreFound checks that the search finds secrets that operations leave, in each of the
// kinds of memory and registers that package secret wipes.
func TestLeaksAreFound(t *testing.T) {
	r := startSubject(t, nil)
	for i := len(operations); i < len(everything)-len(kernelLeaks); i++ {
		for _, fresh := range []bool{false, true} {
			found := r.search(t, i, ^cpu.Feature(0), fresh)
			if len(found) == 0 && (fresh || everything[i].needs&freshOnly == 0) {
				t.Errorf("%s, fresh goroutine: %v: nothing is found", everything[i].name, fresh)
			}
			t.Logf("%s, fresh goroutine: %v: %d pieces", everything[i].name, fresh, len(found))
		}
	}
}

// search runs an operation in the subject with random inputs, and returns a description of each
// secret that remains in the subject's memory. keep is the set of CPU features that the subject may
// use.
func (r *remote) search(t *testing.T, index int, keep cpu.Feature, fresh bool) (found []string) {
	t.Helper()
	o := &everything[index]
	q := request{Operation: uint32(index), Fresh: fresh, Keep: uint32(keep), Runs: r.runs}
	r.searches++ // selects other secrets than earlier searches, which memory may hold
	source := rand.NewChaCha8([32]byte{byte(index), byte(q.Keep), byte(r.searches),
		byte(r.searches >> 8)})
	for _, b := range [][]byte{q.DE[:], q.Hash[:], q.Random[:]} {
		source.Read(b)
	}
	v := values{
		d: new(big.Int).SetBytes(q.DE[:32]), e: new(big.Int).SetBytes(q.DE[32:]),
		hash: q.Hash[:], random: q.Random[:],
	}
	var err error
	if v.out, err = r.run(q); err != nil {
		t.Fatal(err)
	}
	var n needles
	o.secrets(&v, &n)
	if n.Len() < 12 {
		t.Fatalf("%s: only %d pieces to look for", o.name, n.Len())
	}
	found, err = n.Scan(r.command.Process.Pid, r.begin, r.end)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
