package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/schnorr"
)

// answerRows is the number of rows that a device is asked about when it is opened: a whole
// group, and a part of one.
const answerRows = driver.Group + 37

// A sample is rows of signatures and of what they are made of: the fields of all kinds.
type sample struct {
	scalars, hashes, keys, xonly, sigs65, schnorr, challenges []byte
}

// newSample returns n good rows, always the same ones.
func newSample(n int) (*sample, error) {
	s := new(sample)
	for i := range n {
		// Nothing is secret about these keys.
		scalar := digest("koblitz: a known answer's key", i)
		hash := digest("koblitz: a known answer's message", i)
		key, err := koblitz.NewPrivateKey(scalar)
		if err != nil {
			return nil, err
		}
		sig65, err := ecdsa.SignRecoverable(key, hash)
		if err != nil {
			return nil, err
		}
		sig, err := schnorr.Sign(key, hash, nil, schnorr.Unchecked())
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
	}
	return s, nil
}

// digest returns 32 bytes that look random.
func digest(what string, i int) []byte {
	h := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(what), uint64(i)))
	return h[:]
}

// challenge returns the challenge of a signature (BIP-340, default signing and verification).
func challenge(r, key, message []byte) []byte {
	tag := sha256.Sum256([]byte("BIP0340/challenge"))
	h := sha256.Sum256(slices.Concat(tag[:], tag[:], r, key, message))
	return h[:]
}

// spoil makes most sorts of bad rows out of some of the good ones.
func (s *sample) spoil() error {
	ones := bytes.Repeat([]byte{0xff}, 32)
	for i := range len(s.hashes) / 32 {
		scalar, hash := s.scalars[32*i:][:32], s.hashes[32*i:][:32]
		key, xonly := s.keys[33*i:][:33], s.xonly[32*i:][:32]
		sig65, sig := s.sigs65[65*i:][:65], s.schnorr[64*i:][:64]
		switch i % 16 {
		case 1: // other messages
			hash[i%32] ^= 1
			s.challenges[32*i+i%32] ^= 1
		case 3: // other nonces
			sig65[i%32] ^= 1
			sig[i%32] ^= 1
		case 5: // other keys, some of which do not exist
			key[1+i%32] ^= 1
			xonly[i%32] ^= 1
		case 7: // above the order and the modulus
			copy(scalar, ones)
			copy(key[1:], ones)
			copy(xonly, ones)
			copy(sig65[32*(i/16%2):], ones)
			copy(sig[32*(i/16%2):], ones)
		case 9: // zeros
			clear(scalar)
			clear(sig65[32*(i/16%2):][:32])
			clear(sig[32*(i/16%2):][:32])
		case 11: // other parities and ids
			key[0] ^= 1
			sig65[64] ^= 1
		case 13: // parities and ids that there are not
			key[0] = byte(i)
			sig65[64] = 4
		case 15: // the opposite s, which is high in ECDSA
			if err := negate(sig65[32:64]); err != nil {
				return err
			}
			sig65[64] ^= 1
			if err := negate(sig[32:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// negate sets a scalar of 32 bytes to its opposite.
func negate(b []byte) error {
	k, err := new(group.Scalar).SetBytes(b)
	if err != nil {
		return err
	}
	copy(b, k.Neg(k).Bytes())
	return nil
}

// call returns the call of a kind on n rows, which are the sample's over and over.
func (s *sample) call(k device.Kind, n int) *device.Call {
	c := &device.Call{Kind: k, N: n, Verdicts: make([]device.Verdict, n)}
	column := func(data []byte, width int) device.Column {
		times := (n*width + len(data) - 1) / len(data)
		return device.Column{Data: bytes.Repeat(data, times)[:n*width], Stride: width}
	}
	switch k {
	case device.ECDSA, device.AllECDSA:
		sigs := column(s.sigs65, 65)
		c.Cols = [4]device.Column{column(s.hashes, 32), column(s.keys, 33), sigs}
		if k == device.AllECDSA {
			c.Cols[3] = device.Column{Data: sigs.Data[64:], Stride: 65}
		}
	case device.Schnorr, device.AllSchnorr:
		c.Cols = [4]device.Column{column(s.hashes, 32), column(s.xonly, 32), column(s.schnorr, 64)}
	case device.Recover:
		c.Cols = [4]device.Column{column(s.hashes, 32), column(s.sigs65, 65)}
	case device.Decompress:
		c.Cols = [4]device.Column{column(s.keys, 33)}
	case device.PublicKeys:
		c.Cols = [4]device.Column{column(s.scalars, 32)}
	}
	if hasEquation(c) {
		c.Verdicts = c.Verdicts[:1]
	}
	if p, _ := programOf(k); p.out {
		c.Out = make([]byte, n*device.KeySize)
	}
	return c
}

// calls returns calls of all kinds and flags.
func (s *sample) calls(n int) (list []*device.Call) {
	for _, k := range kinds() {
		list = append(list, s.call(k, n))
		switch k {
		case device.ECDSA:
			ids := s.call(k, n)
			ids.LowS = true
			ids.Cols[3] = device.Column{Data: ids.Cols[2].Data[64:], Stride: 65}
			list = append(list, ids)
		case device.Recover:
			low := s.call(k, n)
			low.LowS = true
			list = append(list, low)
		}
	}
	return list
}

// answers asks the device about rows of which the host knows the verdicts and results, and
// returns an error if they differ. The rows meet no exception.
func (e *Engine) answers(ctx context.Context) error {
	s, err := newSample(answerRows)
	if err != nil {
		return err
	}
	if err := s.spoil(); err != nil {
		return err
	}
	for _, c := range s.calls(answerRows) {
		want := *c
		want.Verdicts = make([]device.Verdict, c.N)
		want.Out = bytes.Clone(c.Out)
		if err := onHost(ctx, &want); err != nil {
			return err
		}
		if err := e.ask(ctx, c, &want); err != nil {
			return err
		}
		if c.Kind != device.Schnorr {
			continue
		}
		// The verdicts are those of the challenges that are hashes of the same rows.
		hashed := *c
		hashed.Hashed, hashed.Verdicts = true, make([]device.Verdict, c.N)
		hashed.Cols[0].Data = bytes.Clone(s.challenges)
		if err := e.ask(ctx, &hashed, &want); err != nil {
			return err
		}
	}
	return nil
}

// ask has the device do a call, and compares it with another one.
func (e *Engine) ask(ctx context.Context, c, want *device.Call) error {
	p, _ := programOf(c.Kind)
	if err := e.run(ctx, c, &p); err != nil {
		return err
	}
	for i, v := range c.Verdicts {
		if v != want.Verdicts[i] {
			return fmt.Errorf("%w: %s: verdict %d of row %d, which has %d", ErrAnswer, p.kernel, v, i,
				want.Verdicts[i])
		}
	}
	if !bytes.Equal(c.Out, want.Out) {
		return fmt.Errorf("%w: %s: another key", ErrAnswer, p.kernel)
	}
	return nil
}
