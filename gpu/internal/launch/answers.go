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

// A sample holds rows for calls of all kinds: signatures, and the scalars, hashes and keys that
// they were made from.
type sample struct {
	scalars, hashes, keys, xonly, sigs65, schnorr, challenges []byte

	// The set of prepared keys, which ends with an empty entry; for each row its index into the
	// set; and the rows' signatures under the keys of the set.
	set, numbers, setSigs64, setSchnorr []byte
}

// newSample returns a sample of n valid rows, the same rows every time.
func newSample(n int) (*sample, error) {
	s := new(sample)
	// A fixed Aux makes the signatures the same every time.
	bip340 := &schnorr.SignOptions{Aux: make([]byte, 32), Unchecked: true}
	ecdsaOptions := &ecdsa.SignOptions{Unchecked: true}
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
		// This private key is derived from a constant text, so it is public.
		scalar := digest("koblitz: a known answer's key", i)
		hash := digest("koblitz: a known answer's message", i)
		key, err := koblitz.ParsePrivateKey(scalar)
		if err != nil {
			return nil, err
		}
		sig65, err := ecdsa.SignRecoverable(key, hash, ecdsaOptions)
		if err != nil {
			return nil, err
		}
		sig, err := schnorr.Sign(key, hash, bip340)
		if err != nil {
			return nil, err
		}
		xonly := key.XOnlyPublicKey().Bytes()
		s.scalars = append(s.scalars, scalar...)
		s.hashes = append(s.hashes, hash...)
		s.keys = append(s.keys, key.PublicKey().Bytes()...)
		s.xonly = append(s.xonly, xonly...)
		s.sigs65 = append(s.sigs65, sig65...)
		s.schnorr = append(s.schnorr, sig...)
		s.challenges = append(s.challenges, challenge(sig[:32], xonly, hash)...)

		number := i % sampleKeys
		s.numbers = binary.LittleEndian.AppendUint32(s.numbers, uint32(number))
		if sig65, err = ecdsa.SignRecoverable(set[number], hash, ecdsaOptions); err != nil {
			return nil, err
		}
		s.setSigs64 = append(s.setSigs64, sig65[:64]...)
		if sig, err = schnorr.Sign(set[number], hash, bip340); err != nil {
			return nil, err
		}
		s.setSchnorr = append(s.setSchnorr, sig...)
	}
	return s, nil
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

