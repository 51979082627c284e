package koblitz_test

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A secretType is an exported type that can hold a secret, with an example value.
// TestSecretTypesAreListed checks that every exported type that can hold a secret is listed.
type secretType struct {
	typ    reflect.Type
	secret [][]byte // bytes that no printer may show
	text   string   // the text that %v prints, or "" if %v prints an address

	// opaque says that the type hides its contents behind a function, which no printer opens. Other
	// types are plain memory: TestWhatFmtShows has the cases in which fmt prints that memory
	// without calling the type's methods.
	opaque bool
	// encodes says that the type has encodings, which must not show the secret. Encoding any other
	// type must return an error.
	encodes bool

	subjects map[string]any // the value, wrapped in other values in every way
	embedded []any
	encoding secrettest.Encodings
}

// typeOfRows returns the secretType of a column, or of rows of secrets.
func typeOfRows[T any](rows T, secret []byte) secretType {
	return secretType{
		typ: reflect.TypeFor[T](), secret: [][]byte{secret},
		text:   "batch: rows that may be secret (redacted)",
		opaque: true, subjects: wrapHidden(rows), encoding: encodingsOf(rows),
	}
}

func secretTypes(t *testing.T) []secretType {
	secret := reference.Hex("9fa3c5e7d1b2f4869788a9bacbdcedfe8f7e6d5c4b3a29180706f5e4d3c2b1a9")
	key := *reference.Must(koblitz.ParsePrivateKey(secret))
	scalar, err := new(group.Scalar).SetBytes(secret)
	if err != nil {
		t.Fatal(err)
	}
	if got := secrettest.Numbers(t, *scalar); len(got) != 1 || !bytes.Equal(got[0], secret) {
		t.Fatalf("the limbs of a scalar are read as %x", got)
	}
	point := new(group.Point).ScalarBaseMult(scalar)
	jacobian := secrettest.Numbers(t, *point)
	if len(jacobian) != 3 || bytes.Equal(jacobian[0], point.Bytes()[1:]) {
		t.Fatalf("the point has no denominator that could be seen: %x", jacobian)
	}
	forECDSA, forSchnorr := ecdsa.SignOptions{Entropy: secret}, schnorr.SignOptions{Aux: secret}
	forDLEQ := dleq.Options{Aux: secret}
	ecdsaSigner, err := ecdsa.NewSigner(&key)
	if err != nil {
		t.Fatal(err)
	}
	schnorrSigner, err := schnorr.NewSigner(&key)
	if err != nil {
		t.Fatal(err)
	}

	input := musig2.NewInput(secret)
	forNonce := musig2.NonceOptions{Extra: input}
	nonce, err := musig2.GenerateNonce(&key, &forNonce)
	if err != nil {
		t.Fatal(err)
	}
	column := batch.Packed(secret, 32)

	return append(paymentTypes(t, &key, secret), []secretType{
		typeOfRows(column, secret),
		typeOfRows(batch.SecretRows{Secrets: column}, secret),
		typeOfRows(batch.ECDHRows{Secrets: column}, secret),
		typeOfRows(batch.SchnorrSignRows{Secrets: column}, secret),
		typeOfRows(batch.ECDSASignRows{Secrets: column}, secret),
		{
			typ: reflect.TypeFor[koblitz.PrivateKey](), secret: [][]byte{secret},
			text:   "koblitz.PrivateKey(redacted)",
			opaque: true, subjects: wrapHidden(key), encoding: encodingsOf(key),
			embedded: []any{embeddedKey{key}, &embeddedKeyPointer{&key}, key.Blinded(), key.Bytes},
		},
		{
			typ: reflect.TypeFor[group.Scalar](), secret: [][]byte{secret}, text: "group.Scalar(redacted)",
			subjects: wrap(*scalar), encoding: encodingsOf(*scalar),
			embedded: []any{embeddedScalar{*scalar}, &embeddedScalarPointer{scalar}, scalar.Bytes},
		},
		{
			typ:    reflect.TypeFor[group.Point](),
			secret: slices.Concat(jacobian, secrettest.NarrowLimbs(*point)),
			text:   fmt.Sprintf("%x", point.Bytes()), encodes: true,
			subjects: wrap(*point), encoding: encodingsOf(*point),
			embedded: []any{embeddedPoint{*point}, &embeddedPointPointer{point}, point.Bytes},
		},
		{
			typ: reflect.TypeFor[ecdsa.SignOptions](), secret: [][]byte{secret},
			text:     "ecdsa.SignOptions(redacted)",
			subjects: wrap(forECDSA), encoding: encodingsOf(forECDSA),
			embedded: []any{embeddedECDSA{forECDSA}, &embeddedECDSAPointer{&forECDSA}},
		},
		{
			typ: reflect.TypeFor[schnorr.SignOptions](), secret: [][]byte{secret},
			text:     "schnorr.SignOptions(redacted)",
			subjects: wrap(forSchnorr), encoding: encodingsOf(forSchnorr),
			embedded: []any{embeddedSchnorr{forSchnorr}, &embeddedSchnorrPointer{&forSchnorr}},
		},
		{
			typ: reflect.TypeFor[dleq.Options](), secret: [][]byte{secret},
			text:     "dleq.Options(redacted)",
			subjects: wrap(forDLEQ), encoding: encodingsOf(forDLEQ),
			embedded: []any{embeddedDLEQ{forDLEQ}, &embeddedDLEQPointer{&forDLEQ}},
		},
		{
			typ: reflect.TypeFor[musig2.NonceOptions](), secret: [][]byte{secret},
			text:   "musig2: a secret (redacted)",
			opaque: true, subjects: wrapHidden(forNonce), encoding: encodingsOf(forNonce),
		},
		{
			typ: reflect.TypeFor[musig2.Input](), secret: [][]byte{secret},
			text:   "musig2: a secret (redacted)",
			opaque: true, subjects: wrapHidden(input), encoding: encodingsOf(input),
		},
		{
			typ: reflect.TypeFor[musig2.SecretNonce](), secret: secretNumbers(t, nonce),
			text:   "musig2: a secret (redacted)",
			opaque: true, subjects: wrapHidden(at(nonce)), encoding: encodingsOf(at(nonce)),
		},
		{
			typ: reflect.TypeFor[ecdsa.Signer](), secret: [][]byte{secret},
			opaque: true, subjects: wrapHidden(*ecdsaSigner), encoding: encodingsOf(*ecdsaSigner),
		},
		{
			typ: reflect.TypeFor[schnorr.Signer](), secret: [][]byte{secret},
			opaque: true, subjects: wrapHidden(*schnorrSigner), encoding: encodingsOf(*schnorrSigner),
		},
	}...)
}

