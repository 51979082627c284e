package koblitz_test

import (
	"bytes"
	"context"
	"crypto"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

func (c changingCalls) ecdsa() {
	c.Check("ecdsa.ParseSignature b", c.a.sig64, c.b.sig64, parse(ecdsa.ParseSignature))
	der := func(s signedRow) []byte { // 70 bytes
		sig := append(bytes.Clone(s.sig64[:0]), s.sig64...)
		sig[0], sig[32] = 0x11, 0x22
		return must(ecdsa.ParseSignature(sig)).DER()
	}
	c.Check("ecdsa.ParseDER b", der(c.a), der(c.b), parse(ecdsa.ParseDER))
	c.Check("ecdsa.ParseDERLax b", der(c.a), der(c.b), parse(ecdsa.ParseDERLax))
	c.Check("ecdsa.Signature.UnmarshalText text", must(must(ecdsa.ParseDER(der(c.a))).MarshalText()),
		must(must(ecdsa.ParseDER(der(c.b))).MarshalText()), unmarshal((*ecdsa.Signature).UnmarshalText))

	private, public, sig := c.a.private(), c.a.public(), must(ecdsa.ParseSignature(c.a.sig64))
	signer := must(ecdsa.NewSigner(private))
	for name, f := range map[string]func(hash []byte, o *ecdsa.SignOptions) ([]byte, error){
		"ecdsa.AppendSign": func(hash []byte, o *ecdsa.SignOptions) ([]byte, error) {
			return ecdsa.AppendSign(nil, private, hash, o)
		},
		"ecdsa.AppendSignRecoverable": func(hash []byte, o *ecdsa.SignOptions) ([]byte, error) {
			return ecdsa.AppendSignRecoverable(nil, private, hash, o)
		},
		"ecdsa.SignRecoverable": func(hash []byte, o *ecdsa.SignOptions) ([]byte, error) {
			return ecdsa.SignRecoverable(private, hash, o)
		},
		"ecdsa.Sign": func(hash []byte, o *ecdsa.SignOptions) ([]byte, error) {
			sig, err := ecdsa.Sign(private, hash, o)
			if err != nil {
				return nil, err
			}
			return sig.Bytes(), nil
		},
	} {
		for _, unchecked := range []bool{false, true} {
			o := &ecdsa.SignOptions{Unchecked: unchecked}
			c.CheckOrError(name+" hash", c.a.hash, c.b.hash, raw(func(b []byte) ([]byte, error) {
				return f(b, o)
			}))
			for _, n := range []int{1, 32, 64} {
				first, second := c.messages(n)
				c.Check(name+" o.Entropy", first, second, raw(func(b []byte) ([]byte, error) {
					return f(c.a.hash, &ecdsa.SignOptions{Entropy: b, Unchecked: unchecked})
				}))
			}
			// Longer entropy is hashed twice. The nonce is a hash of the key, the hash and both.
			first, second := c.messages(300)
			c.Check(name+" o.Entropy", first, second, func(b, _ []byte) any {
				sig := must(f(c.a.hash, &ecdsa.SignOptions{Entropy: b, Unchecked: unchecked}))
				return ecdsa.Verify(public, c.a.hash, must(ecdsa.ParseSignature(sig[:64])))
			})
		}
	}
	c.CheckOrError("ecdsa.Signer.Sign digest", c.a.hash, c.b.hash,
		raw(func(b []byte) ([]byte, error) { return signer.Sign(nil, b, crypto.SHA256) }))
	c.Check("ecdsa.Recover hash", c.a.hash, c.b.hash, func(b, _ []byte) any {
		return resultOf(ecdsa.Recover(b, c.a.sig65))
	})
	c.Check("ecdsa.Recover sig65", c.a.sig65, c.b.sig65, func(b, _ []byte) any {
		return resultOf(ecdsa.Recover(c.a.hash, b))
	})

	queue := batch.NewQueue(&batch.QueueOptions{Workers: 1, S: batch.AnyS})
	defer queue.Close()
	ctx, prepared := context.Background(), c.a.key
	// added returns the verdicts of an accumulator with a constant row and another one.
	added := func(add func(b *batch.ECDSA)) any {
		b := batch.NewECDSA(2, batch.AnyS, &batch.Options{Workers: 1})
		b.AddRecoverableBytes(c.a.key33, c.a.hash, c.a.sig65)
		add(b)
		return accumulated(b)
	}
	for _, v := range []verifier{
		{"ecdsa.Verify", "", "hash", "", func(_, hash, _ []byte) any {
			return ecdsa.Verify(public, hash, sig)
		}},
		{"ecdsa.VerifyLowS", "", "hash", "", func(_, hash, _ []byte) any {
			return ecdsa.VerifyLowS(public, hash, sig)
		}},
		{"ecdsa.VerifyPrepared", "", "hash", "", func(_, hash, _ []byte) any {
			return ecdsa.VerifyPrepared(prepared, hash, sig)
		}},
		{"ecdsa.VerifyPreparedLowS", "", "hash", "", func(_, hash, _ []byte) any {
			return ecdsa.VerifyPreparedLowS(prepared, hash, sig)
		}},
		{"batch.Queue.VerifyECDSA", "", "hash", "", func(_, hash, _ []byte) any {
			return verdict(queue.VerifyECDSA(ctx, public, hash, sig))
		}},
		{"batch.Queue.VerifyECDSABytes", "key", "hash", "sig64", func(key, hash, sig []byte) any {
			return verdict(queue.VerifyECDSABytes(ctx, key, hash, sig))
		}},
		{"batch.Queue.ExplainECDSA", "key", "hash", "sig64", func(key, hash, sig []byte) any {
			v, _, err := queue.ExplainECDSA(ctx, key, hash, sig)
			return verdict(v == batch.Valid, err)
		}},
		{"batch.ECDSA.Add", "", "hash", "", func(_, hash, _ []byte) any {
			return added(func(b *batch.ECDSA) { b.Add(public, hash, sig) })
		}},
		{"batch.ECDSA.AddBytes", "key", "hash", "sig64", func(key, hash, sig []byte) any {
			return added(func(b *batch.ECDSA) { b.AddBytes(key, hash, sig) })
		}},
		{"batch.ECDSA.AddRecoverable", "", "hash", "sig65", func(_, hash, sig []byte) any {
			return added(func(b *batch.ECDSA) { b.AddRecoverable(public, hash, sig) })
		}},
		{"batch.ECDSA.AddRecoverableBytes", "key", "hash", "sig65", func(key, hash, sig []byte) any {
			return added(func(b *batch.ECDSA) { b.AddRecoverableBytes(key, hash, sig) })
		}},
	} {
		first, second := c.a.sig65, c.b.sig65
		if v.sig == "sig64" {
			first, second = c.a.sig64, c.b.sig64
		}
		c.verify(v, [2][]byte{c.a.key33, c.b.key33}, [2][]byte{c.a.hash, c.b.hash},
			[2][]byte{first, second})
	}
}

// A verifier is a function that verifies a signature. key, msg and sig are the names of arguments,
// or empty if the function has no bytes there.
type verifier struct {
	name, key, msg, sig string

	f func(key, msg, sig []byte) any
}

// verify calls a verifier with a key, a message and a signature. In each call one of them changes.
func (c changingCalls) verify(v verifier, key, msg, sig [2][]byte) {
	if v.key != "" {
		c.Check(v.name+" "+v.key, key[0], key[1], func(b, _ []byte) any { return v.f(b, msg[0], sig[0]) })
	}
	if v.msg != "" {
		c.Check(v.name+" "+v.msg, msg[0], msg[1], func(b, _ []byte) any { return v.f(key[0], b, sig[0]) })
	}
	if v.sig != "" {
		c.Check(v.name+" "+v.sig, sig[0], sig[1], func(b, _ []byte) any { return v.f(key[0], msg[0], b) })
	}
}

// changingForgery returns two signatures of a message with the same s. Neither is valid. One is
// valid if its R is replaced by that of the other after the message was hashed.
func changingForgery(key *koblitz.XOnlyPublicKey, msg []byte) (hashed, used []byte) {
	public := must(new(group.Point).SetXOnlyPublicKey(key))
	for i := byte(1); ; i++ {
		r := bytes.Repeat([]byte{i}, 32)
		digest := schnorr.TaggedHash("BIP0340/challenge", r, key.Bytes(), msg)
		e := must(new(group.Scalar).SetBytesReduced(digest[:]))
		s := new(group.Scalar).SetUint64(1 << 60)
		R := new(group.Point).DoubleScalarBaseMultVartime(s, e.Negate(e), public).Bytes()
		if R[0] == 2 {
			return append(r, s.Bytes()...), append(R[1:], s.Bytes()...)
		}
	}
}

func (c changingCalls) schnorr() {
	for _, n := range []int{1, 32, 300} {
		first, second := c.messages(n)
		c.Check("schnorr.TaggedHash parts", first, second, func(b, _ []byte) any {
			return schnorr.TaggedHash("tag", b[:n/2], b[n/2:])
		})
	}
	private, key := c.a.private(), c.a.xOnly()
	signer := must(schnorr.NewSigner(private))
	// A signature is made with fresh randomness. It must be one of the message at first.
	verifies := func(sig []byte, err error, msg []byte) any {
		if err != nil {
			return err
		}
		return schnorr.Verify(key, msg, sig)
	}
	for name, f := range map[string]func(msg []byte, o *schnorr.SignOptions) ([]byte, error){
		"schnorr.AppendSign": func(msg []byte, o *schnorr.SignOptions) ([]byte, error) {
			return schnorr.AppendSign(nil, private, msg, o)
		},
		"schnorr.Sign": func(msg []byte, o *schnorr.SignOptions) ([]byte, error) {
			return schnorr.Sign(private, msg, o)
		},
	} {
		for _, unchecked := range []bool{false, true} {
			for _, n := range messageSizes {
				first, second := c.messages(n)
				c.CheckOrError(name+" msg", first, second, raw(func(b []byte) ([]byte, error) {
					return f(b, &schnorr.SignOptions{Aux: make([]byte, 32), Unchecked: unchecked})
				}))
				c.CheckOrError(name+" msg", first, second, func(b, constant []byte) any {
					sig, err := f(b, &schnorr.SignOptions{Unchecked: unchecked})
					return verifies(sig, err, constant)
				})
			}
			c.CheckOrError(name+" o.Aux", c.a.hash, c.b.hash, raw(func(b []byte) ([]byte, error) {
				return f(c.a.hash, &schnorr.SignOptions{Aux: b, Unchecked: unchecked})
			}))
		}
	}
	for _, n := range messageSizes {
		first, second := c.messages(n)
		c.CheckOrError("schnorr.Signer.Sign digest", first, second, func(b, constant []byte) any {
			sig, err := signer.Sign(nil, b, nil)
			return verifies(sig, err, constant)
		})
		c.CheckOrError("schnorr.Signer.SignMessage msg", first, second, func(b, constant []byte) any {
			sig, err := signer.SignMessage(nil, b, nil)
			return verifies(sig, err, constant)
		})
	}

	queue := batch.NewQueue(&batch.QueueOptions{Workers: 1, S: batch.AnyS})
	defer queue.Close()
	ctx := context.Background()
	added := func(add func(b *batch.Schnorr)) any {
		b := batch.NewSchnorr(2, &batch.Options{Workers: 1})
		b.AddBytes(c.a.key32, c.a.hash, c.a.bip340)
		add(b)
		return accumulated(b)
	}
	for _, v := range []verifier{
		{"schnorr.Verify", "", "msg", "sig", func(_, msg, sig []byte) any {
			return schnorr.Verify(key, msg, sig)
		}},
		{"schnorr.VerifyPrepared", "", "msg", "sig", func(_, msg, sig []byte) any {
			return schnorr.VerifyPrepared(c.a.key, msg, sig)
		}},
		{"batch.Queue.VerifySchnorr", "", "msg", "sig", func(_, msg, sig []byte) any {
			return verdict(queue.VerifySchnorr(ctx, key, msg, sig))
		}},
		{"batch.Queue.VerifySchnorrBytes", "key32", "msg", "sig64", func(key, msg, sig []byte) any {
			return verdict(queue.VerifySchnorrBytes(ctx, key, msg, sig))
		}},
		{"batch.Queue.ExplainSchnorr", "key32", "msg", "sig64", func(key, msg, sig []byte) any {
			v, _, err := queue.ExplainSchnorr(ctx, key, msg, sig)
			return verdict(v == batch.Valid, err)
		}},
		{"batch.Schnorr.Add", "", "msg", "sig", func(_, msg, sig []byte) any {
			return added(func(b *batch.Schnorr) { b.Add(key, msg, sig) })
		}},
		{"batch.Schnorr.AddBytes", "key32", "msg", "sig64", func(key, msg, sig []byte) any {
			return added(func(b *batch.Schnorr) { b.AddBytes(key, msg, sig) })
		}},
	} {
		for _, n := range messageSizes {
			first, second := c.messages(n)
			keys, messages := [2][]byte{c.a.key32, c.b.key32}, [2][]byte{first, second}
			c.verify(v, keys, messages, [2][]byte{
				must(schnorr.Sign(private, first, nil)), must(schnorr.Sign(private, second, nil)),
			})
			hashed, used := changingForgery(key, first)
			c.verify(verifier{v.name, "", "", v.sig, v.f}, keys, messages, [2][]byte{hashed, used})
		}
	}
}

func verdict(valid bool, err error) any { return fmt.Sprint(valid, err) }

// accumulated returns the verdicts of an accumulator with two rows.
func accumulated(b interface {
	VerifyAll(context.Context) (bool, error)
	Verify(context.Context, []batch.Verdict) (int, error)
}) any {
	verdicts := make([]batch.Verdict, 2)
	all, err := b.VerifyAll(context.Background())
	valid, err2 := b.Verify(context.Background(), verdicts)
	return fmt.Sprint(all, err, valid, verdicts, err2)
}
