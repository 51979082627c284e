package koblitz_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// values holds arguments of functions: a key, hashes, signatures of these, and so on.
type values struct {
	byType    map[reflect.Type][]reflect.Value
	encodings []reflect.Value         // slices of bytes for functions with one slice of bytes as input
	second    map[string][]byte       // for slices of bytes, others that are valid in their place
	key       *koblitz.XOnlyPublicKey // verifies the signatures of BIP-340
}

func must[T any](v T, err error) T { return reference.Must(v, err) }

// add adds values of type T, or functions that make one for each run of a call.
func add[T any](v *values, list ...any) {
	typ := reflect.TypeFor[T]()
	for _, value := range list {
		v.byType[typ] = append(v.byType[typ], reflect.ValueOf(value))
	}
}

// pair adds the first of two slices of bytes. Each is valid in place of the other.
func (v *values) pair(first, second []byte) {
	add[[]byte](v, first)
	v.second[string(first)], v.second[string(second)] = second, first
}

// encode adds the first of two slices of bytes, for functions with a single slice of bytes as
// input. The second is valid in its place.
func (v *values) encode(first, second []byte) {
	v.encodings = append(v.encodings, reflect.ValueOf(first))
	v.second[string(first)] = second
}

// encodeEach adds the encodings of two values.
func encodeEach[T any](v *values, first, second T, encodings ...func(T) ([]byte, error)) {
	for _, encoding := range encodings {
		v.encode(must(encoding(first)), must(encoding(second)))
	}
}

// messageSizes are sizes of messages, and longest is the last of them.
var messageSizes = []int{1, 20, 32, 64, 65, 300, longest}

const longest = 4000

// A keyPair holds a key, and a hash that it signs.
type keyPair struct {
	*koblitz.PrivateKey
	public *koblitz.PublicKey
	xOnly  *koblitz.XOnlyPublicKey
	hash   []byte
}

func newKeyPair(text string) keyPair {
	hash, secret := sha256.Sum256([]byte(text)), sha256.Sum256([]byte("the key for "+text))
	key := must(koblitz.ParsePrivateKey(secret[:]))
	return keyPair{key, key.PublicKey(), key.XOnlyPublicKey(), hash[:]}
}

func newValues() *values {
	a, b := newKeyPair("a"), newKeyPair("b")
	v := &values{
		byType: make(map[reflect.Type][]reflect.Value), second: make(map[string][]byte), key: a.xOnly,
	}
	for _, n := range messageSizes {
		first, second := bytes.Repeat(a.hash, n/32+1)[:n], bytes.Repeat(b.hash, n/32+1)[:n]
		v.pair(first, second)
		add[[][]byte](v, append(slices.Repeat([][]byte{b.hash}, 21), first))
	}
	v.keys(a, b)
	v.signatures(a, b)
	v.proofs(a, b)
	v.musig2(a, b)
	v.silentpay(a, b)
	return v
}

func (v *values) keys(a, b keyPair) {
	add[bool](v, false, true)
	add[context.Context](v, context.Background())
	add[*koblitz.PrivateKey](v, a.PrivateKey)
	add[*koblitz.PublicKey](v, a.public)
	add[*koblitz.XOnlyPublicKey](v, a.xOnly)
	add[*koblitz.PreparedKey](v, a.public.Prepare(1024))
	encodeEach(v, a.PrivateKey, b.PrivateKey, pkix.MarshalECPrivateKey, pkix.MarshalECPrivateKeyPEM,
		pkix.MarshalPKCS8PrivateKey, pkix.MarshalPrivateKeyPEM)
	encodeEach(v, a.public, b.public, pkix.MarshalPublicKey, pkix.MarshalPublicKeyPEM,
		(*koblitz.PublicKey).MarshalText)
	encodeEach(v, a.xOnly, b.xOnly, (*koblitz.XOnlyPublicKey).MarshalText)
	output := func(k *koblitz.PublicKey, err error) []byte { return must(k, err).Bytes()[1:] }
	v.pair(a.Bytes(), b.Bytes())
	v.pair(a.xOnly.Bytes(), b.xOnly.Bytes())
	v.pair(a.public.Bytes(), b.public.Bytes())
	v.pair(a.public.UncompressedBytes(), b.public.UncompressedBytes())
	v.pair(output(a.xOnly.TweakAdd(a.hash)), output(b.xOnly.TweakAdd(b.hash)))
	v.pair(output(a.xOnly.TaprootTweak(a.hash)), output(b.xOnly.TaprootTweak(b.hash)))

	add[*group.Scalar](v, must(new(group.Scalar).SetBytes(a.Bytes())))
	add[*group.Point](v, must(new(group.Point).SetPublicKey(a.public)))
	add[[]group.Point](v, func() []group.Point { return make([]group.Point, 2) })
	add[[][]byte](v, [][]byte{a.hash, b.hash})
	add[*msm.Options](v, &msm.Options{Workers: 1})
	v.pair(bytes.Repeat(a.Bytes(), 3), bytes.Repeat(b.Bytes(), 3))
	v.pair(bytes.Repeat(a.public.UncompressedBytes()[1:], 3),
		bytes.Repeat(b.public.UncompressedBytes()[1:], 3))
}