// spoil makes some rows of the sample invalid. It covers most of the ways in which a row can be
// invalid.
func (s *sample) spoil() error {
	ones := bytes.Repeat([]byte{0xff}, 32)
	for i := range len(s.hashes) / 32 {
		scalar, hash := s.scalars[32*i:][:32], s.hashes[32*i:][:32]
		key, xonly := s.keys[33*i:][:33], s.xonly[32*i:][:32]
		sig65, sig := s.sigs65[65*i:][:65], s.schnorr[64*i:][:64]
		number := s.numbers[4*i:][:4]
		setSig, setSchnorr := s.setSigs64[64*i:][:64], s.setSchnorr[64*i:][:64]
		switch i % 16 {
		case 1: // wrong messages
			hash[i%32] ^= 1
			s.challenges[32*i+i%32] ^= 1
		case 3: // wrong nonces
			for _, b := range [][]byte{sig65, sig, setSig, setSchnorr} {
				b[i%32] ^= 1
			}
		case 5: // wrong keys, some of which are not on the curve
			key[1+i%32] ^= 1
			xonly[i%32] ^= 1
			number[0] ^= 1
		case 7: // numbers not below n and p
			copy(scalar, ones)
			copy(key[1:], ones)
			copy(xonly, ones)
			copy(number, ones)
			for _, b := range [][]byte{sig65, sig, setSig, setSchnorr} {
				copy(b[32*(i/16%2):], ones)
			}
		case 9: // zeros
			clear(scalar)
			for _, b := range [][]byte{sig65, sig, setSig, setSchnorr} {
				clear(b[32*(i/16%2):][:32])
			}
		case 11: // wrong parities and recovery ids
			key[0] ^= 1
			sig65[64] ^= 1
		case 13: // parities and recovery ids out of range
			key[0] = byte(i)
			sig65[64] = 4
			binary.LittleEndian.PutUint32(number, uint32(sampleKeys+i/16%2))
		case 15: // the negated s, which is high in ECDSA
			sig65[64] ^= 1
			for _, b := range [][]byte{sig65, sig, setSig, setSchnorr} {
				if err := negate(b[32:64]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// negate replaces a scalar of 32 bytes by its negative modulo n.
func negate(b []byte) error {
	k, err := new(group.Scalar).SetBytes(b)
	if err != nil {
		return err
	}
	copy(b, k.Negate(k).Bytes())
	return nil
}

// call returns a call of kind k on n rows. It repeats the rows of the sample if n is larger.
func (s *sample) call(k device.Kind, n int) *device.Call {
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
	}
	if hasEquation(c) {
		c.Verdicts = c.Verdicts[:1]
	}
	if p, _ := programOf(k); p.out {
		c.Results = make([]byte, n*k.ResultSize())
	}
	return c
}

// calls returns calls of all kinds and rules on n rows.
func (s *sample) calls(n int) (list []*device.Call) {
	for _, k := range kinds() {
		list = append(list, s.call(k, n))
		switch k {
		case device.ECDSA:
			ids := s.call(k, n)
			ids.Rules = device.LowS
			ids.Columns[3] = device.Column{Data: ids.Columns[2].Data[64:], Stride: 65}
			list = append(list, ids)
		case device.Recover, device.RecoverAddress, device.PreparedECDSA:
			low := s.call(k, n)
			low.Rules = device.LowS
			list = append(list, low)
		}
	}
	return list
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

// rowAnswers checks the device's answers to calls with a verdict for each row. Some of the rows
// reach the exceptional cases of the addition formulas.
func (e *Engine) rowAnswers(ctx context.Context) error {
	s, err := newSample(answerRows)
	if err != nil {
		return err
	}
	if err := errors.Join(s.spoil(), s.meet(e.bits)); err != nil {
		return err
	}
	for _, c := range s.calls(answerRows) {
		want := *c
		want.Verdicts = make([]device.Verdict, c.Rows)
		want.Results = bytes.Clone(c.Results)
		if err := cpu.Do(ctx, &want, nil); err != nil {
			return err
		}
		if err := e.ask(ctx, c, &want); err != nil {
			return err
		}
		if len(c.Keys) > 0 {
			// Run the call again without memory for tables of keys. Then restore the memory, and
			// set the number of rows after which calls make tables.
			memory := e.keys.memory
			e.keys.memory = 0
			err := e.ask(ctx, c, &want)
			e.keys.memory, e.keys.least = memory, keyRows
			if err != nil {
				return err
			}
		}
		if c.Kind != device.Schnorr {
			continue
		}
		// Replace the messages by challenges. The verdicts must be the same.
		hashed := *c
		hashed.Rules, hashed.Verdicts = device.Hashed, make([]device.Verdict, c.Rows)
		hashed.Columns[0].Data = bytes.Clone(s.challenges)
		if err := e.ask(ctx, &hashed, &want); err != nil {
			return err
		}
	}
	return nil
}

// ask has the device carry out c, and returns an error unless its verdicts and results equal those
// of want.
func (e *Engine) ask(ctx context.Context, c, want *device.Call) error {
	p, _ := programOf(c.Kind)
	if err := e.run(ctx, c, &p); err != nil {
		return err
	}
	size := c.Kind.ResultSize()
	for i, v := range c.Verdicts {
		if v == device.Unchecked && meets(i) {
			continue // the host must decide rows that reach an exception
		}
		if v != want.Verdicts[i] {
			return fmt.Errorf("%w: %s: verdict %d of row %d, which has %d", ErrAnswer, p.kernel, v, i,
				want.Verdicts[i])
		}
		if size > 0 && !bytes.Equal(c.Results[size*i:][:size], want.Results[size*i:][:size]) {
			return fmt.Errorf("%w: %s: another key or address", ErrAnswer, p.kernel)
		}
	}
	return nil
}

// badRows is the number of rows in a known equation with one bad row. In each such equation a
// different row is bad.
const badRows = 16

// equationAnswers checks the device's verdicts on equations with known verdicts. Their rows are:
// all valid; one row repeated; valid except for one bad row of each sort; and valid except for two
// bad rows whose errors cancel out unless the rows' coefficients differ.
func (e *Engine) equationAnswers(ctx context.Context) error {
	good, err := newSample(answerRows)
	if err != nil {
		return err
	}
	bad, err := newSample(badRows)
	if err == nil {
		err = bad.spoil()
	}
	if err != nil {
		return err
	}
	for k := range equationKinds {
		calls := []*device.Call{good.call(k, answerRows), sameRows(good.call(k, badRows))}
		for i := 1; i < badRows; i += 2 {
			c := good.call(k, badRows)
			copyRow(c, bad.call(k, badRows), i, i)
			calls = append(calls, c)
		}
		calls = append(calls, cancelling(good.call(k, badRows)))
		for _, c := range calls {
			want := *c
			want.Verdicts = make([]device.Verdict, 1)
			if err := cpu.Do(ctx, &want, nil); err != nil {
				return err
			}
			if err := e.reduced(ctx, c); err != nil {
				return err
			}
			if (c.Verdicts[0] == device.Valid) != (want.Verdicts[0] == device.Valid) {
				return fmt.Errorf("%w: verdict %d of an equation of kind %d, which has %d", ErrAnswer,
					c.Verdicts[0], k, want.Verdicts[0])
			}
		}
	}
	return nil
}

// copyRow replaces row i of the call dst by row j of the call src, which has the same kind.
func copyRow(dst, src *device.Call, i, j int) {
	p, _ := programOf(equationKinds[dst.Kind])
	for k, width := range p.widths {
		a, b := &dst.Columns[k], &src.Columns[k]
		copy(a.Data[i*a.Stride:][:width], b.Data[j*b.Stride:])
	}
}

// sameRows replaces all rows of c by its first row, and returns c.
func sameRows(c *device.Call) *device.Call {
	for i := 1; i < c.Rows; i++ {
		copyRow(c, c, i, 0)
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
