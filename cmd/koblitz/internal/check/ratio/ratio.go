// Package ratio is for benchmarks of readers. It measures the share of package batch's rate that
// remains when the rows are read from a file: parsing, hashing, second verifications and the report
// take time too.
package ratio

//ci:untested The benchmarks of readers run it.

import (
	"bytes"
	"context"
	"iter"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// workers is the number of goroutines that verify, in both measurements.
const workers = 2

// Measure checks data, whose rows must be valid and of one scheme, and verifies the same rows with
// package batch. It alternates between the two. It reports the rate of the check divided by the
// rate of package batch, in elapsed time (ratio) and in CPU time (CPU-ratio). It also reports the
// time of the check per row.
func Measure(b *testing.B, data []byte, open func(rows.Source) rows.Reader) {
	b.Helper()
	measure(b, data, open, true)
}

// MeasureBad does the same as Measure for rows that are well formed and invalid. Package batch
// verifies them without batch equations.
func MeasureBad(b *testing.B, data []byte, open func(rows.Source) rows.Reader) {
	b.Helper()
	measure(b, data, open, false)
}

func measure(b *testing.B, data []byte, open func(rows.Source) rows.Reader, good bool) {
	source := func() rows.Reader { return open(rows.Source{Name: "f", Reader: bytes.NewReader(data)}) }
	all := read(b, source())
	valid := 0
	if good {
		valid = all.n
	}
	Compare(b, all.n, func() { all.verify(b, valid) }, func() {
		t := check.Run(b.Context(), check.Config{Workers: workers, MaxFailures: 1},
			only(source()), silent{})
		if good := t.Valid + t.Recovered; good != int64(valid) || t.Rows() != int64(all.n) {
			b.Fatalf("%+v, want %d good of %d rows", t, valid, all.n)
		}
	})
}

// Compare does the same as Measure for two functions that each process n rows: alone only verifies,
// and check does the whole check.
func Compare(b *testing.B, n int, alone, check func()) {
	var a, c times
	for b.Loop() {
		c.add(check)
		a.add(alone)
	}
	b.ReportMetric(a.wall.Seconds()/c.wall.Seconds(), "ratio")
	if c.cpu > 0 {
		b.ReportMetric(a.cpu.Seconds()/c.cpu.Seconds(), "CPU-ratio")
	}
	b.ReportMetric(float64(c.wall.Nanoseconds())/float64(b.N*n), "ns/row")
	b.ReportMetric(0, "ns/op")
}

// times holds the elapsed time and the CPU time of a function call.
type times struct{ wall, cpu time.Duration }

func (t *times) add(f func()) {
	begin, cpu := time.Now(), cpuTime()
	f()
	t.wall += time.Since(begin)
	t.cpu += cpuTime() - cpu
}

func only(r rows.Reader) iter.Seq2[rows.Reader, error] {
	return func(yield func(rows.Reader, error) bool) { yield(r, nil) }
}

// A silent is a Reporter that drops all reports.
type silent struct{}

func (silent) Failure(*check.Failure)        {}
func (silent) Sender(*check.Sender)          {}
func (silent) Unreadable(error)              {}
func (silent) Fault(error)                   {}
func (silent) Progress(*check.Totals, int64) {}

// columns holds all rows of a file, in the form that package batch takes.
type columns struct {
	scheme              rows.Scheme
	n, key              int
	digests, keys, sigs []byte
}

// read reads all rows from r into columns.
func read(b *testing.B, r rows.Reader) *columns {
	c := &columns{}
	for {
		batch, err := r.Next()
		if err != nil {
			return c
		}
		batch.Expand(func(u *rows.Unit) {
			if len(u.Signatures) != 1 || u.Decided != rows.Unchecked ||
				u.Scheme == rows.ECDSA && !u.Compact {
				b.Fatalf("not a row of a batch: %+v", u)
			}
			c.n++
			c.scheme = u.Scheme
			c.digests = append(c.digests, u.Signatures[0].Digest[:]...)
			c.sigs = append(c.sigs, u.Signatures[0].Sig...)
			if u.Scheme != rows.Recover {
				c.keys = append(c.keys, u.Keys[0]...)
				c.key = len(u.Keys[0])
			}
		})
	}
}

func (c *columns) verify(b *testing.B, valid int) {
	verdicts := make([]batch.Verdict, c.n)
	digests, keys := batch.Packed(c.digests, 32), batch.EncodedKeys(batch.Packed(c.keys, c.key))
	options := &batch.Options{Workers: workers}
	var n int
	var err error
	switch ctx := context.Background(); c.scheme {
	case rows.Schnorr:
		r := batch.SchnorrRows{Messages: digests, Keys: keys, Signatures: batch.Packed(c.sigs, 64)}
		options.Exact = valid == 0
		n, err = r.Verify(ctx, verdicts, options)
	case rows.ECDSA:
		r := batch.ECDSARows{Hashes: digests, Keys: keys, Signatures: batch.Packed(c.sigs, 64),
			S: batch.AnyS}
		n, err = r.Verify(ctx, verdicts, options)
	case rows.Recover:
		r := batch.RecoverRows{Hashes: digests, Signatures: batch.Packed(c.sigs, 65), S: batch.AnyS}
		n, err = r.EthereumAddresses(ctx, make([]byte, 20*c.n), verdicts, options)
	}
	if err != nil || n != valid {
		b.Fatalf("%d of %d rows, %v", n, c.n, err)
	}
}
