package koblitz_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/hashes"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// TestChangingBytes calls every exported function that takes bytes of a caller, and lets one of
// them change as soon as it is read again. The result must be that for the bytes at first: a value
// that was judged, hashed or signed is the one that was used.
func TestChangingBytes(t *testing.T) {
	c := changingCalls{changing.NewCalls(t), newSignedRow(t, "a"), newSignedRow(t, "b")}
	c.keys()
	c.group()
	c.ecdsa()
	c.schnorr()
	c.proofs()
	c.musig2()
	c.silentpay()
	c.pkix()
	c.rows(t)
	c.Complete("api", "batch", "device", "dleq", "ecdh", "ecdsa", "ellswift", "group", "hashes",
		"koblitz", "msm", "musig2", "pkix", "schnorr", "silentpay")
}

// changingCalls are calls with values of a that change to values of b.
type changingCalls struct {
	*changing.Calls
	a, b signedRow
}

func (s signedRow) private() *koblitz.PrivateKey {
	return must(koblitz.ParsePrivateKey(s.secret))
}

func (s signedRow) public() *koblitz.PublicKey     { return s.private().PublicKey() }
func (s signedRow) xOnly() *koblitz.XOnlyPublicKey { return s.private().XOnlyPublicKey() }

func (s signedRow) point() *group.Point {
	return must(new(group.Point).SetPublicKey(s.public()))
}

func ignore[T any](f func([]byte) T) func(b, _ []byte) any {
	return func(b, _ []byte) any { return f(b) }
}

func must[T any](v T, err error) T { return reference.Must(v, err) }

// resultOf returns the encoding of a value or the text of an error.
func resultOf(v interface{ Bytes() []byte }, err error) any {
	if err != nil {
		return err
	}
	return fmt.Sprintf("%x", v.Bytes())
}

// parse returns a call of a function that parses a value.
func parse[T interface{ Bytes() []byte }](f func([]byte) (T, error)) func(b, _ []byte) any {
	return func(b, _ []byte) any {
		v, err := f(b)
		return resultOf(v, err)
	}
}

// unmarshal returns a call of a method that sets its receiver.
func unmarshal[T any, P interface {
	*T
	Bytes() []byte
}](f func(P, []byte) error) func(b, _ []byte) any {
	return parse(func(b []byte) (P, error) {
		v := P(new(T))
		return v, f(v, b)
	})
}

// raw returns a call of a function that returns bytes.
func raw(f func([]byte) ([]byte, error)) func(b, _ []byte) any {
	return func(b, _ []byte) any {
		out, err := f(b)
		if err != nil {
			return err
		}
		return fmt.Sprintf("%x", out)
	}
}

// messageSizes are sizes of messages of BIP-340.
var messageSizes = []int{1, 20, 32, 64, 65, 300, 4000}

// messages returns two messages of a length.
func (c changingCalls) messages(n int) (first, second []byte) {
	return bytes.Repeat(c.a.hash, n/32+1)[:n], bytes.Repeat(c.b.hash, n/32+1)[:n]
}

