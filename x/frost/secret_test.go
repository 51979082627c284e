package frost

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/group"
)

// No verb prints a coefficient of a KeyGen in an unexported field, where fmt calls no methods. For
// wrong verbs fmt follows pointers.
func TestKeyGenInFieldIsNotPrinted(t *testing.T) {
	k, err := StartKeyGen(0, 2, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong := "%s"
	constant := fmt.Sprintf(wrong, struct{ s *group.Scalar }{k.polynomial()[0]})
	_, limbs, found := strings.Cut(constant, "=&")
	if !found {
		t.Fatalf("a scalar prints as %q", constant)
	}
	limbs = strings.TrimRight(limbs, ")}")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%p", "%w"} {
		if got := fmt.Sprintf(verb, struct{ k KeyGen }{*k}); strings.Contains(got, limbs) {
			t.Errorf("%s prints %q", verb, got)
		}
	}
}

// Copies of a nonce share it: if one has taken it, the others hold none.
func TestCopiesShareNonce(t *testing.T) {
	n, err := GenerateNonce(nil)
	if err != nil {
		t.Fatal(err)
	}
	var copied SecretNonce
	reflect.ValueOf(&copied).Elem().Set(reflect.ValueOf(n).Elem())
	if _, err := n.take(); err != nil {
		t.Fatal(err)
	}
	if _, err := copied.take(); err == nil {
		t.Error("a copy holds the nonce that was taken")
	}
}

func TestExtraTooLong(t *testing.T) {
	if err := checkExtra(1<<32 - 1); err != nil {
		t.Error(err)
	}
	if checkExtra(1<<32) == nil {
		t.Error("an extra input of 2^32 bytes is accepted")
	}
}