// at returns *p. It hides from vet that a secret nonce is copied.
func at[T any](p *T) T { return *p }

// secretNumbers returns k1 and k2 of a nonce.
func secretNumbers(t *testing.T, nonce *musig2.SecretNonce) (numbers [][]byte) {
	t.Helper()
	type state struct {
		_ sync.Mutex
		k musig.SecretPair
	}
	s := (*(*func() *state)(unsafe.Pointer(nonce)))()
	var public musig.Nonce
	s.k.Publish(&public, nil)
	if b := public.Bytes(); !bytes.Equal(b[:], nonce.PublicNonce().Bytes()) {
		t.Fatal("the fields of a secret nonce are others")
	}
	for i := range s.k {
		var b [32]byte
		s.k[i].PutBytes(&b)
		numbers = append(numbers, b[:])
	}
	return numbers
}

// paymentTypes returns the types of package silentpay that hold the secret of key.
func paymentTypes(t *testing.T, key *koblitz.PrivateKey, secret []byte) []secretType {
	scan, err := silentpay.NewScanKey(key)
	if err != nil {
		t.Fatal(err)
	}
	spend, err := silentpay.NewSpendKey(key)
	if err != nil {
		t.Fatal(err)
	}
	tweak, err := silentpay.ParsePrivateTweak(secret)
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := silentpay.NewReceiver(scan, key.PublicKey(), 1)
	if err != nil {
		t.Fatal(err)
	}
	input := silentpay.Input{Key: key, Taproot: true}
	match := silentpay.Match{Tweak: tweak, Labeled: true, Label: 1}
	found := silentpay.Found{Match: match}
	scanner, err := silentpay.NewScanner(receiver)
	if err != nil {
		t.Fatal(err)
	}
	return []secretType{
		{
			typ: reflect.TypeFor[silentpay.ScanKey](), secret: [][]byte{secret},
			text:   "silentpay.ScanKey(redacted)",
			opaque: true, subjects: wrapHidden(*scan), encoding: encodingsOf(*scan),
		},
		{
			typ: reflect.TypeFor[silentpay.SpendKey](), secret: [][]byte{secret},
			text:   "silentpay.SpendKey(redacted)",
			opaque: true, subjects: wrapHidden(*spend), encoding: encodingsOf(*spend),
		},
		{
			typ: reflect.TypeFor[silentpay.PrivateTweak](), secret: [][]byte{secret},
			text:   "silentpay.PrivateTweak(redacted)",
			opaque: true, subjects: wrapHidden(*tweak), encoding: encodingsOf(*tweak),
		},
		{
			typ: reflect.TypeFor[silentpay.Receiver](), secret: [][]byte{secret},
			text:   "silentpay.Receiver(redacted)",
			opaque: true, subjects: wrapHidden(*receiver), encoding: encodingsOf(*receiver),
		},
		{
			typ: reflect.TypeFor[silentpay.Input](), secret: [][]byte{secret},
			opaque: true, subjects: wrapHidden(input), encoding: encodingsOf(input),
		},
		{
			typ: reflect.TypeFor[silentpay.Match](), secret: [][]byte{secret},
			opaque: true, subjects: wrapHidden(match), encoding: encodingsOf(match),
		},
		{
			typ: reflect.TypeFor[silentpay.Found](), secret: [][]byte{secret},
			opaque: true, subjects: wrapHidden(found), encoding: encodingsOf(found),
		},
		{
			typ: reflect.TypeFor[silentpay.Scanner](), secret: [][]byte{secret},
			opaque: true, subjects: wrapHidden(*scanner), encoding: encodingsOf(*scanner),
		},
	}
}

