package secp256k1

import "testing"

// TestSignSchnorrKeyOnce checks that if a caller overwrites the key while it signs, the old key is
// used throughout: a signature by one key with the nonce of another would reveal the first.
func TestSignSchnorrKeyOnce(t *testing.T) {
	key := new(ModNScalar).SetInt(12345)
	e := new(ModNScalar).SetInt(777)
	sign := func(challenge func()) (r FieldVal, s ModNScalar) {
		used := *key
		SignSchnorr(&used, new([32]byte), new([32]byte), func(out *ModNScalar, _ *FieldVal) bool {
			out.Set(e)
			if challenge != nil {
				challenge()
				used.Zero()
			}
			return true
		}, &r, &s)
		return r, s
	}
	r, s := sign(nil)
	called := false
	gotR, gotS := sign(func() { called = true })
	if !called || gotR != r || gotS != s {
		t.Errorf("(%v, %v), want (%v, %v); called: %v", gotR, gotS, r, s, called)
	}
}