func (c changingCalls) keys() {
	private, public, xOnly := c.a.private(), c.a.public(), c.a.xOnly()
	text := func(k interface{ MarshalText() ([]byte, error) }) []byte { return must(k.MarshalText()) }
	c.Check("koblitz.ParsePrivateKey b", c.a.secret, c.b.secret, parse(koblitz.ParsePrivateKey))
	for _, encode := range []func(k *koblitz.PublicKey) []byte{
		(*koblitz.PublicKey).Bytes, (*koblitz.PublicKey).UncompressedBytes,
	} {
		first, second := encode(public), encode(c.b.public())
		c.Check("koblitz.ParsePublicKey b", first, second, parse(koblitz.ParsePublicKey))
		c.Check("koblitz.PublicKey.UnmarshalBinary b", first, second,
			unmarshal((*koblitz.PublicKey).UnmarshalBinary))
	}
	c.Check("koblitz.PublicKey.UnmarshalText text", text(public), text(c.b.public()),
		unmarshal((*koblitz.PublicKey).UnmarshalText))
	c.Check("koblitz.ParseXOnlyPublicKey b", c.a.key32, c.b.key32, parse(koblitz.ParseXOnlyPublicKey))
	c.Check("koblitz.XOnlyPublicKey.UnmarshalBinary b", c.a.key32, c.b.key32,
		unmarshal((*koblitz.XOnlyPublicKey).UnmarshalBinary))
	c.Check("koblitz.XOnlyPublicKey.UnmarshalText text", text(xOnly), text(c.b.xOnly()),
		unmarshal((*koblitz.XOnlyPublicKey).UnmarshalText))
	for name, f := range map[string]func(b, _ []byte) any{
		"koblitz.PrivateKey.TaprootTweak merkleRoot":     parse(private.TaprootTweak),
		"koblitz.PrivateKey.TweakAdd tweak":              parse(private.TweakAdd),
		"koblitz.PrivateKey.TweakAddXOnly tweak":         parse(private.TweakAddXOnly),
		"koblitz.PrivateKey.TweakMul tweak":              parse(private.TweakMul),
		"koblitz.PublicKey.TweakAdd tweak":               parse(public.TweakAdd),
		"koblitz.PublicKey.TweakMul tweak":               parse(public.TweakMul),
		"koblitz.XOnlyPublicKey.TweakAdd tweak":          parse(xOnly.TweakAdd),
		"koblitz.XOnlyPublicKey.TaprootTweak merkleRoot": parse(xOnly.TaprootTweak),
		"koblitz.XOnlyPublicKey.CheckTweakAdd tweak": ignore(func(b []byte) bool {
			return xOnly.CheckTweakAdd(b, c.a.output[:32], c.a.output[32] == 1)
		}),
	} {
		c.Check(name, c.a.hash, c.b.hash, f)
	}
	c.Check("koblitz.XOnlyPublicKey.CheckTweakAdd output", c.a.output[:32], c.b.output[:32],
		ignore(func(b []byte) bool {
			return xOnly.CheckTweakAdd(c.a.hash, b, c.a.output[32] == 1)
		}))
	taproot := must(xOnly.TaprootTweak(c.a.hash)).Bytes()
	c.Check("koblitz.XOnlyPublicKey.CheckTaprootTweak merkleRoot", c.a.hash, c.b.hash,
		ignore(func(b []byte) bool {
			return xOnly.CheckTaprootTweak(b, taproot[1:], taproot[0] == 3)
		}))
	c.Check("koblitz.XOnlyPublicKey.CheckTaprootTweak output", taproot[1:], c.b.key32,
		ignore(func(b []byte) bool {
			return xOnly.CheckTaprootTweak(c.a.hash, b, taproot[0] == 3)
		}))
}

func (c changingCalls) group() {
	c.Check("group.Scalar.SetBytes b", c.a.secret, c.b.secret, parse(new(group.Scalar).SetBytes))
	c.Check("group.Scalar.SetBytesReduced b", c.a.secret, c.b.secret,
		parse(new(group.Scalar).SetBytesReduced))
	for _, n := range []int{48, 56, 64} {
		c.Check("group.Scalar.SetUniformBytes b", c.a.sig64[:n], c.b.sig64[:n],
			parse(new(group.Scalar).SetUniformBytes))
	}
	c.Check("group.Point.SetBytes b", c.a.key33, c.b.key33, parse(new(group.Point).SetBytes))
	c.Check("group.Point.UnmarshalBinary b", c.a.key33, c.b.key33,
		unmarshal((*group.Point).UnmarshalBinary))
	c.Check("group.Point.UnmarshalText text", must(c.a.point().MarshalText()),
		must(c.b.point().MarshalText()), unmarshal((*group.Point).UnmarshalText))
	// A tag of more than 255 bytes is hashed.
	for _, n := range []int{1, 32, 100, 300} {
		first, second := bytes.Repeat(c.a.hash, 10)[:n], bytes.Repeat(c.b.hash, 10)[:n]
		for name, f := range map[string]func(msg, dst []byte) any{
			"group.Point.HashToCurve": func(msg, dst []byte) any {
				p, err := new(group.Point).HashToCurve(msg, dst)
				return resultOf(p, err)
			},
			"group.Point.EncodeToCurve": func(msg, dst []byte) any {
				p, err := new(group.Point).EncodeToCurve(msg, dst)
				return resultOf(p, err)
			},
			"group.Scalar.HashToScalar": func(msg, dst []byte) any {
				s, err := new(group.Scalar).HashToScalar(msg, dst)
				return resultOf(s, err)
			},
		} {
			c.Check(name+" msg", first, second, func(b, _ []byte) any { return f(b, c.a.hash) })
			c.Check(name+" dst", first, second, func(b, _ []byte) any { return f(c.a.hash, b) })
		}
		batchHash := func(dst []byte, msgs ...[]byte) any {
			points := make([]group.Point, len(msgs))
			err := group.BatchHashToCurve(points, msgs, dst)
			return fmt.Sprint(points, err)
		}
		c.Check("group.BatchHashToCurve dst", first, second, func(b, _ []byte) any {
			return batchHash(b, c.a.hash, c.b.hash)
		})
		c.Check("group.BatchHashToCurve msgs", first, second, func(b, _ []byte) any {
			return batchHash(c.a.hash, c.a.hash, b)
		})
		for name, f := range map[string]func(dst [][32]byte, messages [][]byte) [][32]byte{
			"hashes.AppendDoubleSHA256 messages": hashes.AppendDoubleSHA256,
			"hashes.AppendKeccak256 messages":    hashes.AppendKeccak256,
			"hashes.AppendSHA256 messages":       hashes.AppendSHA256,
		} {
			c.Check(name, first, second, func(b, _ []byte) any {
				messages := [][]byte{c.a.hash, b[:n/2], b[n/2:]}
				for range 20 {
					messages = append(messages, c.b.hash)
				}
				return f(nil, messages)
			})
		}
	}
	var scalars, points, others []byte
	for range 3 {
		scalars = append(scalars, c.a.secret...)
		points = append(points, c.a.public().UncompressedBytes()[1:]...)
		others = append(others, c.b.public().UncompressedBytes()[1:]...)
	}
	packed := func(scalars, points []byte) any {
		p, err := msm.PackedSumVartime(context.Background(), scalars, points, &msm.Options{Workers: 1})
		return resultOf(&p, err)
	}
	c.Check("msm.PackedSumVartime scalars32", scalars, bytes.Repeat(c.b.secret, 3),
		func(b, _ []byte) any { return packed(b, points) })
	c.Check("msm.PackedSumVartime points64", points, others,
		func(b, _ []byte) any { return packed(scalars, b) })
}

