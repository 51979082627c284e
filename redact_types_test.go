package koblitz_test

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/lab/operations"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// TestSecretTypesAreListed checks that secretTypes has each exported type that can hold a secret,
// and no other.
func TestSecretTypesAreListed(t *testing.T) {
	var secret []reflect.Type
	for _, s := range secretTypes(t) {
		if slices.Contains(secret, s.typ) {
			t.Errorf("%v is listed twice", s.typ)
		}
		secret = append(secret, s.typ)
	}
	for _, typ := range operations.Types {
		if slices.Contains(secret, typ.Type) == (typ.Public != "") {
			t.Errorf("can %v hold a secret? It belongs in secretTypes, or operations.Types says why not",
				typ)
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

// TestPublicTypesHoldNoSecret checks that no type that operations.Types calls public has a field
// that can hold a secret, because a field may be added long after the type was listed.
func TestPublicTypesHoldNoSecret(t *testing.T) {
	for _, typ := range operations.Types {
		if where := secretIn(typ.Type); typ.Public != "" && where != "" {
			t.Errorf("%v%s can hold a secret", typ, where)
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