func (v *values) signatures(a, b keyPair) {
	first := must(ecdsa.SignRecoverable(a.PrivateKey, a.hash, nil))
	second := must(ecdsa.SignRecoverable(b.PrivateKey, b.hash, nil))
	sig, other := must(ecdsa.ParseSignature(first[:64])), must(ecdsa.ParseSignature(second[:64]))
	v.pair(first, second)
	v.pair(sig.Bytes(), other.Bytes())
	v.encode(sig.DER(), other.DER())
	encodeEach(v, sig, other, (*ecdsa.Signature).MarshalText)
	for _, n := range []int{48, 56} {
		v.encode(first[:n], second[:n])
	}
	bip340 := must(schnorr.Sign(a.PrivateKey, a.hash, nil))
	for _, n := range messageSizes {
		message := bytes.Repeat(a.hash, n/32+1)[:n]
		v.pair(must(schnorr.Sign(a.PrivateKey, message, nil)), bip340)
	}
	add[*ecdsa.Signature](v, sig)
	add[*ecdsa.Signer](v, must(ecdsa.NewSigner(a.PrivateKey)))
	add[*schnorr.Signer](v, must(schnorr.NewSigner(a.PrivateKey)))
	add[crypto.SignerOpts](v, crypto.Hash(0), crypto.SHA256)
	for _, unchecked := range []bool{false, true} {
		for _, n := range []int{0, 1, 32, 64} {
			entropy := bytes.Repeat(a.hash, 2)[:n]
			add[*ecdsa.SignOptions](v, &ecdsa.SignOptions{Entropy: entropy, Unchecked: unchecked})
		}
		add[*schnorr.SignOptions](v, &schnorr.SignOptions{Unchecked: unchecked},
			&schnorr.SignOptions{Aux: a.hash, Unchecked: unchecked})
	}
	queue := batch.NewQueue(&batch.QueueOptions{Workers: 1, S: batch.AnyS})
	add[*batch.Queue](v, func() *batch.Queue { return queue })
	add[*batch.ECDSA](v, func() *batch.ECDSA { // an accumulator with a constant row
		rows := batch.NewECDSA(2, batch.AnyS, &batch.Options{Workers: 1})
		rows.AddRecoverable(a.public, a.hash, first)
		return rows
	})
	add[*batch.Schnorr](v, func() *batch.Schnorr {
		rows := batch.NewSchnorr(2, &batch.Options{Workers: 1})
		rows.Add(a.xOnly, a.hash, bip340)
		return rows
	})
}

