package launch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

// answerRows is the number of rows in a call with known answers: one whole group and a part of a
// second one.
const answerRows = driver.Group + 37

// sampleKeys is the number of prepared keys. Each of them signs some of the rows.
const sampleKeys = 8

// A Sample holds rows for calls of all kinds: signatures, and the scalars, hashes and keys that
// they were made from.
type Sample struct {
	scalars, hashes, points, keys, xonly, sigs65, schnorr []byte

	// The set of prepared keys, which ends with an empty entry; for each row its index into the
	// set; and the rows' signatures under the keys of the set.
	set, numbers, setSigs64, setSchnorr []byte
}

// NewSample returns a Sample of n valid rows, the same rows every time.
func NewSample(ctx context.Context, n int) (*Sample, error) {
	s := new(Sample)
	var set [sampleKeys]*koblitz.PrivateKey
	for i := range set {
		key, err := koblitz.ParsePrivateKey(setSecret(i))
		if err != nil {
			return nil, err
		}
		set[i] = key
		s.set = append(s.set, key.PublicKey().UncompressedBytes()[1:]...)
	}
	s.set = append(s.set, make([]byte, device.PointSize)...)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// This private key is derived from a constant text, so it is public.
		scalar := digest("koblitz: a known answer's key", i)
		hash := digest("koblitz: a known answer's message", i)
		key, err := koblitz.ParsePrivateKey(scalar)
		if err != nil {
			return nil, err
		}
		sig65, sig, err := sign(key, hash)
		if err != nil {
			return nil, err
		}
		s.scalars = append(s.scalars, scalar...)
		s.hashes = append(s.hashes, hash...)
		s.points = append(s.points, key.PublicKey().UncompressedBytes()[1:]...)
		s.keys = append(s.keys, key.PublicKey().Bytes()...)
		s.xonly = append(s.xonly, key.XOnlyPublicKey().Bytes()...)
		s.sigs65 = append(s.sigs65, sig65...)
		s.schnorr = append(s.schnorr, sig...)

		number := i % sampleKeys
		if sig65, sig, err = sign(set[number], hash); err != nil {
			return nil, err
		}
		s.numbers = binary.LittleEndian.AppendUint32(s.numbers, uint32(number))
		s.setSigs64 = append(s.setSigs64, sig65[:64]...)
		s.setSchnorr = append(s.setSchnorr, sig...)
	}
	return s, nil
}

// sign returns an ECDSA and a BIP-340 signature, the same every time.
func sign(key *koblitz.PrivateKey, hash []byte) (sig65, sig []byte, err error) {
	if sig65, err = ecdsa.SignRecoverable(key, hash, &ecdsa.SignOptions{Unchecked: true}); err == nil {
		// The fixed Aux makes the signature the same every time.
		aux := make([]byte, 32)
		sig, err = schnorr.Sign(key, hash, &schnorr.SignOptions{Aux: aux, Unchecked: true})
	}
	return sig65, sig, err
}

// setSecret returns the private key that belongs to a prepared key. It is a public constant.
func setSecret(number int) []byte {
	return digest("koblitz: a known answer's prepared key", number)
}

// digest returns a hash of label and i, for use as a random-looking value.
func digest(label string, i int) []byte {
	h := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(label), uint64(i)))
	return h[:]
}

// challenge returns the BIP-340 challenge of a signature with nonce r.
func challenge(r, key, message []byte) []byte {
	tag := sha256.Sum256([]byte("BIP0340/challenge"))
	h := sha256.Sum256(slices.Concat(tag[:], tag[:], r, key, message))
	return h[:]
}

// negate replaces a scalar of 32 bytes by its negative modulo n.
func negate(b []byte) { copy(b, new(group.Scalar).Negate(scalarOf(b)).Bytes()) }

