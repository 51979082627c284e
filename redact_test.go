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

	// encodes says that the type has encodings, which must not show the secret. Encoding any other
	// type must return an error.
	encodes bool

	subjects map[string]any // the value, wrapped in other values in every way
	encoding secrettest.Encodings

	// whatFmtShows is testWhatFmtShows for a type that is plain memory, which fmt prints in some
	// cases without calling the type's methods. It is nil for a type that hides its contents behind
	// a function, which no printer opens.
	whatFmtShows func(t *testing.T, s secretType)
}

// hidden returns the secretType of v, which hides the secret behind a function.
func hidden[T any](v T, text string, secret ...[]byte) secretType {
	return secretType{
		typ: reflect.TypeFor[T](), secret: secret, text: text,
		subjects: secrettest.WrapHidden(v), encoding: secrettest.EncodingsOf(v),
	}
}

// plain returns the secretType of v, which is plain memory.
func plain[T any](v T, text string, secret ...[]byte) secretType {
	return secretType{
		typ: reflect.TypeFor[T](), secret: secret, text: text,
		subjects: secrettest.Wrap(v), encoding: secrettest.EncodingsOf(v),
		whatFmtShows: func(t *testing.T, s secretType) { testWhatFmtShows(t, s, v) },
	}
}

// anySecret is a secret that types hold in tests.
var anySecret = reference.Hex("9fa3c5e7d1b2f4869788a9bacbdcedfe8f7e6d5c4b3a29180706f5e4d3c2b1a9")

func secretTypes(t *testing.T) []secretType {
	secret := anySecret
	key := reference.Must(koblitz.ParsePrivateKey(secret))
	scalar := reference.Must(new(group.Scalar).SetBytes(secret))
	if got := secrettest.Numbers(t, *scalar); len(got) != 1 || !bytes.Equal(got[0], secret) {
		t.Fatalf("the limbs of a scalar are read as %x", got)
	}
	point := new(group.Point).ScalarBaseMult(scalar)
	jacobian := secrettest.Numbers(t, *point)
	if len(jacobian) != 3 || bytes.Equal(jacobian[0], point.Bytes()[1:]) {
		t.Fatalf("the point has no denominator that could be seen: %x", jacobian)
	}
	points := plain(*point, fmt.Sprintf("%x", point.Bytes()),
		slices.Concat(jacobian, secrettest.NarrowLimbs(*point))...)
	points.encodes = true

	input, column := musig2.NewInput(secret), batch.Packed(secret, 32)
	forNonce := musig2.NonceOptions{Extra: input}
	nonce := reference.Must(musig2.GenerateNonce(key, &forNonce))
	scan := reference.Must(silentpay.NewScanKey(key))
	tweak := reference.Must(silentpay.ParsePrivateTweak(secret))
	receiver := reference.Must(silentpay.NewReceiver(scan, key.PublicKey(), 1))
	match := silentpay.Match{Tweak: tweak, Labeled: true, Label: 1}

	const rows, musig = "batch: rows that may be secret (redacted)", "musig2: a secret (redacted)"
	return []secretType{
		hidden(at(key), "koblitz.PrivateKey(redacted)", secret),
		plain(*scalar, "group.Scalar(redacted)", secret),
		points,
		plain(ecdsa.SignOptions{Entropy: secret}, "ecdsa.SignOptions(redacted)", secret),
		plain(schnorr.SignOptions{Aux: secret}, "schnorr.SignOptions(redacted)", secret),
		plain(dleq.Options{Aux: secret}, "dleq.Options(redacted)", secret),
		hidden(*reference.Must(ecdsa.NewSigner(key)), "", secret),
		hidden(*reference.Must(schnorr.NewSigner(key)), "", secret),

		hidden(column, rows, secret),
		hidden(batch.SecretRows{Secrets: column}, rows, secret),
		hidden(batch.ECDHRows{Secrets: column}, rows, secret),
		hidden(batch.SchnorrSignRows{Secrets: column}, rows, secret),
		hidden(batch.ECDSASignRows{Secrets: column}, rows, secret),

		hidden(forNonce, musig, secret),
		hidden(input, musig, secret),
		hidden(at(nonce), musig, secretNumbers(t, nonce)...),

		hidden(*scan, "silentpay.ScanKey(redacted)", secret),
		hidden(*reference.Must(silentpay.NewSpendKey(key)), "silentpay.SpendKey(redacted)", secret),
		hidden(*tweak, "silentpay.PrivateTweak(redacted)", secret),
		hidden(*receiver, "silentpay.Receiver(redacted)", secret),
		hidden(silentpay.Input{Key: key, Taproot: true}, "", secret),
		hidden(match, "", secret),
		hidden(silentpay.Found{Match: match}, "", secret),
		hidden(*reference.Must(silentpay.NewScanner(receiver)), "", secret),
	}
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

type field[T any] struct{ Value T }

// sprintf hides from vet those calls that are wrong on purpose.
var sprintf, detect = fmt.Sprintf, secrettest.Detect

// TestSecretsAreNotPrinted checks that no printer of the standard library shows any part of a
// secret, in any wrapping.
func TestSecretsAreNotPrinted(t *testing.T) {
	for _, s := range secretTypes(t) {
		t.Run(s.typ.String(), func(t *testing.T) {
			detector := detect(s.secret...)
			for name, subject := range s.subjects {
				t.Run(name, func(t *testing.T) {
					secrettest.CheckPrinted(t, detector, s.whatFmtShows == nil, subject)
				})
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
	secrettest.EncodingsOf(*key.PublicKey()).Each(encodes)
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
	secret := anySecret
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
		if s.whatFmtShows == nil {
			continue
		}
		s.whatFmtShows(t, s)
		if v, ok := s.subjects["a value"].(group.Point); ok {
			// With denominator 1, the coordinates of a point show only what its encoding shows.
			points := []group.Point{v}
			group.BatchNormalize(points)
			printed := sprintf("%v", struct{ list []group.Point }{points})
			if form := detect(s.secret...).Find(printed); form != "" {
				t.Errorf("a normalized point shows %s of what it was", form)
			}
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