func (v *values) proofs(a, b keyPair) {
	for _, o := range []dleq.Options{
		{Aux: a.hash}, {Aux: a.hash, Message: a.hash},
		{Aux: a.hash, Message: a.hash, G: b.public.Negate()},
	} {
		s, proof, err := dleq.Prove(a.PrivateKey, a.public, &o)
		v.encode(must(proof, err), slices.Repeat(a.hash, 2))
		add[*dleq.Options](v, &o)
		add[*dleq.Statement](v, s)
	}
	v.pair(must(ellswift.Create(a.PrivateKey, a.hash)), must(ellswift.Create(a.PrivateKey, b.hash)))

	engine := enginetest.Fake{Do: func(_ context.Context, c *device.Call) error {
		copy(c.Results, c.Columns[0].Data)
		copy(c.Results, c.Keys)
		return nil
	}}
	add[*device.Device](v, engine.Device())
	for _, c := range []device.Call{
		{Columns: [4]device.Column{{Data: a.public.Bytes(), Stride: 33}}},
		{Keys: bytes.Repeat(a.hash, 2)},
	} {
		add[*device.Call](v, func() *device.Call {
			c.Kind, c.Rows, c.Verdicts = device.Decompress, 1, make([]device.Verdict, 1)
			c.Results = make([]byte, device.KeySize)
			return &c
		})
	}
}

func (v *values) musig2(a, b keyPair) {
	hex := func(b []byte) ([]byte, error) { return fmt.Appendf(nil, "%x", b), nil }
	nonce, infinite := slices.Concat(a.public.Bytes(), b.public.Bytes()), make([]byte, 66)
	encodeEach(v, a.Bytes(), b.Bytes(), hex)
	other := slices.Concat(b.public.Bytes(), a.public.Bytes())
	copy(infinite, a.public.Bytes())
	for _, n := range [][]byte{nonce, infinite} {
		v.encode(n, other)
		encodeEach(v, n, other, hex)
	}
	add[*musig2.AggregateKey](v, must(musig2.AggregateKeys(a.public, b.public)))
	public := must(musig2.GenerateNonce(b.PrivateKey, nil)).PublicNonce()
	add[*musig2.AggregateNonce](v, must(musig2.AggregateNonces(public)))
	v.second[string(inputBytes)] = a.hash
	input := musig2.NewInput(inputBytes)
	add[*musig2.NonceOptions](v, &musig2.NonceOptions{Message: input, Extra: input})
}

func (v *values) silentpay(a, b keyPair) {
	receiver := must(silentpay.NewReceiver(must(silentpay.NewScanKey(a.PrivateKey)), b.public, 1))
	scanner := must(silentpay.NewScanner(receiver))
	address := must(receiver.Address(silentpay.Mainnet))
	labeled := must(receiver.LabeledAddress(silentpay.Mainnet, 1))
	encodeEach(v, address, labeled, (*silentpay.Address).MarshalText)
	inputs, keys := []silentpay.Input{{Key: b.PrivateKey}}, []*koblitz.PublicKey{b.public}
	outpoints, addresses := make([]silentpay.Outpoint, 3), []*silentpay.Address{address, labeled}
	add[*silentpay.Receiver](v, func() *silentpay.Receiver { return receiver })
	add[*silentpay.Scanner](v, func() *silentpay.Scanner { return scanner })
	add[[]silentpay.Input](v, inputs)
	add[[]*koblitz.PublicKey](v, keys)
	add[[]silentpay.Outpoint](v, outpoints)
	add[[]*silentpay.Address](v, addresses)

	tweak := must(silentpay.PublicTweak(outpoints, keys))
	outputs := must(silentpay.Outputs(inputs, outpoints, append(addresses, labeled)))
	first, second := slices.Concat(outputs[0][:], outputs[1][:], outputs[2][:]),
		slices.Concat(outputs[1][:], outputs[2][:], outputs[0][:])
	add[*koblitz.PublicKey](v, tweak)
	add[[][32]byte](v, outputs)
	v.second[string(first)] = second
	first, second = slices.Repeat(first, 2), slices.Repeat(second, 2)
	v.second[string(first)] = second
	tweaks := bytes.Repeat(tweak.Bytes(), 2)
	v.second[string(make([]byte, 3*36))] = bytes.Repeat(a.hash, 4)[:3*36]
	v.second[string(tweaks)] = bytes.Repeat(a.public.Bytes(), 2)
	add[silentpay.Transactions](v, silentpay.Transactions{
		Tweaks: tweaks, Outputs: first, Ends: []int{3, 6},
	})
	add[[]batch.Verdict](v, func() []batch.Verdict { return make([]batch.Verdict, 2) })
	add[*batch.SecretOptions](v, &batch.SecretOptions{Workers: 1})
}
