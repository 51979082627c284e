//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"crypto/sha256"
	"runtime"
	"slices"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// everything is the table of all operations that the subject can run.
var everything = slices.Concat(operations, leaks, registerLeaks, kernelLeaks)

// leaks are operations that do not use package secret. They wipe their variables, but leave secrets
// elsewhere in memory.
var leaks = []operation{
	{"leak: a copy in a dead frame", func(s *subject) error {
		under(2<<10, func() { sinkFirst(copyOf(s.d())) })
		return nil
	}, 0, aKey},
	{"leak: a stack that grows", func(s *subject) error {
		var b [32]byte
		copy(b[:], s.d())
		use(16 << 10)
		clear(b[:])
		runtime.KeepAlive(&b)
		return nil
	}, freshOnly, aKey},
	{"leak: SHA-256", func(s *subject) error {
		h := sha256.New()
		h.Write(s.d())
		sinkFirst([32]byte(h.Sum(nil)))
		return nil
	}, freshOnly, aKey},
	{"leak: multiplication of the base", func(s *subject) error {
		var d scalar.Scalar
		var r point.Jacobian
		(*keys.Private)(s.key).Load(&d)
		ecmult.ScalarBaseMult(&r, &d)
		d.Wipe()
		r.Wipe()
		return nil
	}, needKeys, aBaseMult},
	{"leak: multiplication of a point", func(s *subject) error {
		var d scalar.Scalar
		var r point.Jacobian
		(*keys.Private)(s.key).Load(&d)
		ecmult.ScalarMult(&r, &d, (*keys.Public)(s.peer).Affine())
		d.Wipe()
		r.Wipe()
		return nil
	}, needKeys, aScalarMult},
	{"leak: a nonce of RFC 6979", func(s *subject) error {
		var d scalar.Scalar
		var b [32]byte
		(*keys.Private)(s.key).Load(&d)
		d.PutBytes(&b)
		var nonces hash.Nonces
		nonces.Init(&b, &[32]byte{}, nil)
		nonces.Next(&b)
		nonces.Wipe()
		d.Wipe()
		clear(b[:])
		runtime.KeepAlive(&b)
		return nil
	}, needKeys | freshOnly, aHash},
	{"leak: an inverse that stays", func(s *subject) error {
		secret.DoDeep(func() {
			var d scalar.Scalar
			var r point.Jacobian
			(*keys.Private)(s.key).Load(&d)
			ecmult.ScalarBaseMult(&r, &d)
			inverse.Invert(&r.Z)
			d.Wipe()
			r.Wipe()
		})
		return nil
	}, needKeys, anAffinePoint},
	{"leak: a key that stays", func(s *subject) error {
		s.made = nil
		kept = append(kept, keys.New((*keys.GroupScalar)(s.x).Value()))
		return nil
	}, needScalars, aKey},
}

// kept and inverse hold private keys and an inverse denominator that are never wiped.
var (
	kept    []keys.Private
	inverse field.Element
)

// copyOf returns a copy of b, and leaves another copy in its dead stack frame.
//
//go:noinline
func copyOf(b []byte) [32]byte {
	var c [512]byte
	copy(c[:], b)
	runtime.KeepAlive(&c)
	return [32]byte(c[:32])
}

//go:noinline
func sinkFirst(b [32]byte) { sunk += int(b[0]) }

var sunk int
