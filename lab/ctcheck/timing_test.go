//go:build timing

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/silentpay"
)

// This file compares times, by the method of dudect (Reparaz, Balasch, Verbauwhede: "Dude, is my
// code constant time?", DATE 2017):
//
//	go test ./lab/ctcheck -tags timing -run Timing -v -timeout 0 -span 1m
//
// Each operation is timed with one fixed secret and with random ones. Before each call, a random
// bit chooses the class. Welch's t-test then asks whether the mean times of the two classes differ.
// The test can find a dependence that memcheck misses, such as an instruction whose time depends on
// its operands. It does not prove that there is none.

// Thresholds for |t|: that of the paper, and that of dudect's program. For a value in between, more
// calls decide.
const (
	unseen = 4.5 // below this value, nothing was seen
	seen   = 10  // above this value, the time depends on the secret
)

var span = flag.Duration("span", 10*time.Second, "time to spend on each operation and fixed secret")

// rows is the number of rows of a call: enough for vector lanes.
const rows = 64

// An operation is what is timed.
type operation struct {
	name    string
	secrets int // number of secrets, each of 32 bytes
	keys    int // number of public keys, each of 33 bytes

	// prepare returns a function to time. It gets new secrets, public keys and messages for each
	// call. Keys and messages are random in both classes. So time that depends on them, or on
	// signatures, has the same mean in both.
	prepare func(secrets, keys []byte) func()
}

var (
	bg        = context.Background()
	one       = &batch.SecretOptions{Workers: 1}
	unchecked = &batch.SecretOptions{Workers: 1, Unchecked: true}
	verdicts  = make([]batch.Verdict, rows)
	results   = make([]byte, 65*rows)
	messages  = make([]byte, 32*rows)
)

var operations = []operation{
	{"batch.SecretRows.PublicKeys", rows, 0, publicKeys},
	{"batch.ECDHRows.SharedX, pairs", rows, rows, sharedX},
	{"batch.ECDHRows.SharedX, one secret", 1, rows, sharedX},
	{"batch.SchnorrSignRows.Sign", rows, 0, schnorrSign},
	{"batch.SchnorrSignRows.Sign, one secret", 1, 0, schnorrSign},
	{"batch.ECDSASignRows.Sign", rows, 0, ecdsaSign},
	{"batch.ECDSASignRows.Sign, one secret", 1, 0, ecdsaSign},
	{"silentpay.Scanner.Scan", 1, rows, scannerScan},
	{"silentpay.Receiver.Scan", 1, 8, receiverScan},
}

// skipping leaks: it hashes only odd secrets.
var skipping = operation{"planted leak", rows, 0, func(secrets, keys []byte) func() {
	do := publicKeys(secrets, keys)
	return func() {
		do()
		for secret := range slices.Chunk(secrets, 32) {
			if secret[31]&1 == 1 {
				sha256.Sum256(secret)
			}
		}
	}
}}

// column returns the secrets of a call as a column: one for each row, or one for all.
func column(secrets []byte) batch.Column {
	if len(secrets) == 32 {
		return batch.Same(secrets)
	}
	return batch.Packed(secrets, 32)
}

func publicKeys(secrets, _ []byte) func() {
	r := batch.SecretRows{Secrets: column(secrets)}
	return func() { all(r.PublicKeys(bg, results[:33*rows], verdicts, one)) }
}

func sharedX(secrets, keys []byte) func() {
	r := batch.ECDHRows{Secrets: column(secrets), Keys: batch.Packed(keys, 33)}
	return func() { all(r.SharedX(bg, results[:32*rows], verdicts, one)) }
}

func schnorrSign(secrets, _ []byte) func() {
	packed := batch.Packed(messages, 32)
	r := batch.SchnorrSignRows{Secrets: column(secrets), Messages: packed, Aux: packed}
	return func() { all(r.Sign(bg, results[:64*rows], verdicts, unchecked)) }
}

func ecdsaSign(secrets, _ []byte) func() {
	r := batch.ECDSASignRows{Secrets: column(secrets), Hashes: batch.Packed(messages, 32)}
	return func() { all(r.Sign(bg, results, verdicts, unchecked)) }
}

// The transactions that are scanned have two outputs each, and pay others.

var outputs = [][32]byte{sha256.Sum256([]byte("an output")), sha256.Sum256([]byte("another"))}

func scannerScan(secret, keys []byte) func() {
	scanner := must(silentpay.NewScanner(receiver(secret)))
	t := silentpay.Transactions{Tweaks: keys}
	for i := range rows {
		t.Outputs = append(append(t.Outputs, outputs[0][:]...), outputs[1][:]...)
		t.Ends = append(t.Ends, 2*(i+1))
	}
	return func() {
		if found := must(scanner.Scan(bg, t, verdicts, one)); len(found) > 0 {
			panic("a payment")
		}
	}
}

func receiverScan(secret, keys []byte) func() {
	r := receiver(secret)
	var tweaks []*koblitz.PublicKey
	for key := range slices.Chunk(keys, 33) {
		tweaks = append(tweaks, must(koblitz.ParsePublicKey(key)))
	}
	return func() {
		for _, tweak := range tweaks {
			if found := must(r.Scan(tweak, outputs)); len(found) > 0 {
				panic("a payment")
			}
		}
	}
}

