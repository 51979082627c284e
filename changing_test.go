package koblitz_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/hashes"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/operations"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// TestChangingBytes calls every exported function that takes bytes of a caller, and lets one of
// them change as soon as it is read again. The result must be that for the bytes at first: a value
// that was judged, hashed or signed is the one that was used. Rows of package batch have a test
// there.
func TestChangingBytes(t *testing.T) {
	c := changingCalls{changing.NewCalls(t), newSignedRow(t, "a"), newSignedRow(t, "b"), nil}
	packages := []string{"batch", "device", "dleq", "ecdh", "ecdsa", "ellswift", "group", "hashes",
		"koblitz", "msm", "musig2", "pkix", "schnorr", "silentpay"}
	c.names = changing.Arguments(t, "api", packages...)
	c.keys()
	c.group()
	c.ecdsa()
	c.schnorr()
	c.proofs()
	c.musig2()
	c.silentpay()
	c.pkix()
	c.columns()
	c.Complete("api", packages...)
}

// changingCalls are calls with values of a that change to values of b.
type changingCalls struct {
	*changing.Calls
	a, b  signedRow
	names []string // of all arguments with bytes
}

// A change is an argument that holds the first bytes, which change to the second.
type change [2][]byte

// A changeIn is an argument with a change inside it, such as a struct with a field of this name.
type changeIn struct {
	name  string
	bytes change
	hold  func(b []byte) any // returns the argument with the bytes b
}

// call calls f. In each call, one of the arguments that are a change or have one inside changes.
// An argument that is a function makes a value for each call, whose state is part of the result.
func (c changingCalls) call(f any, args ...any) { c.calls(c.Check, f, args) }

// callOrError is like call for a function that computes twice, to find faults of the machine.
func (c changingCalls) callOrError(f any, args ...any) { c.calls(c.CheckOrError, f, args) }

func (c changingCalls) calls(
	check func(name string, first, second []byte, f func(b, constant []byte) any), f any, args []any,
) {
	name := strings.NewReplacer("(*", "", ")", "").Replace(operations.FunctionName(f)) + " "
	var names []string // of the arguments themselves, in order
	for _, argument := range c.names {
		if rest, ok := strings.CutPrefix(argument, name); ok && !strings.Contains(rest, ".") {
			names = append(names, argument)
		}
	}
	for i, arg := range args {
		call := func(b, _ []byte) any { return callWith(reflect.ValueOf(f), args, i, b) }
		switch arg := arg.(type) {
		case change:
			check(names[0], arg[0], arg[1], call)
			names = names[1:]
		case changeIn:
			check(name+arg.name, arg.bytes[0], arg.bytes[1], call)
			if !strings.Contains(arg.name, ".") {
				names = names[1:]
			}
		case []byte, [][]byte:
			names = names[1:]
		}
	}
}

// callWith calls f with the bytes b in argument i. It returns the error of f, or a text for the
// results.
func callWith(f reflect.Value, args []any, i int, b []byte) any {
	var in, made []reflect.Value
	for k, arg := range args {
		v, use := reflect.ValueOf(arg), b
		switch arg := arg.(type) {
		case nil:
			v = reflect.Zero(f.Type().In(k))
		case change:
			if k != i {
				use = arg[0]
			}
			v = reflect.ValueOf(use)
		case changeIn:
			if k != i {
				use = arg.bytes[0]
			}
			v = reflect.ValueOf(arg.hold(use))
		default:
			if v.Kind() == reflect.Func {
				v = v.Call(nil)[0]
				made = append(made, v)
			}
		}
		in = append(in, v)
	}
	out := f.Call(in)
	if n := len(out); n > 0 {
		if err, ok := out[n-1].Interface().(error); ok {
			return err
		}
	}
	text := ""
	for _, v := range append(out, made...) {
		switch v := v.Interface().(type) {
		case interface{ Bytes() []byte }:
			text += fmt.Sprintf("%x ", v.Bytes())
		case accumulator:
			verdicts := make([]batch.Verdict, 2)
			all, err := v.VerifyAll(context.Background())
			valid, err2 := v.Verify(context.Background(), verdicts)
			text += fmt.Sprint(all, err, valid, verdicts, err2)
		default:
			text += fmt.Sprint(v, " ")
		}
	}
	return text
}

type accumulator interface {
	VerifyAll(context.Context) (bool, error)
	Verify(context.Context, []batch.Verdict) (int, error)
}

// fresh returns a new zero value.
func fresh[T any]() *T { return new(T) }

func must[T any](v T, err error) T { return reference.Must(v, err) }

// A signedRow holds a key, a hash, and signatures of the hash.
type signedRow struct {
	key                                              *koblitz.PreparedKey
	hash, key33, key32, sig64, sig65, bip340, secret []byte

	output []byte // the x coordinate of the x-only key tweaked by hash, and the parity of its y
}