func (c changingCalls) proofs() {
	a, b, g := c.a.private(), c.b.public(), c.b.public().Negate()
	for _, o := range []dleq.Options{
		{Aux: c.a.hash}, {Aux: c.a.hash, Message: c.a.hash}, {Aux: c.a.hash, Message: c.a.hash, G: g},
	} {
		prove := func(o dleq.Options) any {
			s, proof, err := dleq.Prove(a, b, &o)
			if err != nil {
				return err
			}
			return fmt.Sprintf("%x %x", s.C.Bytes(), proof)
		}
		s, proof, err := dleq.Prove(a, b, &o)
		if err != nil {
			panic(err)
		}
		c.CheckOrError("dleq.Prove o.Aux", c.a.hash, c.b.hash, func(b, _ []byte) any {
			o := o
			o.Aux = b
			return prove(o)
		})
		if o.Message != nil {
			c.CheckOrError("dleq.Prove o.Message", c.a.hash, c.b.hash, func(b, _ []byte) any {
				o := o
				o.Message = b
				return prove(o)
			})
			c.Check("dleq.Verify s.Message", c.a.hash, c.b.hash, func(b, _ []byte) any {
				s := *s
				s.Message = b
				return dleq.Verify(&s, proof)
			})
		}
		c.Check("dleq.Verify proof", proof, c.b.sig64, func(b, _ []byte) any { return dleq.Verify(s, b) })
	}
	// A proof of a false statement, with the right challenge if it changes.
	s := &dleq.Statement{A: c.a.public(), B: b, C: g}
	e, k := must(new(group.Scalar).SetBytes(c.a.secret)), must(new(group.Scalar).SetBytes(c.b.secret))
	minus := new(group.Scalar).Negate(e)
	r1 := new(group.Point).DoubleScalarBaseMultVartime(k, minus, c.a.point())
	r2 := new(group.Point).ScalarMultVartime(minus, must(new(group.Point).SetPublicKey(s.C)))
	r2.Add(r2, new(group.Point).ScalarMultVartime(k, c.b.point()))
	challenge := schnorr.TaggedHash("BIP0374/challenge", s.A.Bytes(), s.B.Bytes(), s.C.Bytes(),
		new(group.Point).SetGenerator().Bytes(), r1.Bytes(), r2.Bytes())
	c.Check("dleq.Verify proof", append(e.Bytes(), k.Bytes()...), append(challenge[:], k.Bytes()...),
		func(b, _ []byte) any { return dleq.Verify(s, b) })

	encoding := func(s signedRow) []byte { return must(ellswift.Create(s.private(), s.hash)) }
	ours, theirs := encoding(c.a), encoding(c.b)
	other := must(ellswift.Create(a, c.b.hash))
	for name, f := range map[string]func(ours, theirs []byte, initiating bool) ([]byte, error){
		"ellswift.SharedSecret": func(ours, theirs []byte, initiating bool) ([]byte, error) {
			return ellswift.SharedSecret(a, ours, theirs, initiating)
		},
		"ellswift.AppendSharedSecret": func(ours, theirs []byte, initiating bool) ([]byte, error) {
			return ellswift.AppendSharedSecret(nil, a, ours, theirs, initiating)
		},
	} {
		for _, initiating := range []bool{false, true} {
			c.Check(name+" ours", ours, other, raw(func(b []byte) ([]byte, error) {
				return f(b, theirs, initiating)
			}))
			c.Check(name+" theirs", theirs, other, raw(func(b []byte) ([]byte, error) {
				return f(ours, b, initiating)
			}))
		}
	}
	c.Check("ellswift.Create aux", c.a.hash, c.b.hash, raw(func(b []byte) ([]byte, error) {
		return ellswift.Create(a, b)
	}))
	c.Check("ellswift.Encode aux", c.a.hash, c.b.hash, raw(func(aux []byte) ([]byte, error) {
		return ellswift.Encode(b, aux)
	}))
	c.Check("ellswift.Decode b", ours, theirs, parse(ellswift.Decode))

	d := must(device.New(readingEngine{}))
	run := func(call device.Call) any {
		call.Kind, call.Rows, call.Verdicts = device.Decompress, 1, make([]device.Verdict, 1)
		call.Results = make([]byte, device.KeySize)
		err := d.Run(context.Background(), &call)
		return fmt.Sprintf("%x %v %v", call.Results, call.Verdicts, err)
	}
	c.Check("device.Device.Run c.Columns.Data", c.a.key33, c.b.key33, func(b, _ []byte) any {
		return run(device.Call{Columns: [4]device.Column{{Data: b, Stride: 33}}})
	})
	c.Check("device.Device.Run c.Keys", c.a.sig64, c.b.sig64, func(b, _ []byte) any {
		return run(device.Call{Keys: b})
	})
}

