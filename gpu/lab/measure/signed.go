package measure

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

const (
	// mostSigned is the greatest number of different rows, each with its own key and message.
	// Longer calls repeat these rows.
	mostSigned = 1 << 16
	// One in badEach rows is invalid, in calls with a verdict for each row. Invalid rows are rare,
	// so that the time that the CPU needs for them does not matter.
	badEach = 4096
)

// hostWork is the key of the value that WithHostWork adds to a context.
type hostWork struct{}

// WithHostWork returns a context in which signing rows, and each call on the CPU, take the time d
// longer. It serves tests with a simulated clock, by which the CPU's work takes no time.
func WithHostWork(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, hostWork{}, d)
}

// sleep waits for the time that WithHostWork has added.
func sleep(ctx context.Context) {
	if d, ok := ctx.Value(hostWork{}).(time.Duration); ok {
		time.Sleep(d)
	}
}

// onHost carries out a call on the CPU.
func onHost(ctx context.Context, c *device.Call) error {
	sleep(ctx)
	return cpu.Do(ctx, c, nil)
}

// A signed holds signed rows, and the private keys of these rows.
type signed struct {
	n                                              int
	scalars, hashes, keys, xonly, sigs65, schnorrs []byte
}

// newSigned returns n valid rows. The private keys are the scalars of the inputs, which are not
// secret.
func newSigned(ctx context.Context, in *inputs, n int) (*signed, error) {
	s := &signed{n: n, scalars: make([]byte, 32*n), hashes: make([]byte, 32*n),
		keys: make([]byte, 33*n), xonly: make([]byte, 32*n), sigs65: make([]byte, 65*n),
		schnorrs: make([]byte, 64*n)}
	for i := range n {
		in.scalars()[i].put(s.scalars[32*i:])
	}
	_, _ = in.random("messages").Read(s.hashes) // never fails
	sleep(ctx)
	var all sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	failures := make([]error, workers)
	for w := range workers {
		all.Go(func() {
			for i := w; i < n && ctx.Err() == nil && failures[w] == nil; i += workers {
				failures[w] = s.sign(i)
			}
		})
	}
	all.Wait()
	return s, errors.Join(append(failures, ctx.Err())...)
}

// sign makes row i from its private key and its message.
func (s *signed) sign(i int) error {
	key, err := koblitz.ParsePrivateKey(s.scalars[32*i:][:32])
	if err != nil {
		return err
	}
	hash := s.hashes[32*i:][:32]
	sig65, err := ecdsa.SignRecoverable(key, hash, &ecdsa.SignOptions{Unchecked: true})
	if err != nil {
		return err
	}
	sig, err := schnorr.Sign(key, hash, &schnorr.SignOptions{Unchecked: true})
	if err != nil {
		return err
	}
	copy(s.keys[33*i:], key.PublicKey().Bytes())
	copy(s.xonly[32*i:], key.XOnlyPublicKey().Bytes())
	copy(s.sigs65[65*i:], sig65)
	copy(s.schnorrs[64*i:], sig)
	return nil
}

// cycled returns n values of a column of s. If s has fewer, it repeats them.
func (s *signed) cycled(data []byte, width, n int) []byte {
	times := (n + s.n - 1) / s.n
	return bytes.Repeat(data, times)[:n*width]
}

// A workload is a call on n rows with the expected answer.
type workload struct {
	kind     device.Kind
	n        int
	cols     [4]device.Column
	verdicts []device.Verdict // for the rows before they repeat, or one for the whole call
	out      []byte           // expected results of the same rows or call; nil if there are none
}

// call returns a call on the first n rows of w.
func (w *workload) call(n int) *device.Call {
	c := &device.Call{Kind: w.kind, Rows: n, Columns: w.cols}
	switch {
	case w.kind == device.Sum:
		c.Verdicts, c.Results = make([]device.Verdict, 1), make([]byte, 64)
	case w.single():
		c.Verdicts = make([]device.Verdict, 1)
	default:
		c.Verdicts = make([]device.Verdict, n)
		if size := w.kind.ResultSize(); size > 0 {
			c.Results = make([]byte, n*size)
		}
	}
	return c
}