// encoding/xml needs names for structs, so these types are named.
type (
	embeddedKey            struct{ koblitz.PrivateKey }
	embeddedKeyPointer     struct{ *koblitz.PrivateKey }
	embeddedScalar         struct{ group.Scalar }
	embeddedScalarPointer  struct{ *group.Scalar }
	embeddedPoint          struct{ group.Point }
	embeddedPointPointer   struct{ *group.Point }
	embeddedECDSA          struct{ ecdsa.SignOptions }
	embeddedECDSAPointer   struct{ *ecdsa.SignOptions }
	embeddedSchnorr        struct{ schnorr.SignOptions }
	embeddedSchnorrPointer struct{ *schnorr.SignOptions }
	embeddedDLEQ           struct{ dleq.Options }
	embeddedDLEQPointer    struct{ *dleq.Options }
)

func wrap[T any](v T) map[string]any { return secrettest.Wrap(v) }

func wrapHidden[T any](v T) map[string]any { return secrettest.WrapHidden(v) }

func encodingsOf[T any](v T) secrettest.Encodings { return secrettest.EncodingsOf(v) }

type field[T any] struct{ Value T }

// sprintf hides from vet those calls that are wrong on purpose.
var sprintf, detect = fmt.Sprintf, secrettest.Detect

// TestSecretsAreNotPrinted checks that no printer of the standard library shows any part of a
// secret, in any wrapping.
func TestSecretsAreNotPrinted(t *testing.T) {
	for _, s := range secretTypes(t) {
		t.Run(s.typ.String(), func(t *testing.T) {
			detector := detect(s.secret...)
			for i, v := range s.embedded {
				s.subjects[fmt.Sprintf("%T, number %d", v, i)] = v
			}
			for name, subject := range s.subjects {
				t.Run(name, func(t *testing.T) { secrettest.CheckPrinted(t, detector, s.opaque, subject) })
			}
			for _, v := range []any{s.subjects["a value"], s.subjects["a pointer"]} {
				if s.text != "" {
					checkText(t, s, v)
				}
			}
			if got := sprintf("%T", s.subjects["a value"]); got != s.typ.String() {
				t.Errorf("%%T prints %s", got)
			}
		})
	}
}