// A readingEngine copies the first column or the keys of a call.
type readingEngine struct{}

func (readingEngine) Accepts(device.Kind, device.Rules, int) bool { return false }

func (readingEngine) Run(_ context.Context, call *device.Call) error {
	copy(call.Results, call.Columns[0].Data)
	copy(call.Results, call.Keys)
	return nil
}

func (c changingCalls) musig2() {
	key := must(musig2.AggregateKeys(c.a.public(), c.b.public()))
	for name, f := range map[string]func(tweak []byte) (*musig2.AggregateKey, error){
		"musig2.AggregateKey.TaprootTweak merkleRoot": key.TaprootTweak,
		"musig2.AggregateKey.TweakAdd tweak":          key.TweakAdd,
		"musig2.AggregateKey.TweakAddXOnly tweak":     key.TweakAddXOnly,
	} {
		c.Check(name, c.a.hash, c.b.hash, parse(func(b []byte) (*koblitz.PublicKey, error) {
			k, err := f(b)
			return k.PublicKey(), err
		}))
	}
	first, second := slices.Concat(c.a.key33, c.b.key33), slices.Concat(c.b.key33, c.a.key33)
	text := func(b []byte) []byte { return fmt.Appendf(nil, "%x", b) }
	c.Check("musig2.ParsePublicNonce b", first, second, parse(musig2.ParsePublicNonce))
	c.Check("musig2.PublicNonce.UnmarshalBinary b", first, second,
		unmarshal((*musig2.PublicNonce).UnmarshalBinary))
	c.Check("musig2.PublicNonce.UnmarshalText text", text(first), text(second),
		unmarshal((*musig2.PublicNonce).UnmarshalText))
	infinity := make([]byte, 66)
	copy(infinity, c.a.key33)
	for _, first := range [][]byte{first, infinity} {
		c.Check("musig2.ParseAggregateNonce b", first, second, parse(musig2.ParseAggregateNonce))
		c.Check("musig2.AggregateNonce.UnmarshalBinary b", first, second,
			unmarshal((*musig2.AggregateNonce).UnmarshalBinary))
		c.Check("musig2.AggregateNonce.UnmarshalText text", text(first), text(second),
			unmarshal((*musig2.AggregateNonce).UnmarshalText))
	}
	c.Check("musig2.ParsePartialSignature b", c.a.secret, c.b.secret,
		parse(musig2.ParsePartialSignature))
	c.Check("musig2.PartialSignature.UnmarshalBinary b", c.a.secret, c.b.secret,
		unmarshal((*musig2.PartialSignature).UnmarshalBinary))
	c.Check("musig2.PartialSignature.UnmarshalText text", text(c.a.secret), text(c.b.secret),
		unmarshal((*musig2.PartialSignature).UnmarshalText))

	// Nonces are fresh: their bytes are no result of a call.
	for name, f := range map[string]func(o *musig2.NonceOptions) (*musig2.SecretNonce, error){
		"musig2.GenerateNonce": func(o *musig2.NonceOptions) (*musig2.SecretNonce, error) {
			return musig2.GenerateNonce(c.a.private(), o)
		},
		"musig2.GenerateNonceWithoutKey": func(o *musig2.NonceOptions) (*musig2.SecretNonce, error) {
			return musig2.GenerateNonceWithoutKey(c.a.public(), o)
		},
	} {
		for _, argument := range []string{name + " o.Message", name + " o.Extra", "musig2.NewInput b"} {
			c.Check(argument, c.a.hash, c.b.hash, func(b, _ []byte) any {
				o := &musig2.NonceOptions{Message: musig2.NewInput(b)}
				if argument == name+" o.Extra" {
					o = &musig2.NonceOptions{Extra: musig2.NewInput(b)}
				}
				_, err := f(o)
				return err
			})
		}
	}
	nonce := must(musig2.GenerateNonce(c.b.private(), nil))
	others := must(musig2.AggregateNonces(nonce.PublicNonce()))
	sign := func(msg, random []byte) any {
		n, sig, err := musig2.DeterministicSign(c.a.private(), key, others, msg, random)
		if err != nil {
			return err
		}
		return fmt.Sprintf("%x %x", n.Bytes(), sig.Bytes())
	}
	c.CheckOrError("musig2.DeterministicSign random", c.a.hash, c.b.hash, func(b, _ []byte) any {
		return sign(c.a.hash, b)
	})
	for _, n := range messageSizes {
		first, second := c.messages(n)
		c.CheckOrError("musig2.DeterministicSign msg", first, second, func(b, _ []byte) any {
			return sign(b, nil)
		})
		// The sum of two partial signatures is one of the message at first.
		c.Check("musig2.NewSession msg", first, second, func(b, constant []byte) any {
			m := must(musig2.GenerateNonce(c.a.private(), nil))
			n := must(musig2.GenerateNonce(c.b.private(), nil))
			sum := must(musig2.AggregateNonces(m.PublicNonce(), n.PublicNonce()))
			s, err := musig2.NewSession(key, sum, b)
			if err != nil {
				return err
			}
			sig, err := s.Aggregate(must(s.Sign(m, c.a.private())), must(s.Sign(n, c.b.private())))
			return fmt.Sprint(err, schnorr.Verify(key.XOnlyPublicKey(), constant, sig))
		})
	}
}

