package koblitz_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// publicTypes lists the exported types that hold no secret, with the reason.
var publicTypes = []struct {
	typ reflect.Type
	why string
}{
	{reflect.TypeFor[koblitz.PublicKey](), "a public key"},
	{reflect.TypeFor[koblitz.XOnlyPublicKey](), "a public key"},
	{reflect.TypeFor[koblitz.PreparedKey](), "multiples of a public key"},
	{reflect.TypeFor[ecdsa.Signature](), "r and s, which are published"},
	{reflect.TypeFor[batch.SecretOptions](), "a number"},
	{reflect.TypeFor[batch.SchnorrRows](), "public keys, messages and signatures"},
	{reflect.TypeFor[batch.ECDSARows](), "public keys, hashes and signatures"},
	{reflect.TypeFor[batch.RecoverRows](), "hashes and signatures"},
	{reflect.TypeFor[batch.KeyRows](), "public keys"},
	{reflect.TypeFor[batch.ScalarRows](), "public scalars"},
	{reflect.TypeFor[batch.EllswiftRows](), "public keys"},
	{reflect.TypeFor[batch.TweakRows](), "public keys and public tweaks"},
	{reflect.TypeFor[batch.TweakCheckRows](), "public keys, tweaks and outputs"},
	{reflect.TypeFor[batch.Schnorr](), "public keys, messages and signatures"},
	{reflect.TypeFor[batch.ECDSA](), "public keys, hashes and signatures"},
	{reflect.TypeFor[batch.Queue](), "public keys, messages and signatures"},
	{reflect.TypeFor[batch.Stats](), "numbers of signatures"},
	{reflect.TypeFor[batch.Keys](), "public keys"},
	{reflect.TypeFor[batch.Options](), "a number, a rule and a device, which verifies"},
	{reflect.TypeFor[batch.QueueOptions](), "numbers and rules"},
	{reflect.TypeFor[batch.SRule](), "a rule"},
	{reflect.TypeFor[batch.Reason](), "what is wrong with a public row"},
	{reflect.TypeFor[device.Device](), "an accelerator, which gets public data only"},
	{reflect.TypeFor[device.Kind](), "a number"},
	{reflect.TypeFor[device.Rules](), "rules"},
	{reflect.TypeFor[device.Verdict](), "the result of a verification"},
	{reflect.TypeFor[device.Column](), "rows for verification, which is not constant time"},
	{reflect.TypeFor[device.Call](), "rows for verification, which is not constant time"},
	{reflect.TypeFor[device.Engine](), "what verifies, and gets public data only"},
	{reflect.TypeFor[silentpay.Address](), "public keys"},
	{reflect.TypeFor[silentpay.Transactions](), "what transactions contain"},
	{reflect.TypeFor[silentpay.Candidate](), "an output key, and the number of a label"},
	{reflect.TypeFor[silentpay.Network](), "a number"},
	{reflect.TypeFor[silentpay.Outpoint](), "what a transaction contains"},
	{reflect.TypeFor[dleq.Statement](), "what a proof is about"},
	{reflect.TypeFor[musig2.AggregateKey](), "public keys and public tweaks"},
	{reflect.TypeFor[musig2.AggregateNonce](), "public nonces"},
	{reflect.TypeFor[musig2.InvalidError](), "numbers of signers"},
	{reflect.TypeFor[musig2.PartialSignature](), "a part of a signature"},
	{reflect.TypeFor[musig2.PublicNonce](), "a public nonce"},
	{reflect.TypeFor[musig2.Session](), "public keys, public nonces and a message"},
	{reflect.TypeFor[msm.Accumulator](),
		"terms of a sum that its method names call Vartime: they are public"},
	{reflect.TypeFor[msm.Bases](), "multiples of public points"},
	{reflect.TypeFor[msm.Options](), "a number and a device, which adds up public points"},
}

// TestEveryTypeIsJudged checks that each exported type that is listed in the folder api is also
// listed either in secretTypes, if it can hold a secret, or in publicTypes.
func TestEveryTypeIsJudged(t *testing.T) {
	declaration := regexp.MustCompile(`(?m)^type (\w+) [^=]`) // matches types, but not aliases
	var surface []string
	for _, name := range apiFiles(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pkg, _, _ := strings.Cut(strings.TrimPrefix(string(text), "package "), " ")
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			surface = append(surface, pkg+"."+m[1])
		}
	}

	var judged []string
	for _, s := range secretTypes(t) {
		judged = append(judged, s.typ.String())
	}
	for _, p := range publicTypes {
		judged = append(judged, p.typ.String())
		if p.why == "" {
			t.Errorf("%v holds no secret, and nobody says why", p.typ)
		}
	}
	for i, name := range judged {
		if slices.Contains(judged[:i], name) {
			t.Errorf("%s is listed twice", name)
		}
		if !slices.Contains(surface, name) {
			t.Errorf("%s is listed and not exported", name)
		}
	}
	for _, name := range surface {
		if !slices.Contains(judged, name) {
			t.Errorf("can %s hold a secret? It belongs in secretTypes or in publicTypes", name)
		}
	}
}