// Call returns a call of kind k on n rows. It repeats the rows of s if n is larger.
func (s *Sample) Call(k device.Kind, n int) *device.Call {
	c := &device.Call{Kind: k, Rows: n, Verdicts: make([]device.Verdict, n)}
	column := func(data []byte, width int) device.Column {
		times := (n*width + len(data) - 1) / len(data)
		return device.Column{Data: bytes.Repeat(data, times)[:n*width], Stride: width}
	}
	switch k {
	case device.ECDSA, device.AllECDSA:
		sigs := column(s.sigs65, 65)
		c.Columns = [4]device.Column{column(s.hashes, 32), column(s.keys, 33), sigs}
		if k == device.AllECDSA {
			c.Columns[3] = device.Column{Data: sigs.Data[64:], Stride: 65}
		}
	case device.Schnorr, device.AllSchnorr:
		c.Columns = [4]device.Column{column(s.hashes, 32), column(s.xonly, 32), column(s.schnorr, 64)}
	case device.PreparedECDSA:
		c.Columns = [4]device.Column{column(s.hashes, 32), column(s.numbers, 4), column(s.setSigs64, 64)}
		c.Keys = s.set
	case device.PreparedSchnorr:
		c.Columns = [4]device.Column{column(s.hashes, 32), column(s.numbers, 4), column(s.setSchnorr, 64)}
		c.Keys = s.set
	case device.Recover, device.RecoverAddress:
		c.Columns = [4]device.Column{column(s.hashes, 32), column(s.sigs65, 65)}
	case device.Decompress:
		c.Columns = [4]device.Column{column(s.keys, 33)}
	case device.PublicKeys:
		c.Columns = [4]device.Column{column(s.scalars, 32)}
	case device.Sum:
		c.Columns = [4]device.Column{column(s.scalars, 32), column(s.points, 64)}
		c.Results = make([]byte, device.PointSize)
	}
	if p, ok := programOf(k); !ok {
		c.Verdicts = c.Verdicts[:1]
	} else if p.out {
		c.Results = make([]byte, n*k.ResultSize())
	}
	return c
}

// answers has the device carry out calls with known verdicts and results, and returns the kinds
// that it can carry out, or an error if an answer differs. If the device has no memory for the
// smallest sum or equation, or for their program, all sums and equations are left to the host.
func (e *Engine) answers(ctx context.Context) (able []device.Kind, err error) {
	if err := e.rowAnswers(ctx); err != nil {
		return nil, err
	}
	able = kinds()
	switch err := e.sumAnswers(ctx); {
	case err == nil:
		able = append(able, device.Sum)
	case !errors.Is(err, driver.ErrMemory):
		return nil, err
	}
	switch err := e.equationAnswers(ctx); {
	case err == nil:
		able = slices.AppendSeq(able, maps.Keys(equationKinds))
	case !errors.Is(err, driver.ErrMemory):
		return nil, err
	}
	return able, nil
}

// rowAnswers checks the device's answers to calls with a verdict for each row. The rows are valid
// except those that reach the exceptional cases of the addition formulas. New of package device
// tries invalid rows and rules, but too few rows for tables of prepared keys. So some rows under
// prepared keys have no key, and some a high s.
func (e *Engine) rowAnswers(ctx context.Context) error {
	s, err := NewSample(ctx, answerRows)
	if err != nil {
		return err
	}
	s.meet(e.bits)
	for i := 0; i < answerRows; i += 16 {
		binary.LittleEndian.PutUint32(s.numbers[4*i:], sampleKeys)
		negate(s.setSigs64[64*(i+1)+32:][:32])
	}
	var calls []*device.Call
	for _, k := range kinds() {
		calls = append(calls, s.Call(k, answerRows))
	}
	low := s.Call(device.PreparedECDSA, answerRows)
	low.Rules = device.LowS
	for _, c := range append(calls, low) {
		if err := e.ask(ctx, c); err != nil {
			return err
		}
	}
	e.keys.least = keyRows // the tables of prepared keys were made without waiting for rows
	return nil
}

