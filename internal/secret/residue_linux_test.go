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
// times during garbage collections. A collection stops an operation where it calls a function, and
// the runtime may happen to save a general register with a secret. This is rare during Do, so
// secrets must be found in two of 21 searches, each with different secrets. It is more likely if
// general registers are not cleared. On 64-bit machines this concerns operations of scalars that do
// not use Do; secrets must be found in three searches out of three. Operations on many rows are
// always searched 61 times, because values of one row can remain in registers during the next.
func TestNothingIsLeftByCollections(t *testing.T) {
	r := startSubject(t, nil)
	r.runs = 20
	left, all := 0, 0
	for i := range exported {
		name, rows := exported[i].name, exported[i].needs&inRows != 0
		most, limit := 21, 2
		switch {
		case *settings != promised:
			most, limit = 1, 1
		case !cpu.Has(cpu.AVX2) || strings.Contains(name, "Scalar."):
			most, limit = 3, 3
		case rows:
			most = 61
		}
		for _, fresh := range []bool{false, true} {
			var found []string
			for range most {
				more := r.search(t, i, ^cpu.Feature(0), fresh)
				if len(more) > 0 {
					found = append(found, more[0])
				}
				if len(found) == 0 && !rows {
					break
				}
			}
			if len(found) >= limit {
				t.Errorf("%s, fresh goroutine: %v: in %d of %d searches pieces are left, first %s", name,
					fresh, len(found), most, found[0])
				left++
			}
			all++
		}
	}
	t.Logf("%d of %d operations and kinds of goroutines leave something", left, all)
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
