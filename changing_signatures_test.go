package koblitz_test

import (
	"bytes"
	"context"
	"crypto"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

func (c changingCalls) ecdsa() {
	der := func(s signedRow) *ecdsa.Signature { // 70 bytes
		sig := bytes.Clone(s.sig64)
		sig[0], sig[32] = 0x11, 0x22
		return must(ecdsa.ParseSignature(sig))
	}
	encoded := encodings(c, der, (*ecdsa.Signature).DER)
	c.call(ecdsa.ParseSignature, change{c.a.sig64, c.b.sig64})
	c.call(ecdsa.ParseDER, encoded)
	c.call(ecdsa.ParseDERLax, encoded)
	c.call((*ecdsa.Signature).UnmarshalText, fresh[ecdsa.Signature], encodings(c, der, text))

	private, public, sig := c.a.private(), c.a.public(), must(ecdsa.ParseSignature(c.a.sig64))
	hash := change{c.a.hash, c.b.hash}
	for _, unchecked := range []bool{false, true} {
		o := &ecdsa.SignOptions{Unchecked: unchecked}
		c.callOrError(ecdsa.AppendSign, nil, private, hash, o)
		c.callOrError(ecdsa.AppendSignRecoverable, nil, private, hash, o)
		c.callOrError(ecdsa.SignRecoverable, private, hash, o)
		c.callOrError(ecdsa.Sign, private, hash, o)
		entropy := func(b []byte) any { return &ecdsa.SignOptions{Entropy: b, Unchecked: unchecked} }
		for _, n := range []int{1, 32, 64} {
			o := changeIn{"o.Entropy", c.messages(n), entropy}
			c.call(ecdsa.AppendSign, nil, private, c.a.hash, o)
			c.call(ecdsa.AppendSignRecoverable, nil, private, c.a.hash, o)
			c.call(ecdsa.SignRecoverable, private, c.a.hash, o)
			c.call(ecdsa.Sign, private, c.a.hash, o)
		}
		// Longer entropy is hashed twice. The nonce is a hash of the key, the hash and both.
		long := c.messages(300)
		c.Check("ecdsa.Sign o.Entropy", long[0], long[1], func(b, _ []byte) any {
			sig := must(ecdsa.Sign(private, c.a.hash, entropy(b).(*ecdsa.SignOptions)))
			return ecdsa.Verify(public, c.a.hash, sig)
		})
	}
	signer := must(ecdsa.NewSigner(private))
	c.callOrError((*ecdsa.Signer).Sign, signer, nil, hash, crypto.SHA256)
	c.call(ecdsa.Recover, hash, change{c.a.sig65, c.b.sig65})

	queue := batch.NewQueue(&batch.QueueOptions{Workers: 1, S: batch.AnyS})
	defer queue.Close()
	ctx, prepared := context.Background(), c.a.key
	key := change{c.a.key33, c.b.key33}
	sig64, sig65 := change{c.a.sig64, c.b.sig64}, change{c.a.sig65, c.b.sig65}
	c.call(ecdsa.Verify, public, hash, sig)
	c.call(ecdsa.VerifyLowS, public, hash, sig)
	c.call(ecdsa.VerifyPrepared, prepared, hash, sig)
	c.call(ecdsa.VerifyPreparedLowS, prepared, hash, sig)
	c.call((*batch.Queue).VerifyECDSA, queue, ctx, public, hash, sig)
	c.call((*batch.Queue).VerifyECDSABytes, queue, ctx, key, hash, sig64)
	c.call((*batch.Queue).ExplainECDSA, queue, ctx, key, hash, sig64)
	added := func() *batch.ECDSA { // an accumulator with a constant row
		b := batch.NewECDSA(2, batch.AnyS, &batch.Options{Workers: 1})
		b.AddRecoverableBytes(c.a.key33, c.a.hash, c.a.sig65)
		return b
	}
	c.call((*batch.ECDSA).Add, added, public, hash, sig)
	c.call((*batch.ECDSA).AddBytes, added, key, hash, sig64)
	c.call((*batch.ECDSA).AddRecoverable, added, public, hash, sig65)
	c.call((*batch.ECDSA).AddRecoverableBytes, added, key, hash, sig65)
}

// changingForgery returns two signatures of a message with the same s. Neither is valid. One is
// valid if its R is replaced by that of the other after the message was hashed.
func changingForgery(key *koblitz.XOnlyPublicKey, msg []byte) change {
	public := must(new(group.Point).SetXOnlyPublicKey(key))
	for i := byte(1); ; i++ {
		r := bytes.Repeat([]byte{i}, 32)
		digest := schnorr.TaggedHash("BIP0340/challenge", r, key.Bytes(), msg)
		e := must(new(group.Scalar).SetBytesReduced(digest[:]))
		s := new(group.Scalar).SetUint64(1 << 60)
		R := new(group.Point).DoubleScalarBaseMultVartime(s, e.Negate(e), public).Bytes()
		if R[0] == 2 {
			return change{append(r, s.Bytes()...), append(R[1:], s.Bytes()...)}
		}
	}
}

func (c changingCalls) schnorr() {
	for _, n := range []int{1, 32, 300} {
		msg := c.messages(n)
		c.Check("schnorr.TaggedHash parts", msg[0], msg[1], func(b, _ []byte) any {
			return schnorr.TaggedHash("tag", b[:n/2], b[n/2:])
		})
	}
	private, key := c.a.private(), c.a.xOnly()
	signer := must(schnorr.NewSigner(private))
	hash := change{c.a.hash, c.b.hash}
	queue := batch.NewQueue(&batch.QueueOptions{Workers: 1, S: batch.AnyS})
	defer queue.Close()
	ctx, key32 := context.Background(), change{c.a.key32, c.b.key32}
	added := func() *batch.Schnorr { // an accumulator with a constant row
		b := batch.NewSchnorr(2, &batch.Options{Workers: 1})
		b.AddBytes(c.a.key32, c.a.hash, c.a.bip340)
		return b
	}
	for _, n := range messageSizes {
		msg := c.messages(n)
		// A signature is made with fresh randomness. It must be one of the message at first.
		signs := func(name string, sign func(msg []byte) ([]byte, error)) {
			c.CheckOrError(name, msg[0], msg[1], func(b, constant []byte) any {
				sig, err := sign(b)
				if err != nil {
					return err
				}
				return schnorr.Verify(key, constant, sig)
			})
		}
		for _, unchecked := range []bool{false, true} {
			o := &schnorr.SignOptions{Unchecked: unchecked}
			signs("schnorr.AppendSign msg", func(msg []byte) ([]byte, error) {
				return schnorr.AppendSign(nil, private, msg, o)
			})
			signs("schnorr.Sign msg", func(msg []byte) ([]byte, error) {
				return schnorr.Sign(private, msg, o)
			})
			aux := changeIn{"o.Aux", hash, func(b []byte) any {
				return &schnorr.SignOptions{Aux: b, Unchecked: unchecked}
			}}
			c.callOrError(schnorr.AppendSign, nil, private, msg, aux)
			c.callOrError(schnorr.Sign, private, msg, aux)
		}
		signs("schnorr.Signer.Sign digest", func(msg []byte) ([]byte, error) {
			return signer.Sign(nil, msg, nil)
		})
		signs("schnorr.Signer.SignMessage msg", func(msg []byte) ([]byte, error) {
			return signer.SignMessage(nil, msg, nil)
		})
		for _, sig := range []change{
			{must(schnorr.Sign(private, msg[0], nil)), must(schnorr.Sign(private, msg[1], nil))},
			changingForgery(key, msg[0]),
		} {
			c.call(schnorr.Verify, key, msg, sig)
			c.call(schnorr.VerifyPrepared, c.a.key, msg, sig)
			c.call((*batch.Queue).VerifySchnorr, queue, ctx, key, msg, sig)
			c.call((*batch.Queue).VerifySchnorrBytes, queue, ctx, key32, msg, sig)
			c.call((*batch.Queue).ExplainSchnorr, queue, ctx, key32, msg, sig)
			c.call((*batch.Schnorr).Add, added, key, msg, sig)
			c.call((*batch.Schnorr).AddBytes, added, key32, msg, sig)
		}
	}
}
