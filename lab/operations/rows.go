package operations

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/msm"
)

// publicOperands holds valid rows: the keys 1·G, 2·G and so on, messages, and signatures.
type publicOperands struct {
	numbers, messages []byte // 32 bytes a row
	keys              []byte // 33 bytes a row
	points            []byte // x and y, 64 bytes a row
	bip340            []byte // 64 bytes a row
	recoverable       []byte // 65 bytes a row

	buf     []byte // for results of up to 65 bytes a row
	scalars []group.Scalar
	sum     []group.Point
	bases   *msm.Bases
	schnorr *batch.Schnorr
	ecdsa   *batch.ECDSA
	queue   *batch.Queue
	key     *koblitz.PublicKey
	sig     *ecdsa.Signature
}

func (p *publicOperands) prepare(n int) {
	if len(p.numbers) == 32*n {
		return
	}
	ctx, verdicts := context.Background(), make([]batch.Verdict, n)
	*p = publicOperands{
		numbers: make([]byte, 32*n), messages: make([]byte, 32*n), keys: make([]byte, 33*n),
		points: make([]byte, 64*n), bip340: make([]byte, 64*n), recoverable: make([]byte, 65*n),
		buf: make([]byte, 65*n), scalars: make([]group.Scalar, n), sum: make([]group.Point, n),
		schnorr: batch.NewSchnorr(n, nil), ecdsa: batch.NewECDSA(n, batch.LowS, nil),
		queue: batch.NewQueue(&batch.QueueOptions{S: batch.LowS}),
	}
	for i := range n {
		binary.BigEndian.PutUint64(p.numbers[32*i+24:], uint64(i+1))
		hash := sha256.Sum256(p.numbers[32*i:][:32])
		copy(p.messages[32*i:], hash[:])
		p.sum[i].ScalarBaseMult(p.scalars[i].SetUint64(uint64(i + 1)))
	}
	secrets, hashes := batch.Packed(p.numbers, 32), batch.Packed(p.messages, 32)
	rows := batch.SecretRows{Secrets: secrets}
	must(rows.PublicKeys(ctx, p.keys, verdicts, nil))
	schnorr := batch.SchnorrSignRows{Secrets: secrets, Messages: hashes, Aux: hashes}
	must(schnorr.Sign(ctx, p.bip340, verdicts, nil))
	ecdsaRows := batch.ECDSASignRows{Secrets: secrets, Hashes: hashes}
	must(ecdsaRows.Sign(ctx, p.recoverable, verdicts, nil))
	for i := range n {
		message := p.messages[32*i:][:32]
		p.schnorr.AddBytes(p.keys[33*i+1:][:32], message, p.bip340[64*i:][:64])
		p.ecdsa.AddBytes(p.keys[33*i:][:33], message, p.recoverable[65*i:][:64])
		key := must(koblitz.ParsePublicKey(p.keys[33*i:][:33]))
		copy(p.points[64*i:], key.UncompressedBytes()[1:])
	}
	p.bases = must(msm.Prepare(p.sum, 1<<20))
	p.key = must(koblitz.ParsePublicKey(p.keys[:33]))
	p.sig = must(ecdsa.ParseSignature(p.recoverable[:64]))
}

func (p *publicOperands) hashes() batch.Column { return batch.Packed(p.messages, 32) }
func (p *publicOperands) keys33() batch.Column { return batch.Packed(p.keys, 33) }
func (p *publicOperands) keys32() batch.Column { return batch.Strided(p.keys[1:], 32, 33) }

func (p *publicOperands) schnorrRows() batch.SchnorrRows {
	return batch.SchnorrRows{Messages: p.hashes(), Keys: batch.EncodedKeys(p.keys32()),
		Signatures: batch.Packed(p.bip340, 64)}
}

func (p *publicOperands) ecdsaRows() batch.ECDSARows {
	return batch.ECDSARows{Hashes: p.hashes(), Keys: batch.EncodedKeys(p.keys33()),
		Signatures: batch.Strided(p.recoverable, 64, 65), S: batch.LowS}
}

func (p *publicOperands) recoverRows() batch.RecoverRows {
	return batch.RecoverRows{Hashes: p.hashes(), Signatures: batch.Packed(p.recoverable, 65),
		S: batch.LowS}
}