// arrays returns b as a slice of arrays.
func arrays[A any](b []byte) []A {
	var a A
	return unsafe.Slice((*A)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(a)))
}

func (c changingCalls) silentpay() {
	scanKey, spend := must(silentpay.NewScanKey(c.a.private())), c.b.public()
	receiver := must(silentpay.NewReceiver(scanKey, spend, 1))
	address := must(receiver.Address(silentpay.Mainnet))
	labeled := must(receiver.LabeledAddress(silentpay.Mainnet, 1))
	inputs := []silentpay.Input{{Key: c.b.private()}}
	first, second := c.messages(3 * 36)
	c.Check("silentpay.Outputs outpoints", first, second, func(b, _ []byte) any {
		outputs, err := silentpay.Outputs(inputs, arrays[silentpay.Outpoint](b),
			[]*silentpay.Address{address, labeled})
		return fmt.Sprint(outputs, err)
	})
	publicTweak := func(outpoints []byte) (*koblitz.PublicKey, error) {
		return silentpay.PublicTweak(arrays[silentpay.Outpoint](outpoints),
			[]*koblitz.PublicKey{c.b.public()})
	}
	c.Check("silentpay.PublicTweak outpoints", first, second, parse(publicTweak))
	c.Check("silentpay.Address.UnmarshalText text", must(address.MarshalText()),
		must(labeled.MarshalText()), func(b, _ []byte) any {
			var a silentpay.Address
			err := a.UnmarshalText(b)
			return fmt.Sprint(a, err)
		})
	c.Check("silentpay.ParsePrivateTweak b", c.a.secret, c.b.secret,
		parse(silentpay.ParsePrivateTweak))

	outputs := must(silentpay.Outputs(inputs, arrays[silentpay.Outpoint](first),
		[]*silentpay.Address{address, labeled, labeled}))
	firstOutputs, secondOutputs := []byte{}, []byte{}
	for i := range outputs {
		firstOutputs = append(firstOutputs, outputs[i][:]...)
		secondOutputs = append(secondOutputs, outputs[(i+1)%3][:]...)
	}
	matches := func(matches []silentpay.Match) (text string) {
		for _, m := range matches {
			text += fmt.Sprintf("%d %d %v %d %x ", m.Output, m.K, m.Labeled, m.Label, m.Tweak.Bytes())
		}
		return text
	}
	tweak, otherTweak := must(publicTweak(first)), must(publicTweak(second))
	c.Check("silentpay.Receiver.Scan outputs", firstOutputs, secondOutputs, func(b, _ []byte) any {
		found, err := receiver.Scan(tweak, arrays[[32]byte](b))
		return fmt.Sprint(matches(found), err)
	})
	scanner := must(silentpay.NewScanner(receiver))
	scan := func(tweaks, outputs []byte) (texts []string) {
		verdicts := make([]batch.Verdict, 2)
		found, err := scanner.Scan(context.Background(), silentpay.Transactions{
			Tweaks: tweaks, Outputs: outputs, Ends: []int{3, 6},
		}, verdicts, &batch.SecretOptions{Workers: 1})
		for _, f := range found {
			texts = append(texts, fmt.Sprint(f.Transaction, f.Receiver, matches([]silentpay.Match{f.Match})))
		}
		return append(texts, fmt.Sprint(err, verdicts))
	}
	tweaks := bytes.Repeat(tweak.Bytes(), 2)
	firstOutputs, secondOutputs = slices.Repeat(firstOutputs, 2), slices.Repeat(secondOutputs, 2)
	c.Check("silentpay.Scanner.Scan t.Tweaks", tweaks, slices.Repeat(otherTweak.Bytes(), 2),
		func(b, _ []byte) any { return scan(b, firstOutputs) })
	// The outputs of a transaction with a payment are read again. So each match is one of some of
	// the contents.
	possible := slices.Concat(scan(tweaks, firstOutputs), scan(tweaks, secondOutputs))
	c.Check("silentpay.Scanner.Scan t.Outputs", firstOutputs, secondOutputs, func(b, _ []byte) any {
		return slices.DeleteFunc(scan(tweaks, b), func(match string) bool {
			return slices.Contains(possible, match)
		})
	})
}

