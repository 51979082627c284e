//go:build (amd64 || 386) && !race && !valgrind

package secret_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// TestNothingIsLeft checks that no operation leaves a secret in memory. It runs every operation,
// and then Zeroize, in another process, and looks for the operation's secrets in the memory of that
// process.
func TestNothingIsLeft(t *testing.T) {
	r := startSubject(t, nil)
	cputest.Run(t, func(t *testing.T) {
		for i := range searched {
			for _, fresh := range []bool{false, true} {
				r.searchUpTo(t, i, enabled(), fresh, 1, 3, 2)
			}
		}
	}, levels()...)
}

// TestNothingIsLeftByCollections makes the check of TestNothingIsLeft for operations that run many
// times during garbage collections. A collection stops an operation where it calls a function, and
// the runtime may happen to save a general register with a secret. This is rare during Do, so
// secrets must be found in three of 21 searches, each with different secrets. It is more likely if
// general registers are not cleared. On 64-bit machines this concerns operations of scalars that do
// not use Do; secrets must be found in three searches out of three. Operations on many rows are
// searched seven times even if nothing is found, and 61 times with KOBLITZ_DEEP, because values of
// one row can remain in registers during the next.
func TestNothingIsLeftByCollections(t *testing.T) {
	r := startSubject(t, nil)
	r.runs = 20
	finds, searches := 0, 0
	for i := range exported {
		least, most, limit := 1, 21, 3
		switch {
		case *settings != promised:
			most, limit = 1, 1
		case !cpu.Has(cpu.AVX2) || strings.Contains(exported[i].name, "Scalar."):
			most = 3
		case exported[i].needs&operations.ManyRows != 0:
			least, most = 7, 61
			if cputest.Deep() {
				least = 61
			}
		}
		for _, fresh := range []bool{false, true} {
			f, n := r.searchUpTo(t, i, ^cpu.Feature(0), fresh, least, most, limit)
			finds, searches = finds+f, searches+n
		}
	}
	t.Logf("covers %d searches, %d with a finding", searches, finds)
}

// TestLeaksAreFound checks that the search finds secrets that operations leave, in each of the
// kinds of memory and registers that package secret wipes.
func TestLeaksAreFound(t *testing.T) {
	r := startSubject(t, nil)
	for i := len(searched); i < len(everything)-len(kernelLeaks); i++ {
		for _, fresh := range []bool{false, true} {
			if fresh || everything[i].needs&freshOnly == 0 {
				r.checkLeak(t, i, ^cpu.Feature(0), fresh)
			}
		}
	}
}

// checkLeak fails the test if no secret is found after a leak, or if one is found after the first
// operation, which does nothing, in the place of the leak.
func (r *remote) checkLeak(t *testing.T, index int, keep cpu.Feature, fresh bool) {
	t.Helper()
	o := &everything[index]
	without := r.searchFor(t, 0, o.secrets, keep, fresh)
	if len(without) > 0 { // a signal may have saved registers
		without = r.searchFor(t, 0, o.secrets, keep, fresh)
	}
	found := r.searchFor(t, index, o.secrets, keep, fresh)
	t.Logf("%s, fresh goroutine: %v: %d pieces", o.name, fresh, len(found))
	if len(found) == 0 {
		t.Errorf("%s, fresh goroutine: %v: nothing is found", o.name, fresh)
	}
	if len(without) > 0 {
		t.Errorf("%s, fresh goroutine: %v: found without it: %s", o.name, fresh, without[0])
	}
}

// enabled returns the CPU features that this process may use now.
func enabled() (f cpu.Feature) {
	for bit := cpu.Feature(1); bit != 0; bit <<= 1 {
		if cpu.Has(bit) {
			f |= bit
		}
	}
	return f
}

// searchUpTo searches least times or, if one of these searches finds a secret, most times. It fails
// the test if limit searches find one: a signal may save registers in memory at any moment. It
// returns the numbers of searches that find one and of all searches.
func (r *remote) searchUpTo(
	t *testing.T, index int, keep cpu.Feature, fresh bool, least, most, limit int,
) (finds, searches int) {
	t.Helper()
	var first string
	for searches < least || searches < most && finds > 0 {
		searches++
		if found := r.search(t, index, keep, fresh); len(found) > 0 {
			first, finds = found[0], finds+1
		}
	}
	if finds > 0 {
		t.Logf("covers %s, fresh goroutine: %v: %d of %d searches find pieces, such as %s",
			everything[index].name, fresh, finds, searches, first)
	}
	if finds >= limit {
		t.Fail()
	}
	return finds, searches
}

// search runs an operation in the subject with random inputs, and returns a description of each
// secret that remains in the subject's memory. keep is the set of CPU features that the subject may
// use.
func (r *remote) search(t *testing.T, index int, keep cpu.Feature, fresh bool) []string {
	t.Helper()
	return r.searchFor(t, index, everything[index].secrets, keep, fresh)
}

// searchFor works like search, for the given secrets.
func (r *remote) searchFor(
	t *testing.T, index int, secrets func(v *values, n *needles), keep cpu.Feature, fresh bool,
) (found []string) {
	t.Helper()
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
	restore := cpu.Restrict(keep) // computes with the same formulas as the subject
	secrets(&v, &n)
	restore()
	if n.Len() < 400 {
		t.Fatalf("%s: only %d forms to look for", everything[index].name, n.Len())
	}
	found, err = r.memory.Search(&n.Needles)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