func (p *publicOperands) tweakChecks() batch.TweakCheckRows {
	return batch.TweakCheckRows{Keys: p.keys32(), Tweaks: batch.Same(make([]byte, 32)),
		Outputs: p.keys32(), Parities: batch.Same([]byte{0})}
}

// public are the flags of the operations below, which have valid public operands.
const public = Public | Context | Signatures

// rows holds the operations without secrets that take a context.
var rows = []Operation{
	writes("batch.EllswiftRows.XOnlyPublicKeys", 32, func(p *publicOperands) writer {
		return batch.EllswiftRows{Encodings: batch.Packed(p.bip340, 64)}.XOnlyPublicKeys
	}),
	writes("batch.KeyRows.Decompress", 65, func(p *publicOperands) writer {
		return batch.KeyRows{Keys: p.keys33()}.Decompress
	}),
	writes("batch.RecoverRows.EthereumAddresses", 20, func(p *publicOperands) writer {
		return p.recoverRows().EthereumAddresses
	}),
	writes("batch.RecoverRows.Recover", 65, func(p *publicOperands) writer {
		return p.recoverRows().Recover
	}),
	writes("batch.ScalarRows.PublicKeysVartime", 65, func(p *publicOperands) writer {
		return batch.ScalarRows{Scalars: batch.Packed(p.numbers, 32)}.PublicKeysVartime
	}),
	writes("batch.TweakRows.AddVartime", 65, func(p *publicOperands) writer {
		return batch.TweakRows{Keys: p.keys33(), Tweaks: p.hashes()}.AddVartime
	}),

	{"batch.ECDSA.Verify", public, func(o *Operands) error {
		return o.verdicts(o.Rows, func(v []batch.Verdict) (int, error) {
			return o.public.ecdsa.Verify(o.Context, v)
		})
	}},
	{"batch.Schnorr.Verify", public, func(o *Operands) error {
		return o.verdicts(o.Rows, func(v []batch.Verdict) (int, error) {
			return o.public.schnorr.Verify(o.Context, v)
		})
	}},
	verifies("batch.ECDSARows.Verify", func(p *publicOperands) verifier {
		return p.ecdsaRows().Verify
	}),
	verifies("batch.SchnorrRows.Verify", func(p *publicOperands) verifier {
		return p.schnorrRows().Verify
	}),
	verifies("batch.TweakCheckRows.Verify", func(p *publicOperands) verifier {
		return p.tweakChecks().Verify
	}),

	answers("batch.ECDSA.VerifyAll", func(o *Operands) (bool, error) {
		return o.public.ecdsa.VerifyAll(o.Context)
	}),
	answers("batch.Schnorr.VerifyAll", func(o *Operands) (bool, error) {
		return o.public.schnorr.VerifyAll(o.Context)
	}),
	answers("batch.ECDSARows.VerifyAll", func(o *Operands) (bool, error) {
		return o.public.ecdsaRows().VerifyAll(o.Context, o.Rows, o.options())
	}),
	answers("batch.SchnorrRows.VerifyAll", func(o *Operands) (bool, error) {
		return o.public.schnorrRows().VerifyAll(o.Context, o.Rows, o.options())
	}),
	answers("batch.TweakCheckRows.VerifyAll", func(o *Operands) (bool, error) {
		return o.public.tweakChecks().VerifyAll(o.Context, o.Rows, o.options())
	}),

	answers("batch.Queue.ExplainECDSA", func(o *Operands) (bool, error) {
		key, message, sig := o.public.first(33, o.public.recoverable)
		v, _, err := o.public.queue.ExplainECDSA(o.Context, key, message, sig)
		return v == batch.Valid, err
	}),
	answers("batch.Queue.ExplainSchnorr", func(o *Operands) (bool, error) {
		key, message, sig := o.public.first(32, o.public.bip340)
		v, _, err := o.public.queue.ExplainSchnorr(o.Context, key, message, sig)
		return v == batch.Valid, err
	}),
	answers("batch.Queue.VerifyECDSA", func(o *Operands) (bool, error) {
		_, message, _ := o.public.first(33, o.public.recoverable)
		return o.public.queue.VerifyECDSA(o.Context, o.public.key, message, o.public.sig)
	}),
	answers("batch.Queue.VerifyECDSABytes", func(o *Operands) (bool, error) {
		key, message, sig := o.public.first(33, o.public.recoverable)
		return o.public.queue.VerifyECDSABytes(o.Context, key, message, sig)
	}),
	answers("batch.Queue.VerifySchnorr", func(o *Operands) (bool, error) {
		_, message, sig := o.public.first(32, o.public.bip340)
		key := o.public.key.XOnlyPublicKey()
		return o.public.queue.VerifySchnorr(o.Context, key, message, sig)
	}),
	answers("batch.Queue.VerifySchnorrBytes", func(o *Operands) (bool, error) {
		key, message, sig := o.public.first(32, o.public.bip340)
		return o.public.queue.VerifySchnorrBytes(o.Context, key, message, sig)
	}),

	answers("device.Device.Run", func(o *Operands) (bool, error) {
		idle := enginetest.Fake{Do: func(ctx context.Context, _ *device.Call) error { return ctx.Err() }}
		err := idle.Device().Run(o.Context, new(device.Call))
		return err == nil, err
	}),
	answers("msm.Accumulator.AddVartime", func(o *Operands) (bool, error) {
		err := msm.NewAccumulator(nil).AddVartime(o.Context, o.public.scalars, o.public.sum)
		return err == nil, err
	}),
	sums("msm.Accumulator.SumVartime", func(o *Operands) (group.Point, error) {
		a, half := msm.NewAccumulator(nil), o.Rows/2
		err := a.AddVartime(context.Background(), o.public.scalars[:half], o.public.sum[:half])
		if err != nil {
			return group.Point{}, err
		}
		return a.SumVartime(o.Context)
	}),
	sums("msm.Bases.SumVartime", func(o *Operands) (group.Point, error) {
		return o.public.bases.SumVartime(o.Context, o.public.scalars, nil)
	}),
	sums("msm.PackedSumVartime", func(o *Operands) (group.Point, error) {
		return msm.PackedSumVartime(o.Context, o.public.numbers, o.public.points, nil)
	}),
	sums("msm.SumVartime", func(o *Operands) (group.Point, error) {
		return msm.SumVartime(o.Context, o.public.scalars, o.public.sum, nil)
	}),
}

