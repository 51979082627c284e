package koblitz_test

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// TestChangingBytes calls every exported function that takes bytes of a caller, and lets one of
// them change as soon as it is read again. The result must be that for the bytes at first: a value
// that was judged, hashed or signed is the one that was used. Rows of package batch have a test
// there.
func TestChangingBytes(t *testing.T) {
	v, places := newValues(), 0
	calls := v.validCalls(t, func(c call) bool { return len(c.inputs()) > 0 })
	for _, c := range calls {
		for i, b := range c.places() {
			v.change(t, c, i, b, v.second[string(b)])
			v.change(t, c, i, v.second[string(b)], b)
			v.change(t, c, i, bytes.Repeat([]byte{0xff}, len(b)), b)
			places++
		}
	}
	t.Logf("%d calls, %d slices of bytes", len(calls), places)
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
	wanted := func(got []any) bool { return reflect.DeepEqual(got, want) }
	if c.name == "silentpay.Scanner.Scan" && i == 1 {
		// Scan reads the outputs of a transaction with a payment twice, so each result may be that for
		// first or that for second.
		both := append(shown(run(bytes.Clone(second))...), want...)
		wanted = func(got []any) bool {
			return !slices.ContainsFunc(got, func(x any) bool {
				return !slices.ContainsFunc(both, func(y any) bool { return reflect.DeepEqual(x, y) })
			})
		}
	}
	changing.Each(t, first, second, func(b []byte) {
		results := run(b)
		for _, result := range results {
			if _, failed := result.(error); failed && findsFaults.MatchString(c.name) {
				return
			}
		}
		for range 2 { // results that still read the bytes change in between
			if got := shown(results...); !wanted(got) {
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
