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
	"github.com/koblitz-go/koblitz/lab/operations"
)

// everything is the table of all operations that the subject can run.
var everything = slices.Concat(searched, leaks, registerLeaks, kernelLeaks)

// leaks are operations that do not use package secret. They wipe their variables, but leave secrets
// elsewhere in memory.
var leaks = []operation{
	{"leak: a copy in a dead frame", 0, func(o *operations.Operands) error {
		under(2<<10, func() { sinkFirst(copyOf(o.D)) })
		return nil
	}, aKey},
	{"leak: a stack that grows", freshOnly, func(o *operations.Operands) error {
		var b [32]byte
		copy(b[:], o.D)
		use(16 << 10)
		clear(b[:])
		runtime.KeepAlive(&b)
		return nil
	}, aKey},
	{"leak: SHA-256", freshOnly, func(o *operations.Operands) error {
		h := sha256.New()
		h.Write(o.D)
		sinkFirst([32]byte(h.Sum(nil)))
		return nil
	}, aKey},
	{"leak: multiplication of the base", operations.Keys, func(o *operations.Operands) error {
		var d scalar.Scalar
		var r point.Jacobian
		(*keys.Private)(o.Key).Load(&d)
		ecmult.ScalarBaseMult(&r, &d)
		d.Wipe()
		r.Wipe()
		return nil
	}, aBaseMult},
	{"leak: multiplication of a point", operations.Keys, func(o *operations.Operands) error {
		var d scalar.Scalar
		var r point.Jacobian
		(*keys.Private)(o.Key).Load(&d)
		ecmult.ScalarMult(&r, &d, (*keys.Public)(o.Peer).Affine())
		d.Wipe()
		r.Wipe()
		return nil
	}, aScalarMult},
	{"leak: a nonce of RFC 6979", operations.Keys | freshOnly, func(o *operations.Operands) error {
		var d scalar.Scalar
		var b [32]byte
		(*keys.Private)(o.Key).Load(&d)
		d.PutBytes(&b)
		var nonces hash.Nonces
		nonces.Init(&b, &[32]byte{}, nil)
		nonces.Next(&b)
		nonces.Wipe()
		d.Wipe()
		clear(b[:])
		runtime.KeepAlive(&b)
		return nil
	}, aHash},
	{"leak: an inverse that stays", operations.Keys, func(o *operations.Operands) error {
		secret.DoDeep(func() {
			var d scalar.Scalar
			var r point.Jacobian
			(*keys.Private)(o.Key).Load(&d)
			ecmult.ScalarBaseMult(&r, &d)
			inverse.Invert(&r.Z)
			d.Wipe()
			r.Wipe()
		})
		return nil
	}, anAffinePoint},
	{"leak: a key that stays", operations.Scalars, func(o *operations.Operands) error {
		o.Made = nil
		kept = append(kept, keys.New((*keys.GroupScalar)(o.X).Value()))
		return nil
	}, aKey},
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
