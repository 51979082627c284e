package koblitz_test

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// keepBytes lists the functions whose results hold the bytes of a caller.
var keepBytes = []string{"batch.Packed", "batch.Same", "batch.Strided", "musig2.NewInput"}

// TestChangingBytes calls every exported function that takes bytes of a caller, and lets one of
// them change as soon as it is read again. The result must be that for the bytes at first: a value
// that was judged, hashed or signed is the one that was used. Rows of package batch have a test
// there.
func TestChangingBytes(t *testing.T) {
	v := newValues()
	calls := v.validCalls(t, func(c call) bool {
		return len(c.inputs()) > 0 && !slices.Contains(keepBytes, c.name)
	})
	changes := 0
	for _, c := range calls {
		places := c.places()
		for i := range places {
			for _, pair := range v.changes(places, i) {
				v.change(t, c, i, pair[0], pair[1])
				changes++
			}
		}
	}
	c, first, second := falseProof()
	v.change(t, c, 0, first, second)
	t.Logf("%d calls, %d changes", len(calls), changes)
}

// changes returns bytes at first and later for place i.
func (v *values) changes(places [][]byte, i int) (pairs [][2][]byte) {
	b := places[i]
	other, ff := v.second[string(b)], bytes.Repeat([]byte{0xff}, len(b))
	for _, f := range v.forgeries {
		isMessage := func(b []byte) bool { return bytes.Equal(b, f.message) }
		if len(b) == len(f.first) && slices.ContainsFunc(places, isMessage) {
			pairs = append(pairs, [2][]byte{f.first, f.second})
		}
	}
	return append(pairs, [2][]byte{b, other}, [2][]byte{other, b}, [2][]byte{ff, b})
}

// change runs a call with bytes in place i that change from first to second.
func (v *values) change(t *testing.T, c call, i int, first, second []byte) {
	t.Helper()
	run := func(b []byte) []any {
		results := c.runWith(i, b)
		if sig, ok := results[0].([]byte); ok && c.isRandom() {
			results[0] = schnorr.Verify(v.key, first, sig)
		}
		return results
	}
	want := shown(run(bytes.Clone(first))...)
	either := want
	if c.name == "silentpay.Scanner.Scan" && i == 1 {
		// The outputs of a transaction with a payment are read again.
		either = append(shown(run(bytes.Clone(second))...), want...)
	}
	changing.Each(t, first, second, func(b []byte) {
		results := run(b)
		for _, result := range results {
			if _, failed := result.(error); failed && findsFaults.MatchString(c.name) {
				return
			}
		}
		for range 2 { // results that still read the bytes change in between
			got := shown(results...)
			if !reflect.DeepEqual(got, want) && (len(either) == len(want) || !subset(got, either)) {
				t.Errorf("%s: %.40x becomes %.40x in argument %d: %v, want %v", c.name, first, second,
					i, got, want)
			}
		}
	})
}

// findsFaults matches the names of functions that compute twice, to find faults of the machine.
// They may return an error instead of a result.
var findsFaults = regexp.MustCompile("Sign|Prove")

// isRandom reports whether the call makes a random signature of BIP-340.
func (c call) isRandom() bool {
	for _, arg := range c.args {
		if o, ok := arg.Interface().(*schnorr.SignOptions); ok && o.Aux != nil {
			return false
		}
	}
	return strings.HasPrefix(c.name, "schnorr.") && strings.Contains(c.name, "Sign")
}

// shown returns what reflect.DeepEqual can compare: the encodings of keys and numbers, and nothing
// of random nonces. The matches of a scan are separate results.
func shown(results ...any) (list []any) {
	for _, result := range results {
		switch v := result.(type) {
		case *musig2.SecretNonce:
		case []silentpay.Match:
			for _, m := range v {
				list = append(list, shown(silentpay.Found{Match: m})...)
			}
		case []silentpay.Found:
			for _, f := range v {
				list = append(list, shown(f)...)
			}
		case silentpay.Found:
			tweak := v.Tweak.Bytes()
			v.Tweak = nil
			list = append(list, fmt.Sprintf("%v %x", v, tweak))
		case interface{ Bytes() []byte }:
			if !reflect.ValueOf(v).IsNil() {
				list = append(list, v.Bytes())
			}
		default:
			list = append(list, v)
		}
	}
	return list
}

// falseProof returns the verification of a proof of a false statement, whose challenge is right if
// the first of two slices of bytes becomes the second.
func falseProof() (c call, first, second []byte) {
	a, b := newKeyPair("a"), newKeyPair("b")
	s := &dleq.Statement{A: a.public, B: b.public, C: b.public.Negate()}
	e, k := must(new(group.Scalar).SetBytes(a.Bytes())), must(new(group.Scalar).SetBytes(b.Bytes()))
	point := func(k *koblitz.PublicKey) *group.Point {
		return must(new(group.Point).SetPublicKey(k))
	}
	minus := new(group.Scalar).Negate(e)
	r1 := new(group.Point).DoubleScalarBaseMultVartime(k, minus, point(s.A))
	r2 := new(group.Point).ScalarMultVartime(minus, point(s.C))
	r2.Add(r2, new(group.Point).ScalarMultVartime(k, point(s.B)))
	challenge := schnorr.TaggedHash("BIP0374/challenge", s.A.Bytes(), s.B.Bytes(), s.C.Bytes(),
		new(group.Point).SetGenerator().Bytes(), r1.Bytes(), r2.Bytes())
	first, second = append(e.Bytes(), k.Bytes()...), append(challenge[:], k.Bytes()...)
	c = call{name: "dleq.Verify", f: reflect.ValueOf(dleq.Verify)}
	c.args = []reflect.Value{reflect.ValueOf(s), reflect.ValueOf(first)}
	return c, first, second
}

// subset reports whether all of a are in b.
func subset(a, b []any) bool {
	return !slices.ContainsFunc(a, func(x any) bool {
		return !slices.ContainsFunc(b, func(y any) bool { return reflect.DeepEqual(x, y) })
	})
}
