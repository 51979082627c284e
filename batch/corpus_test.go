package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// kindNamed returns the kind with the given name.
func kindNamed(name string) *kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k *kind) bool { return k.name == name })]
}

func secret(r *rand.Rand) *koblitz.PrivateKey {
	for {
		if k, err := koblitz.ParsePrivateKey(bytes32(reference.RandInt(r))); err == nil {
			return k
		}
	}
}

// A row is a signature with its expected verdicts, which come from the functions for one signature.
type row struct {
	what          string
	key, msg, sig []byte
	want, low     batch.Verdict // with any s, and with a low s
}

// judgeRow returns r with the expected verdicts. The kind of signature follows from the key.
func judgeRow(r row) row {
	values := [][]byte{r.msg, r.key, r.sig}
	if len(r.key) == 32 {
		r.want = judgeSchnorr(values).verdict
		r.low = r.want
	} else {
		r.want = judgeECDSA(false, 64, 33, 65)(values).verdict
		r.low = judgeECDSA(true, 64, 33, 65)(values).verdict
	}
	return r
}

// rowsOf returns the rows of a kind of signatures.
func rowsOf(k *kind) (rows []row) {
	for i, x := range k.all() {
		rows = append(rows, judgeRow(row{fmt.Sprintf("row %d", i), x.values[1], x.values[0],
			x.values[2], 0, 0}))
	}
	return rows
}

var schnorrRows = sync.OnceValue(func() []row { return rowsOf(kindNamed("SchnorrRows")) })

var ecdsaRows = sync.OnceValue(func() []row { return rowsOf(kindNamed("ECDSA, rule 1")) })

// dirty returns n verdicts with an undefined value, so that a test can see which a call overwrites.
func dirty(n int) []batch.Verdict { return slices.Repeat([]batch.Verdict{0x77}, n) }

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// pick returns n consecutive rows from a random start. After the last row it continues at the
// first.
func pick[T any](r *rand.Rand, rows []T, n int) []T {
	out := make([]T, n)
	start := r.IntN(len(rows))
	for i := range out {
		out[i] = rows[(start+i)%len(rows)]
	}
	return out
}

// each runs a test once with each implementation: with the code that processes eight rows at a time
// in vector lanes, with the best code without lanes, and without assembly.
func each(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	without := cputest.AVX512F
	if !cpu.Has(cpu.AVX512F) {
		without = cputest.ADX
	}
	cputest.Run(t, test, append(cputest.AllLanes(), cputest.Portable, without)...)
}

// sizes returns batch sizes up to limit: all sizes near the number of lanes and the size of blocks,
// and some random ones.
func sizes(r *rand.Rand, limit int) (list []int) {
	if !cputest.Deep() {
		return []int{1, 2, 3, 7, 8, 9, 16, 17, 33, 65, 129}
	}
	for n := range 33 {
		list = append(list, n+1)
	}
	list = append(list, 63, 64, 65, 127, 128, 129, 257, limit)
	for range 4 {
		list = append(list, 1+r.IntN(limit-1))
	}
	return list
}

var workers = []*batch.Options{nil, {}, {Workers: 1}, {Workers: 2}, {Workers: 3}, {Workers: 16},
	{Workers: -1}}

// rule returns LowS if lowS is set, and AnyS otherwise.
func rule(lowS bool) batch.SRule {
	if lowS {
		return batch.LowS
	}
	return batch.AnyS
}

// An adder has the methods that both accumulators, Schnorr and ECDSA, have.
type adder interface {
	Len() int
	Reset()
	Verify(context.Context, []batch.Verdict) (int, error)
	VerifyAll(context.Context) (bool, error)
}

// verifyAll calls VerifyAll without cancellation. For an empty accumulator VerifyAll must return an
// error; verifyAll then returns true, since no row is invalid.
func verifyAll(b adder) bool {
	good, err := b.VerifyAll(context.Background())
	if b.Len() == 0 {
		return !good && err != nil
	}
	if err != nil {
		panic(err)
	}
	return good
}

// verify calls Verify without cancellation and returns the verdicts. It uses the memory of verdicts
// if that is large enough.
func verify(b adder, verdicts []batch.Verdict) []batch.Verdict {
	verdicts = slices.Grow(verdicts[:0], b.Len())[:b.Len()]
	valid, err := b.Verify(context.Background(), verdicts)
	for _, v := range verdicts {
		if v == batch.Valid {
			valid--
		}
	}
	if err != nil || valid != 0 {
		panic(fmt.Sprint(valid, " too many are valid, ", err))
	}
	return verdicts
}