// single reports whether the call has one verdict for all rows.
func (w *workload) single() bool {
	return w.kind == device.Sum || w.kind == device.AllSchnorr || w.kind == device.AllECDSA
}

// verify compares verdicts and results with the expected ones. A row that the device left Unchecked
// is an error too, since none of these rows reaches an exception of the formulas.
func (w *workload) verify(verdicts []device.Verdict, out []byte) error {
	period := len(w.verdicts)
	for i, v := range verdicts {
		if v != w.verdicts[i%period] {
			return &wrongVerdict{i, v, w.verdicts[i%period]}
		}
	}
	if w.out == nil {
		return nil
	}
	for at := 0; at < len(out); at += len(w.out) {
		part := out[at:min(at+len(w.out), len(out))]
		if !bytes.Equal(part, w.out[:len(part)]) {
			return ErrResult
		}
	}
	return nil
}

// workload returns a call of a kind on n rows, together with the CPU's answer.
func (s *signed) workload(
	ctx context.Context, in *inputs, kind device.Kind, n int,
) (*workload, error) {
	w := &workload{kind: kind, n: n}
	column := func(data []byte, width int) device.Column {
		return device.Column{Data: s.cycled(data, width, n), Stride: width}
	}
	hashes := bytes.Clone(s.hashes)
	if kind != device.AllSchnorr && kind != device.AllECDSA {
		for i := min(badEach, s.n) / 3; i < s.n; i += badEach {
			hashes[32*i] ^= 1
		}
	}
	switch kind {
	case device.ECDSA, device.AllECDSA:
		sigs := column(s.sigs65, 65)
		w.cols = [4]device.Column{column(hashes, 32), column(s.keys, 33), sigs}
		if kind == device.AllECDSA {
			w.cols[3] = device.Column{Data: sigs.Data[64:], Stride: 65}
		}
	case device.Schnorr, device.AllSchnorr:
		w.cols = [4]device.Column{column(hashes, 32), column(s.xonly, 32), column(s.schnorrs, 64)}
	case device.Recover, device.RecoverAddress:
		w.cols = [4]device.Column{column(hashes, 32), column(s.sigs65, 65)}
	case device.Decompress:
		w.cols = [4]device.Column{column(s.keys, 33)}
	case device.PublicKeys:
		w.cols = [4]device.Column{column(s.scalars, 32)}
	case device.Sum:
		w.sum(in)
		return w, nil
	}
	if w.single() {
		w.verdicts = []device.Verdict{device.Valid}
		return w, nil
	}
	period := min(n, s.n)
	c := w.call(period)
	if err := onHost(ctx, c); err != nil {
		return nil, err
	}
	w.verdicts, w.out = c.Verdicts, c.Results
	return w, nil
}

// sum makes w the sum of all products of a scalar and a point of the inputs. The CPU computes the
// expected result from the points' discrete logarithms.
func (w *workload) sum(in *inputs) {
	scalars, points := make([]byte, 32*w.n), make([]byte, 64*w.n)
	total := new(group.Scalar)
	for i := range w.n {
		k := logScalar(in, i)
		in.scalars()[i].put(scalars[32*i:])
		putPoint(points[64*i:], &in.p().points[i])
		total.Add(total, k.Mul(k, in.p().log(i)))
	}
	p := timesG(total)
	w.out = make([]byte, 64)
	putPoint(w.out, &p)
	w.verdicts = []device.Verdict{device.Valid}
	w.cols = [4]device.Column{{Data: scalars, Stride: 32}, {Data: points, Stride: 64}}
}

func putPoint(b []byte, p *[2]words) {
	p[0].put(b)
	p[1].put(b[32:])
}