// ask has the device carry out c, and returns an error unless its verdicts and results equal the
// CPU's.
func (e *Engine) ask(ctx context.Context, c *device.Call) error {
	want := *c
	want.Verdicts, want.Results = make([]device.Verdict, len(c.Verdicts)), bytes.Clone(c.Results)
	if err := cpu.Do(ctx, &want, nil); err != nil {
		return err
	}
	if err := e.do(ctx, c); err != nil {
		return err
	}
	what := "a sum"
	if p, ok := programOf(c.Kind); ok {
		what = p.kernel
	}
	size := len(c.Results) / len(c.Verdicts)
	for i, v := range c.Verdicts {
		if v == device.Unchecked && meets(i) {
			continue // the host must decide rows that reach an exception
		}
		if v != want.Verdicts[i] {
			return fmt.Errorf("%w: %s: verdict %d of row %d, which has %d", ErrAnswer, what, v, i,
				want.Verdicts[i])
		}
		if !bytes.Equal(c.Results[size*i:][:size], want.Results[size*i:][:size]) {
			return fmt.Errorf("%w: %s: another result", ErrAnswer, what)
		}
	}
	return nil
}

// sumAnswers checks the device's answers to sums that the host knows: a sum of one term; a sum with
// zeros, the identity, the scalar n − 1, and terms that are equal or opposite; and a sum with one
// malformed term.
func (e *Engine) sumAnswers(ctx context.Context) error {
	s, err := NewSample(ctx, answerRows)
	if err != nil {
		return err
	}
	mixed := s.Call(device.Sum, answerRows)
	scalars, points := mixed.Columns[0].Data, mixed.Columns[1].Data
	one := append(make([]byte, 31), 1)
	for i := range answerRows {
		k, q := scalars[32*i:][:32], points[64*i:][:64]
		switch i % 8 {
		case 1:
			clear(q)
		case 3:
			clear(k)
		case 5, 6: // the negative of the term before it, and that term once more
			copy(k, scalars[32*(i-1):])
			copy(q, points[64*(i-1):])
			if i%8 == 5 {
				negate(k)
			}
		case 7:
			copy(k, one)
			negate(k)
		}
	}
	malformed := s.Call(device.Sum, answerRows)
	malformed.Columns[1].Data[64*answerRows-1] ^= 1
	for _, c := range []*device.Call{s.Call(device.Sum, 1), mixed, malformed} {
		if err := e.ask(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// equationRows is the number of rows in the shorter ones of the known equations.
const equationRows = 16

// equationAnswers checks the device's verdicts on equations with known verdicts. Their rows are:
// all valid; one row repeated; and valid except for two bad rows whose errors cancel out unless the
// rows' coefficients differ. New of package device tries equations with one bad row.
func (e *Engine) equationAnswers(ctx context.Context) error {
	s, err := NewSample(ctx, answerRows)
	if err != nil {
		return err
	}
	for k := range equationKinds {
		for _, known := range []struct {
			call  *device.Call
			valid bool
		}{
			{s.Call(k, answerRows), true},
			{sameRows(s.Call(k, equationRows)), true},
			{cancelling(s.Call(k, equationRows)), false},
		} {
			if err := e.do(ctx, known.call); err != nil {
				return err
			}
			if v := known.call.Verdicts[0]; (v == device.Valid) != known.valid {
				return fmt.Errorf("%w: verdict %d of an equation of kind %d", ErrAnswer, v, k)
			}
		}
	}
	return nil
}

// sameRows replaces all rows of c by its first row, and returns c.
func sameRows(c *device.Call) *device.Call {
	p, _ := programOf(equationKinds[c.Kind])
	for k, width := range p.widths {
		col := &c.Columns[k]
		for i := 1; i < c.Rows; i++ {
			copy(col.Data[i*col.Stride:][:width], col.Data)
		}
	}
	return c
}

// cancelling returns c with 1 added to the scalar of G in one row and 1 subtracted from it in
// another. To do this, it changes the message of an ECDSA row, or the signature's s of a BIP-340
// row.
func cancelling(c *device.Call) *device.Call {
	col, at := c.Columns[0], 31
	if c.Kind == device.AllSchnorr {
		col, at = c.Columns[2], 63
	}
	changed := [2]bool{}
	for i := range c.Rows {
		if b := &col.Data[i*col.Stride+at]; !changed[*b&1] {
			changed[*b&1] = true
			*b ^= 1
		}
	}
	return c
}
