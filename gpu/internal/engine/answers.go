package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

// answerRows is the number of rows that a device is asked about when it is opened: a whole
// group, and a part of one.
const answerRows = driver.Group + 37

// sampleKeys is the number of prepared keys, of which each signs some rows.
const sampleKeys = 8

// A sample is rows of signatures and of what they are made of: the fields of all kinds.
type sample struct {
	scalars, hashes, keys, xonly, sigs65, schnorr, challenges []byte

	// The set of prepared keys, behind which there is a place without a key, numbers of its
	// keys, and signatures by them.
	set, numbers, setSigs64, setSchnorr []byte
}

// newSample returns n good rows, always the same ones.
func newSample(n int) (*sample, error) {
	s := new(sample)
	// Without Aux, signatures would be others each time.
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
		// Nothing is secret about these keys.
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

// setSecret returns the secret of a prepared key, about which nothing is secret.
func setSecret(number int) []byte {
	return digest("koblitz: a known answer's prepared key", number)
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
		number := s.numbers[4*i:][:4]
		setSig, setSchnorr := s.setSigs64[64*i:][:64], s.setSchnorr[64*i:][:64]
		switch i % 16 {
		case 1: // other messages
			hash[i%32] ^= 1
			s.challenges[32*i+i%32] ^= 1
		case 3: // other nonces
			for _, b := range [][]byte{sig65, sig, setSig, setSchnorr} {
				b[i%32] ^= 1
			}
		case 5: // other keys, some of which do not exist
			key[1+i%32] ^= 1
			xonly[i%32] ^= 1
			number[0] ^= 1
		case 7: // above the order and the modulus
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
		case 11: // other parities and ids
			key[0] ^= 1
			sig65[64] ^= 1
		case 13: // parities and ids that there are not
			key[0] = byte(i)
			sig65[64] = 4
			binary.LittleEndian.PutUint32(number, uint32(sampleKeys+i/16%2))
		case 15: // the opposite s, which is high in ECDSA
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

// negate sets a scalar of 32 bytes to its opposite.
func negate(b []byte) error {
	k, err := new(group.Scalar).SetBytes(b)
	if err != nil {
		return err
	}
	copy(b, k.Negate(k).Bytes())
	return nil
}

// call returns the call of a kind on n rows, which are the sample's over and over.
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

// calls returns calls of all kinds and flags.
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

// answers asks the device about rows of which the host knows the verdicts and results, and
// returns an error if they differ. Some of them meet exceptions.
func (e *Engine) answers(ctx context.Context) error {
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
			// Once more without tables, and then as it is to be.
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
		// The verdicts are those of the challenges that are hashes of the same rows.
		hashed := *c
		hashed.Rules, hashed.Verdicts = device.Hashed, make([]device.Verdict, c.Rows)
		hashed.Columns[0].Data = bytes.Clone(s.challenges)
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
	size := c.Kind.ResultSize()
	for i, v := range c.Verdicts {
		if v == device.Unchecked && meets(i) {
			continue // as it should
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