func (c changingCalls) pkix() {
	first, second := c.a.private(), c.b.private()
	c.Check("pkix.ParseECPrivateKey der", must(pkix.MarshalECPrivateKey(first)),
		must(pkix.MarshalECPrivateKey(second)), parse(pkix.ParseECPrivateKey))
	c.Check("pkix.ParsePKCS8PrivateKey der", must(pkix.MarshalPKCS8PrivateKey(first)),
		must(pkix.MarshalPKCS8PrivateKey(second)), parse(pkix.ParsePKCS8PrivateKey))
	c.Check("pkix.ParsePrivateKeyPEM text", must(pkix.MarshalECPrivateKeyPEM(first)),
		must(pkix.MarshalECPrivateKeyPEM(second)), parse(pkix.ParsePrivateKeyPEM))
	c.Check("pkix.ParsePrivateKeyPEM text", must(pkix.MarshalPrivateKeyPEM(first)),
		must(pkix.MarshalPrivateKeyPEM(second)), parse(pkix.ParsePrivateKeyPEM))
	c.Check("pkix.ParsePublicKey der", must(pkix.MarshalPublicKey(first.PublicKey())),
		must(pkix.MarshalPublicKey(second.PublicKey())), parse(pkix.ParsePublicKey))
	c.Check("pkix.ParsePublicKeyPEM text", must(pkix.MarshalPublicKeyPEM(first.PublicKey())),
		must(pkix.MarshalPublicKeyPEM(second.PublicKey())), parse(pkix.ParsePublicKeyPEM))
}