// secretInside lists types that can hold a secret even if no field's name shows that: those of
// secretTypes and their underlying types.
var secretInside = []reflect.Type{
	reflect.TypeFor[koblitz.PrivateKey](), reflect.TypeFor[group.Scalar](),
	reflect.TypeFor[group.Point](),
	reflect.TypeFor[ecdsa.SignOptions](), reflect.TypeFor[schnorr.SignOptions](),
	reflect.TypeFor[dleq.Options](),
	reflect.TypeFor[keys.Private](), reflect.TypeFor[keys.Secret](),
	reflect.TypeFor[keys.GroupScalar](), reflect.TypeFor[keys.GroupPoint](),
	reflect.TypeFor[musig2.NonceOptions](), reflect.TypeFor[musig2.Input](),
	reflect.TypeFor[musig.SecretPair](),
	reflect.TypeFor[hash.Nonces](), reflect.TypeFor[ecmult.Blinding](),
}

// secretName matches names of fields that hold secrets. Two names are left out because their fields
// are public: a lower-case nonce is the x coordinate in a signature that is verified, and a seed is
// the hash of everything verified.
var secretName = regexp.MustCompile(`(?i)secret|private|entropy|aux|tweak|blind|(?-i:Nonce)`)

// publicTweaks lists types with a column of tweaks. Their method names or their purpose, such as
// the check of published outputs, say that the tweaks are public.
var publicTweaks = []reflect.Type{
	reflect.TypeFor[batch.TweakRows](), reflect.TypeFor[batch.TweakCheckRows](),
	reflect.TypeFor[silentpay.Transactions](),
}

// TestPublicTypesHoldNoSecret checks that no type in publicTypes has a field that can hold a
// secret, because a field may be added long after the type was listed.
func TestPublicTypesHoldNoSecret(t *testing.T) {
	for _, p := range publicTypes {
		if where := secretIn(p.typ); where != "" {
			t.Errorf("%v%s can hold a secret", p.typ, where)
		}
	}
	// First check that the search finds secrets in the types that have them.
	for _, s := range secretTypes(t) {
		byName := reflect.MapOf(reflect.TypeFor[string](), reflect.PointerTo(s.typ))
		if s.typ == reflect.TypeFor[batch.Column]() {
			continue // public values are in columns too: the name of a field of this type decides
		}
		if secretIn(s.typ) == "" || secretIn(byName) == "" {
			t.Errorf("no secret is found in %v", s.typ)
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[struct{ Secrets batch.Column }](),
		reflect.TypeFor[struct{ a []struct{ aux [32]byte } }](),
		reflect.TypeFor[struct{ f func(*koblitz.PrivateKey) }](), reflect.TypeFor[chan [2]group.Scalar](),
	} {
		if secretIn(typ) == "" {
			t.Errorf("no secret is found in %v", typ)
		}
	}
}

// secretIn returns the path in typ to the first field that can hold a secret, or the empty string
// if there is no such field.
func secretIn(typ reflect.Type) string {
	seen := map[reflect.Type]bool{}
	var search func(typ reflect.Type) string
	search = func(typ reflect.Type) string {
		if slices.Contains(secretInside, typ) {
			return " (" + typ.String() + ")"
		}
		if seen[typ] {
			return ""
		}
		seen[typ] = true
		var inside []reflect.Type
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				public := f.Name == "Tweaks" && slices.Contains(publicTweaks, typ)
				if secretName.MatchString(f.Name) && !public {
					return "." + f.Name
				}
				if where := search(f.Type); where != "" {
					return "." + f.Name + where
				}
			}
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			inside = []reflect.Type{typ.Elem()}
		case reflect.Map:
			inside = []reflect.Type{typ.Key(), typ.Elem()}
		case reflect.Func:
			for i := range typ.NumIn() {
				inside = append(inside, typ.In(i))
			}
			for i := range typ.NumOut() {
				inside = append(inside, typ.Out(i))
			}
		}
		for _, next := range inside {
			if where := search(next); where != "" {
				return where
			}
		}
		return ""
	}
	return search(typ)
}