// checkText checks that the verbs and methods that print v give the text for its type, s.text.
func checkText(t *testing.T, s secretType, v any) {
	t.Helper()
	p, ok := v.(interface {
		fmt.Formatter
		fmt.Stringer
		fmt.GoStringer
		slog.LogValuer
	})
	if !ok {
		t.Errorf("%T leaves it to printers what to show", v)
		return
	}
	for what, got := range map[string]string{
		"%v": sprintf("%v", v), "%+v": sprintf("%+v", v), "%s": sprintf("%s", v),
		"String": p.String(), "LogValue": p.LogValue().String(),
	} {
		if got != s.text {
			t.Errorf("%s of a %T is %s, want %s", what, v, got, s.text)
		}
	}
	if got := sprintf("%#v", v); got != p.GoString() || !strings.Contains(got, s.text) {
		t.Errorf("%%#v of a %T prints %s, and GoString returns %s", v, got, p.GoString())
	}
	for verb := 'A'; verb <= 'z' && !s.encodes; verb++ {
		if got := sprintf("%-50"+string(verb), v); !strings.ContainsRune("[pTw", verb) && got != s.text {
			t.Errorf("%%%c of a %T prints %s, want %s", verb, v, got, s.text)
		}
	}
}

// TestSecretsAreNotEncoded checks that encoding a secret is an error. An empty encoding would
// silently lose the secret.
func TestSecretsAreNotEncoded(t *testing.T) {
	encodes := func(encoder string, v any, b []byte, err error) {
		if err != nil {
			t.Errorf("%s of a %T: %v", encoder, v, err)
		}
	}
	// A public key can be encoded in all these wrappings, so an error for a secret is never caused
	// by its wrapping.
	key := reference.Must(koblitz.ParsePrivateKey(bytes.Repeat([]byte{1}, 32)))
	encodingsOf(*key.PublicKey()).Each(encodes)
	for _, s := range secretTypes(t) {
		if s.encodes {
			s.encoding.Each(encodes)
			continue
		}
		s.encoding.Each(func(encoder string, v any, b []byte, err error) {
			if err == nil {
				t.Errorf("%s of a %T is %s", encoder, v, b)
			}
		})
		for _, v := range []any{s.subjects["a value"], s.subjects["a pointer"]} {
			_, text := v.(encoding.TextMarshaler)
			_, binary := v.(encoding.BinaryMarshaler)
			_, json := v.(json.Marshaler)
			_, gob := v.(gob.GobEncoder)
			if !text || s.text != "" && !(binary && json && gob) {
				t.Errorf("%T leaves it to encoders what to do", v)
			}
			for i := range reflect.TypeOf(v).NumMethod() {
				name := reflect.TypeOf(v).Method(i).Name
				switch {
				case strings.HasPrefix(name, "Append") && name != "AppendBytes":
					t.Errorf("%T has %s", v, name)
				case strings.HasPrefix(name, "Marshal"), name == "GobEncode":
					if out := reflect.ValueOf(v).Method(i).Call(nil); out[0].Len() != 0 || out[1].IsNil() {
						t.Errorf("%s of a %T returns %v", name, v, out)
					}
				}
			}
		}
	}
}

// TestErrorsShowNothing checks that the errors of parsers do not show the bytes that were refused.
func TestErrorsShowNothing(t *testing.T) {
	secret := reference.Hex("9fa3c5e7d1b2f4869788a9bacbdcedfe8f7e6d5c4b3a29180706f5e4d3c2b1a9")
	k := reference.Must(koblitz.ParsePrivateKey(secret))
	over := append(bytes.Repeat([]byte{0xff}, 16), secret[16:]...)
	_, long := koblitz.ParsePrivateKey(append([]byte{0}, secret...))
	_, large := koblitz.ParsePrivateKey(over)
	_, tweak := k.TweakAdd(over)
	_, zero := k.TweakAdd(k.Negate().Bytes())
	_, scalar := new(group.Scalar).SetBytes(over)
	_, scalarLong := new(group.Scalar).SetBytes(append([]byte{0}, secret...))
	_, uniform := new(group.Scalar).SetUniformBytes(secret)
	_, reducedLong := new(group.Scalar).SetBytesReduced(append([]byte{0}, secret...))
	detector := detect(secret, k.Negate().Bytes(), over)
	for i, err := range []error{long, large, tweak, zero, scalar, scalarLong, uniform,
		reducedLong} {
		if err == nil {
			t.Fatalf("call %d succeeds", i)
		}
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			if form := detector.Find(sprintf(format, err)); form != "" {
				t.Errorf("an error shows %q: %v", form, err)
			}
		}
	}
}