func newSignedRow(t *testing.T, text string) (s signedRow) {
	t.Helper()
	hash, secret := sha256.Sum256([]byte(text)), sha256.Sum256([]byte("the key for "+text))
	key, err := koblitz.ParsePrivateKey(secret[:])
	if err != nil {
		t.Fatal(err)
	}
	s.key, s.hash, s.secret = key.PublicKey().Prepare(1024), hash[:], secret[:]
	s.key33, s.key32 = key.PublicKey().Bytes(), key.XOnlyPublicKey().Bytes()
	if s.sig65, err = ecdsa.SignRecoverable(key, hash[:], nil); err != nil {
		t.Fatal(err)
	}
	s.sig64 = s.sig65[:64]
	if s.bip340, err = schnorr.Sign(key, hash[:], nil); err != nil {
		t.Fatal(err)
	}
	output := reference.Must(key.XOnlyPublicKey().TweakAdd(hash[:]))
	s.output = append(output.XOnlyPublicKey().Bytes(), output.Bytes()[0]&1)
	return s
}

func (s signedRow) private() *koblitz.PrivateKey {
	return must(koblitz.ParsePrivateKey(s.secret))
}

func (s signedRow) public() *koblitz.PublicKey     { return s.private().PublicKey() }
func (s signedRow) xOnly() *koblitz.XOnlyPublicKey { return s.private().XOnlyPublicKey() }

func (s signedRow) point() *group.Point {
	return must(new(group.Point).SetPublicKey(s.public()))
}

// encodings returns the encodings of the values of both rows.
func encodings[T any](c changingCalls, value func(s signedRow) T, encode func(T) []byte) change {
	return change{encode(value(c.a)), encode(value(c.b))}
}

func text[T interface{ MarshalText() ([]byte, error) }](v T) []byte { return must(v.MarshalText()) }

// messageSizes are sizes of messages of BIP-340.
var messageSizes = []int{1, 20, 32, 64, 65, 300, 4000}

// messages returns two messages of a length.
func (c changingCalls) messages(n int) change {
	return change{bytes.Repeat(c.a.hash, n/32+1)[:n], bytes.Repeat(c.b.hash, n/32+1)[:n]}
}

func (c changingCalls) keys() {
	private, public, xOnly := c.a.private(), c.a.public(), c.a.xOnly()
	hash, key32 := change{c.a.hash, c.b.hash}, change{c.a.key32, c.b.key32}
	c.call(koblitz.ParsePrivateKey, change{c.a.secret, c.b.secret})
	for _, key := range []change{
		encodings(c, signedRow.public, (*koblitz.PublicKey).Bytes),
		encodings(c, signedRow.public, (*koblitz.PublicKey).UncompressedBytes),
	} {
		c.call(koblitz.ParsePublicKey, key)
		c.call((*koblitz.PublicKey).UnmarshalBinary, fresh[koblitz.PublicKey], key)
	}
	c.call((*koblitz.PublicKey).UnmarshalText, fresh[koblitz.PublicKey],
		encodings(c, signedRow.public, text))
	c.call(koblitz.ParseXOnlyPublicKey, key32)
	c.call((*koblitz.XOnlyPublicKey).UnmarshalBinary, fresh[koblitz.XOnlyPublicKey], key32)
	c.call((*koblitz.XOnlyPublicKey).UnmarshalText, fresh[koblitz.XOnlyPublicKey],
		encodings(c, signedRow.xOnly, text))
	c.call((*koblitz.PrivateKey).TaprootTweak, private, hash)
	c.call((*koblitz.PrivateKey).TweakAdd, private, hash)
	c.call((*koblitz.PrivateKey).TweakAddXOnly, private, hash)
	c.call((*koblitz.PrivateKey).TweakMul, private, hash)
	c.call((*koblitz.PublicKey).TweakAdd, public, hash)
	c.call((*koblitz.PublicKey).TweakMul, public, hash)
	c.call((*koblitz.XOnlyPublicKey).TweakAdd, xOnly, hash)
	c.call((*koblitz.XOnlyPublicKey).TaprootTweak, xOnly, hash)
	c.call((*koblitz.XOnlyPublicKey).CheckTweakAdd, xOnly, hash,
		change{c.a.output[:32], c.b.output[:32]}, c.a.output[32] == 1)
	taproot := must(xOnly.TaprootTweak(c.a.hash)).Bytes()
	c.call((*koblitz.XOnlyPublicKey).CheckTaprootTweak, xOnly, hash,
		change{taproot[1:], c.b.key32}, taproot[0] == 3)
}