// first returns the first row: the key in 33 or 32 bytes, the message, and the signature, which is
// the first of sigs.
func (p *publicOperands) first(width int, sigs []byte) (key, message, sig []byte) {
	return p.keys[33-width : 33], p.messages[:32], sigs[:64]
}

// options returns options for verifying rows.
func (o *Operands) options() *batch.Options { return &batch.Options{Workers: o.Workers} }

type (
	writer   func(context.Context, []byte, []batch.Verdict, *batch.Options) (int, error)
	verifier func(context.Context, []batch.Verdict, *batch.Options) (int, error)
)

// writes returns the operation of a method of rows that writes results of the given size.
func writes(name string, size int, method func(p *publicOperands) writer) Operation {
	return Operation{name, public | ManyRows, func(o *Operands) error {
		f := method(&o.public)
		defer func() { copy(o.Out[:], o.public.buf) }()
		return o.verdicts(o.Rows, func(v []batch.Verdict) (int, error) {
			return f(o.Context, o.public.buf[:size*o.Rows], v, o.options())
		})
	}}
}

// verifies returns the operation of a method of rows that gives a verdict for each row.
func verifies(name string, method func(p *publicOperands) verifier) Operation {
	return Operation{name, public | ManyRows, func(o *Operands) error {
		f := method(&o.public)
		return o.verdicts(o.Rows, func(v []batch.Verdict) (int, error) {
			return f(o.Context, v, o.options())
		})
	}}
}

// answers returns the operation of a function with one answer.
func answers(name string, f func(o *Operands) (bool, error)) Operation {
	return Operation{name, public, func(o *Operands) error { return o.answer(f(o)) }}
}

// sums returns the operation of a function that returns a sum.
func sums(name string, f func(o *Operands) (group.Point, error)) Operation {
	return answers(name, func(o *Operands) (bool, error) {
		sum, err := f(o)
		o.R.Set(&sum)
		return err == nil, err
	})
}