// TestWhatFmtShows checks that the doc comments of group.Scalar and group.Point are right about
// fmt: in which cases it ignores methods, and which contents it cannot reach. If a newer fmt shows
// less, the comments can say so.
func TestWhatFmtShows(t *testing.T) {
	for _, s := range secretTypes(t) {
		if s.opaque {
			continue
		}
		switch v := s.subjects["a value"].(type) {
		case group.Scalar:
			testWhatFmtShows(t, s, v)
		case group.Point:
			testWhatFmtShows(t, s, v)
			// With denominator 1, the coordinates of a point show only what its encoding shows.
			points := []group.Point{v}
			group.BatchNormalize(points)
			printed := sprintf("%v", struct{ list []group.Point }{points})
			if form := detect(s.secret...).Find(printed); form != "" {
				t.Errorf("a normalized point shows %s of what it was", form)
			}
		case ecdsa.SignOptions:
			testWhatFmtShows(t, s, v)
		case schnorr.SignOptions:
			testWhatFmtShows(t, s, v)
		case dleq.Options:
			testWhatFmtShows(t, s, v)
		default:
			t.Errorf("no case for %T", v)
		}
	}
}

func testWhatFmtShows[T any](t *testing.T, s secretType, v T) {
	type value struct{ v T }
	type list struct{ v []T }
	type pointer struct{ v *T }
	type function struct{ v func() *T }
	detector := detect(s.secret...)
	want := func(shown bool, format string, subject any) {
		t.Helper()
		text := sprintf(format, subject)
		if form := detector.Find(text); (form != "") != shown {
			t.Errorf("%s of a %T prints %s", format, subject, text)
		}
	}
	// fmt shows a value in an unexported field, and a value that is printed with a verb that is a
	// mistake for its type.
	for _, format := range []string{"%v", "%+v", "%#v", "%d", "%x"} {
		want(true, format, value{v})
		want(true, format, &value{v})
		want(true, format, list{[]T{v}})
	}
	want(true, "%p", v)
	want(true, "%w", v)
	want(true, "%w", &v)
	// fmt prints a pointer in an unexported field as an address, except with verbs that are
	// mistakes for pointers.
	for _, f := range secrettest.Flags {
		for _, verb := range "vdxXobpT" {
			want(false, "%"+f+string(verb), pointer{&v})
			want(false, "%"+f+string(verb), &pointer{&v})
		}
	}
	want(true, "%s", pointer{&v})
	want(true, "%q", pointer{&v})
	// fmt also prints an address for a pointer that is inside another value and leads to a struct
	// with an unexported field.
	for _, verb := range "vdxXob" {
		want(false, "%"+string(verb), []any{&field[T]{v}})
	}
	want(true, "%s", []any{&field[T]{v}})
	// fmt never shows a value that a function returns.
	for _, f := range secrettest.Flags {
		for verb := 'A'; verb <= 'z'; verb++ {
			hidden := function{func() *T { return &v }}
			want(false, "%"+f+string(verb), hidden)
			want(false, "%"+f+string(verb), &hidden)
			want(false, "%"+f+string(verb), []any{hidden})
		}
	}
}

func TestKeysAreNotComparable(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[koblitz.PrivateKey](), reflect.TypeFor[koblitz.PublicKey](),
		reflect.TypeFor[koblitz.XOnlyPublicKey](), reflect.TypeFor[koblitz.PreparedKey](),
	} {
		if typ.Comparable() {
			t.Errorf("%v compares with ==", typ)
		}
	}
}