func (c changingCalls) group() {
	secret := change{c.a.secret, c.b.secret}
	c.call((*group.Scalar).SetBytes, fresh[group.Scalar], secret)
	c.call((*group.Scalar).SetBytesReduced, fresh[group.Scalar], secret)
	for _, n := range []int{48, 56, 64} {
		c.call((*group.Scalar).SetUniformBytes, fresh[group.Scalar],
			change{c.a.sig64[:n], c.b.sig64[:n]})
	}
	point := change{c.a.key33, c.b.key33}
	c.call((*group.Point).SetBytes, fresh[group.Point], point)
	c.call((*group.Point).UnmarshalBinary, fresh[group.Point], point)
	c.call((*group.Point).UnmarshalText, fresh[group.Point], encodings(c, signedRow.point, text))
	// A tag of more than 255 bytes is hashed.
	for _, n := range []int{1, 32, 100, 300} {
		msg := c.messages(n)
		for _, f := range []any{
			(*group.Point).HashToCurve, (*group.Point).EncodeToCurve, (*group.Scalar).HashToScalar,
		} {
			receiver := reflect.New(reflect.TypeOf(f).In(0).Elem()).Interface()
			c.call(f, receiver, msg, c.a.hash)
			c.call(f, receiver, c.a.hash, msg)
		}
		c.call(group.BatchHashToCurve, func() []group.Point { return make([]group.Point, 2) },
			changeIn{"msgs", msg, func(b []byte) any { return [][]byte{c.a.hash, b} }}, c.a.hash)
		c.call(group.BatchHashToCurve, func() []group.Point { return make([]group.Point, 2) },
			[][]byte{c.a.hash, c.b.hash}, msg)
		for _, f := range []any{
			hashes.AppendDoubleSHA256, hashes.AppendKeccak256, hashes.AppendSHA256,
		} {
			c.call(f, nil, changeIn{"messages", msg, func(b []byte) any {
				return append(slices.Repeat([][]byte{c.b.hash}, 21), b[:n/2], b[n/2:])
			}})
		}
	}
	xy := func(k *koblitz.PublicKey) []byte { return bytes.Repeat(k.UncompressedBytes()[1:], 3) }
	c.call(msm.PackedSumVartime, context.Background(),
		change{bytes.Repeat(c.a.secret, 3), bytes.Repeat(c.b.secret, 3)},
		encodings(c, signedRow.public, xy), &msm.Options{Workers: 1})
}

