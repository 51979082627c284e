package gpu

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
)

// compareSums computes hostile sums of n terms on a device, directly and through package msm, and
// compares the results with the expected ones.
func compareSums(t *testing.T, d *device.Device, n int) {
	t.Helper()
	e := d.Engine()
	for _, s := range hostile.Sums(n) {
		c := s.Call()
		if err := e.Run(t.Context(), c); err != nil {
			t.Error(err)
		}
		if err := s.Check(c); err != nil {
			t.Error(err)
		}
		count := newCounted(t, e)
		sum, err := msm.PackedSumVartime(t.Context(), s.Scalars, s.Points,
			&msm.Options{Device: count.device})
		if count.rows.Load() != int64(n) || count.failed.Load() != 0 {
			t.Errorf("%s: the device was asked about %d terms, and failed %d times", s.What,
				count.rows.Load(), count.failed.Load())
		}
		if s.Malformed != (err != nil) || err == nil && !bytes.Equal(encoded(t, &sum), s.Want[:]) {
			t.Errorf("%s: %x, %v", s.What, encoded(t, &sum), err)
		}
	}
}

// TestAccumulator checks that an Accumulator with an OpenCL device has the right sum, if the device
// computes the large calls and the Accumulator keeps the terms of the small ones.
func TestAccumulator(t *testing.T) {
	d := openCL(t, From(100), OnError(func(err error) { t.Error(err) }))
	count := newCounted(t, d.Engine())
	a := msm.NewAccumulator(&msm.Options{Device: count.device})
	r := rand.New(rand.NewPCG(78, 79))
	var log group.Scalar
	for _, n := range []int{150, 40, 100, 99} {
		scalars, points := make([]group.Scalar, n), make([]group.Point, n)
		for i := range n {
			var k group.Scalar
			k.SetUint64(r.Uint64())
			points[i].ScalarBaseMult(&k)
			scalars[i].SetUint64(r.Uint64())
			log.Add(&log, k.Mul(&k, &scalars[i]))
		}
		if err := a.AddVartime(t.Context(), scalars, points); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := a.SumVartime(t.Context())
	if err != nil || !sum.Equal(new(group.Point).ScalarBaseMult(&log)) {
		t.Errorf("another sum, %v", err)
	}
	if rows := count.rows.Load(); rows != 250 || count.failed.Load() != 0 {
		t.Errorf("the device was asked about %d terms of 250, and failed %d times", rows,
			count.failed.Load())
	}
}

// encoded returns both coordinates of a point, or zeros for the identity.
func encoded(t *testing.T, p *group.Point) []byte {
	if p.IsIdentity() {
		return make([]byte, 64)
	}
	key, err := p.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return key.UncompressedBytes()[1:]
}

// TestSums checks that an OpenCL device computes the right sums of valid and hostile terms.
func TestSums(t *testing.T) {
	d := openCL(t, From(1), OnError(func(err error) { t.Error(err) }))
	for _, n := range []int{1, 3, 200} {
		compareSums(t, d, n)
	}
}

// terms returns n terms, whose scalars are hashes and whose points repeat.
func terms(t *testing.T, n int) (scalars, points []byte) {
	t.Helper()
	var few []byte
	for i := range 16 {
		h := digest(i)
		key, err := koblitz.ParsePrivateKey(h[:])
		if err != nil {
			t.Fatal(err)
		}
		few = append(few, key.PublicKey().UncompressedBytes()[1:]...)
	}
	for i := range n {
		h := digest(i + 1000)
		h[0] &= 0x7f
		scalars = append(scalars, h[:]...)
		points = append(points, few[64*int(h[31]%16):][:64]...)
	}
	return scalars, points
}

func digest(i int) [32]byte { return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i))) }

// TestLongSums checks that an OpenCL device computes the host's results for sums of thousands of
// terms, in one part and in several.
func TestLongSums(t *testing.T) {
	failed := OnError(func(err error) { t.Error(err) })
	scalars, points := terms(t, 12345)
	want, err := msm.PackedSumVartime(t.Context(), scalars, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*device.Device{
		openCL(t, From(1), failed),
		openCL(t, From(1), failed, MemoryLimit(1<<20)),
	} {
		count := newCounted(t, d.Engine())
		got, err := msm.PackedSumVartime(t.Context(), scalars, points,
			&msm.Options{Device: count.device})
		if err != nil || !got.Equal(&want) || count.failed.Load() != 0 || count.decided.Load() != 1 {
			t.Errorf("another sum: %v, failed %d times", err, count.failed.Load())
		}
	}
}