// receiver returns a receiver with a scan secret, and with the generator as spend key.
func receiver(secret []byte) *silentpay.Receiver {
	spend := must(koblitz.ParsePrivateKey(number(1))).PublicKey()
	key := must(silentpay.NewScanKey(must(koblitz.ParsePrivateKey(secret))))
	return must(silentpay.NewReceiver(key, spend))
}

// number returns a secret with the given last byte, and zeros before it.
func number(last byte) []byte { return append(make([]byte, 31), last) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// all panics unless every row is Valid.
func all(valid int, err error) {
	if valid != rows || err != nil {
		panic(fmt.Sprint(valid, " valid rows, ", err))
	}
}

func TestTiming(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	arbitrary := sha256.Sum256([]byte("a fixed secret"))
	fixed := [][]byte{number(1), arbitrary[:]}
	t.Run(skipping.name, func(t *testing.T) {
		for _, secret := range fixed {
			if v := compare(t, skipping, secret); math.Abs(v) < seen {
				t.Errorf("the leak is not found: t = %.1f", v)
			}
		}
	})
	t.Run("random secrets twice", func(t *testing.T) {
		if v := compare(t, operations[0], nil); math.Abs(v) > seen {
			t.Errorf("the test finds what is not there: t = %.1f", v)
		}
	})
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			for _, secret := range fixed {
				if v := compare(t, op, secret); math.Abs(v) > seen {
					t.Errorf("the time depends on the secret: t = %.1f", v)
				}
			}
		})
	}
}

// A sample is the time of one call.
type sample struct {
	class int // 0 with the fixed secret, 1 with random secrets
	time  time.Duration
}

// compare times calls of op with a fixed secret in each row, and with random secrets, for the time
// span. It returns the result of the function welch. If fixed is nil, both classes have random
// secrets.
func compare(t *testing.T, op operation, fixed []byte) float64 {
	random := rand.NewChaCha8(sha256.Sum256(append([]byte(op.name), fixed...)))
	secrets, keys := make([]byte, 32*op.secrets), make([]byte, 33*op.keys)
	columns := [2][]byte{slices.Repeat(fixed, op.secrets), make([]byte, len(secrets))}
	if fixed == nil {
		columns[0] = make([]byte, len(secrets))
	}
	var samples []sample
	for start := time.Now(); time.Since(start) < *span; {
		if len(samples)%rows == 0 {
			runtime.GC()
		}
		// What precedes a call is the same in both classes.
		if fixed == nil {
			random.Read(columns[0])
		}
		random.Read(columns[1])
		class := int(random.Uint64() & 1)
		copy(secrets, columns[0])
		subtle.ConstantTimeCopy(class, secrets, columns[1])
		randomKeys(random, keys)
		random.Read(messages)
		do := op.prepare(secrets, keys)
		before := time.Now()
		do()
		samples = append(samples, sample{class, time.Since(before)})
	}
	v, kept := welch(samples)
	name, verdict := "none", "nothing seen"
	if fixed != nil {
		name = fmt.Sprintf("…%x", fixed[31:])
	}
	switch {
	case math.Abs(v) > seen:
		verdict = "A LEAK"
	case math.Abs(v) >= unseen:
		verdict = "unclear"
	}
	t.Logf("%-38s fixed secret %5s: %6d calls, median %v, t = %6.2f of the fastest %3.0f %%: %s",
		op.name, name, len(samples), samples[len(samples)/2].time.Round(time.Microsecond),
		v, 100*kept, verdict)
	return v
}

// randomKeys fills keys with the encodings of random public keys.
func randomKeys(random *rand.ChaCha8, keys []byte) {
	n := len(keys) / 33
	if n == 0 {
		return
	}
	secrets := make([]byte, 32*n)
	random.Read(secrets)
	r := batch.SecretRows{Secrets: batch.Packed(secrets, 32)}
	must(r.PublicKeys(bg, keys, verdicts[:n], one))
}

// welch sorts the samples by time. It computes Welch's t for all samples, and for the fastest ones
// up to each of 100 percentiles, dudect's, since other work on the machine makes calls slow. It
// returns the t with the greatest absolute value, and the part of the samples that it is for.
func welch(samples []sample) (value, kept float64) {
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.time, b.time) })
	n, center := len(samples), samples[len(samples)/2].time
	var classes [2]moments
	next := 1 // the next percentile is that of 1 - 2^(-next/10)
	for i, s := range samples {
		classes[s.class].add(float64(s.time - center))
		cut := int(float64(n) * (1 - math.Exp2(-float64(next)/10)))
		if i+1 < n && (i+1 < cut || next > 100) {
			continue
		}
		next++
		a, b := &classes[0], &classes[1]
		v := (a.mean() - b.mean()) / math.Sqrt(a.variance()/a.n+b.variance()/b.n)
		if math.Abs(v) > math.Abs(value) {
			value, kept = v, float64(i+1)/float64(n)
		}
	}
	return value, kept
}

// A moments holds the number of times, their sum, and the sum of their squares.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) {
	m.n++
	m.sum += x
	m.squares += x * x
}

func (m *moments) mean() float64 { return m.sum / m.n }

// variance returns the unbiased estimate of the variance.
func (m *moments) variance() float64 { return (m.squares - m.sum*m.mean()) / (m.n - 1) }
