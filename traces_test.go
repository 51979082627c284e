package koblitz_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestDetector checks that the detector finds secret bytes and limbs in texts that fmt prints.
func TestDetector(t *testing.T) {
	secret := anySecret
	var limbs [4]uint64
	for i := range limbs {
		limbs[i] = binary.BigEndian.Uint64(secret[24-8*i:])
	}
	held := struct{ a, b, c, d uint64 }{limbs[0], limbs[1], limbs[2], limbs[3]}
	if got := secrettest.Numbers(t, held); len(got) != 1 || !slices.Equal(got[0], secret) {
		t.Fatalf("Numbers reads %x", got)
	}
	var narrow struct{ a, b, c, d, e, f, g, h, i uint32 }
	for i, number := 0, new(big.Int).SetBytes(secret); i < 9; i++ {
		limb := new(big.Int).And(new(big.Int).Rsh(number, uint(29*i)), big.NewInt(1<<29-1))
		*(*uint32)(unsafe.Add(unsafe.Pointer(&narrow), 4*i)) = uint32(limb.Uint64())
	}
	if got := secrettest.Numbers(t, narrow); len(got) != 1 || !slices.Equal(got[0], secret) {
		t.Fatalf("Numbers reads %x from narrow limbs", got)
	}
	for _, format := range []string{"%x", "%X", "%d", "%v", "%+v", "%b", "%o"} {
		detector := secrettest.Detect(secrettest.NarrowLimbs(narrow)...)
		if text := fmt.Sprintf(format, narrow); detector.Find(text) == "" {
			t.Errorf("%s of narrow limbs is missed: %s", format, text)
		}
	}
	for _, v := range []any{secret, [32]byte(secret), limbs, held, &held} {
		for _, format := range []string{"%x", "%X", "%d", "%v", "%+v", "%#v"} {
			if text := fmt.Sprintf(format, v); secrettest.Detect(secret).Find(text) == "" {
				t.Errorf("%s of a %T is missed: %s", format, v, text)
			}
		}
	}
	if text := string(secret); secrettest.Detect(secret).Find(text) == "" {
		t.Errorf("bytes are missed: %q", text)
	}
	if form := secrettest.Detect(secret).Find("a text that shows nothing of it"); form != "" {
		t.Errorf("%q is found where it is not", form)
	}
}