func (c changingCalls) proofs() {
	a, b, g := c.a.private(), c.b.public(), c.b.public().Negate()
	hash := change{c.a.hash, c.b.hash}
	for _, o := range []dleq.Options{
		{Aux: c.a.hash}, {Aux: c.a.hash, Message: c.a.hash}, {Aux: c.a.hash, Message: c.a.hash, G: g},
	} {
		s, proof, err := dleq.Prove(a, b, &o)
		if err != nil {
			panic(err)
		}
		c.callOrError(dleq.Prove, a, b, changeIn{"o.Aux", hash, func(b []byte) any {
			return &dleq.Options{Aux: b, Message: o.Message, G: o.G}
		}})
		if o.Message != nil {
			c.callOrError(dleq.Prove, a, b, changeIn{"o.Message", hash, func(b []byte) any {
				return &dleq.Options{Aux: o.Aux, Message: b, G: o.G}
			}})
			c.call(dleq.Verify, changeIn{"s.Message", hash, func(b []byte) any {
				s := *s
				s.Message = b
				return &s
			}}, proof)
		}
		c.call(dleq.Verify, s, change{proof, c.b.sig64})
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
	c.call(dleq.Verify, s,
		change{append(e.Bytes(), k.Bytes()...), append(challenge[:], k.Bytes()...)})

	encoding := func(s signedRow) []byte { return must(ellswift.Create(s.private(), s.hash)) }
	ours, theirs := encoding(c.a), encoding(c.b)
	other := must(ellswift.Create(a, c.b.hash))
	for _, initiating := range []bool{false, true} {
		ours, theirs := change{ours, other}, change{theirs, other}
		c.call(ellswift.SharedSecret, a, ours, theirs, initiating)
		c.call(ellswift.AppendSharedSecret, nil, a, ours, theirs, initiating)
	}
	c.call(ellswift.Create, a, hash)
	c.call(ellswift.Encode, b, hash)
	c.call(ellswift.Decode, change{ours, theirs})

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
	hash, secret := change{c.a.hash, c.b.hash}, change{c.a.secret, c.b.secret}
	for _, f := range []any{(*musig2.AggregateKey).TaprootTweak, (*musig2.AggregateKey).TweakAdd,
		(*musig2.AggregateKey).TweakAddXOnly} {
		c.call(f, key, hash)
	}
	hex := func(c change) change {
		return change{fmt.Appendf(nil, "%x", c[0]), fmt.Appendf(nil, "%x", c[1])}
	}
	nonces := change{slices.Concat(c.a.key33, c.b.key33), slices.Concat(c.b.key33, c.a.key33)}
	c.call(musig2.ParsePublicNonce, nonces)
	c.call((*musig2.PublicNonce).UnmarshalBinary, fresh[musig2.PublicNonce], nonces)
	c.call((*musig2.PublicNonce).UnmarshalText, fresh[musig2.PublicNonce], hex(nonces))
	infinity := make([]byte, 66)
	copy(infinity, c.a.key33)
	for _, nonces := range []change{nonces, {infinity, nonces[1]}} {
		c.call(musig2.ParseAggregateNonce, nonces)
		c.call((*musig2.AggregateNonce).UnmarshalBinary, fresh[musig2.AggregateNonce], nonces)
		c.call((*musig2.AggregateNonce).UnmarshalText, fresh[musig2.AggregateNonce], hex(nonces))
	}
	c.call(musig2.ParsePartialSignature, secret)
	c.call((*musig2.PartialSignature).UnmarshalBinary, fresh[musig2.PartialSignature], secret)
	c.call((*musig2.PartialSignature).UnmarshalText, fresh[musig2.PartialSignature], hex(secret))

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
	c.callOrError(musig2.DeterministicSign, c.a.private(), key, others, c.a.hash, hash)
	for _, n := range messageSizes {
		msg := c.messages(n)
		c.callOrError(musig2.DeterministicSign, c.a.private(), key, others, msg, nil)
		// The sum of two partial signatures is one of the message at first.
		c.Check("musig2.NewSession msg", msg[0], msg[1], func(b, constant []byte) any {
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
	messages := c.messages(3 * 36)
	first, second := arrays[silentpay.Outpoint](messages[0]), arrays[silentpay.Outpoint](messages[1])
	outpoints := changeIn{"outpoints", messages, func(b []byte) any {
		return arrays[silentpay.Outpoint](b)
	}}
	spent := []*koblitz.PublicKey{c.b.public()}
	c.call(silentpay.Outputs, inputs, outpoints, []*silentpay.Address{address, labeled})
	c.call(silentpay.PublicTweak, outpoints, spent)
	c.call((*silentpay.Address).UnmarshalText, fresh[silentpay.Address],
		change{text(address), text(labeled)})
	c.call(silentpay.ParsePrivateTweak, change{c.a.secret, c.b.secret})

	outputs := must(silentpay.Outputs(inputs, first,
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
	tweak, otherTweak := must(silentpay.PublicTweak(first, spent)),
		must(silentpay.PublicTweak(second, spent))
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
	private := func(encode func(*koblitz.PrivateKey) ([]byte, error)) change {
		return change{must(encode(c.a.private())), must(encode(c.b.private()))}
	}
	public := func(encode func(*koblitz.PublicKey) ([]byte, error)) change {
		return change{must(encode(c.a.public())), must(encode(c.b.public()))}
	}
	c.call(pkix.ParseECPrivateKey, private(pkix.MarshalECPrivateKey))
	c.call(pkix.ParsePKCS8PrivateKey, private(pkix.MarshalPKCS8PrivateKey))
	c.call(pkix.ParsePrivateKeyPEM, private(pkix.MarshalECPrivateKeyPEM))
	c.call(pkix.ParsePrivateKeyPEM, private(pkix.MarshalPrivateKeyPEM))
	c.call(pkix.ParsePublicKey, public(pkix.MarshalPublicKey))
	c.call(pkix.ParsePublicKeyPEM, public(pkix.MarshalPublicKeyPEM))
}

// columns lets the memory of columns change, whose rows are keys.
func (c changingCalls) columns() {
	key := change{c.a.key33, c.b.key33}
	for name, column := range map[string]func(b []byte) batch.Column{
		"batch.Packed data":  func(b []byte) batch.Column { return batch.Packed(b, 33) },
		"batch.Strided data": func(b []byte) batch.Column { return batch.Strided(b, 33, 34) },
		"batch.Same value":   batch.Same,
	} {
		c.Check(name, key[0], key[1], func(b, _ []byte) any {
			dst, verdicts := make([]byte, 65), make([]batch.Verdict, 1)
			_, err := batch.KeyRows{Keys: column(b)}.Decompress(context.Background(), dst, verdicts, nil)
			return fmt.Sprint(dst, verdicts, err)
		})
	}
	c.Check("batch.EncodedKeys c", key[0], key[1], func(b, _ []byte) any {
		all, err := batch.ECDSARows{Keys: batch.EncodedKeys(batch.Packed(b, 33)), S: batch.LowS,
			Hashes: batch.Same(c.a.hash), Signatures: batch.Same(c.a.sig64),
		}.VerifyAll(context.Background(), 1, nil)
		return fmt.Sprint(all, err)
	})
}
