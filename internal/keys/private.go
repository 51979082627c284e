package keys

import (
	"sync"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// A Private is a private key. Copies of the struct share one Secret, which it points to, and so the
// public key and the effect of a wipe. The zero value holds no key.
//
// The pointer is hidden in a function value, because printers such as fmt read unexported fields by
// reflection and follow all other kinds of pointers.
type Private struct {
	open func() (*Secret, *ecmult.Blinding)
}

// A Secret is the state that all copies of a Private share.
type Secret struct {
	mu   sync.RWMutex // locked for writing by Wipe, and for reading by all others
	d    scalar.Scalar
	live bool // d holds a key, in [1, n)

	once    sync.Once
	pub     Public // computed in once.Do, unless d was wiped before
	derived bool   // pub holds the public key; set in once.Do
}

// New returns the private key d, which must be in [1, n). It keeps a copy of d.
func New(d *scalar.Scalar) Private {
	s := &Secret{live: true}
	s.d.Set(d)
	return newPrivate(s, nil)
}

func newPrivate(s *Secret, b *ecmult.Blinding) Private {
	return Private{open: func() (*Secret, *ecmult.Blinding) { return s, b }}
}

// secret returns the Secret that k points to, or nil if k holds no key.
func (k *Private) secret() *Secret {
	if k == nil || k.open == nil {
		return nil
	}
	s, _ := k.open()
	return s
}

// Blinded returns a key that shares k's secret and blinds its fixed-base multiplications with b. If
// k is the zero value, the result is the zero value.
func (k *Private) Blinded(b *ecmult.Blinding) Private {
	//ct:secret k.Live() && k.secret().d.IsOdd().Bool()
	s := k.secret()
	if s == nil {
		return Private{}
	}
	return newPrivate(s, b)
}

// Blinding returns the Blinding that k's fixed-base multiplications use. It is nil if k has none or
// is the zero value.
func (k *Private) Blinding() *ecmult.Blinding {
	if k == nil || k.open == nil {
		return nil
	}
	_, b := k.open()
	return b
}

// Load sets d to the secret, which the caller must wipe after use, and returns true. If k holds no
// secret, because it is the zero value or was wiped, Load sets d to zero and returns false.
func (k *Private) Load(d *scalar.Scalar) bool {
	s := k.secret()
	if s == nil {
		d.Zero()
		return false
	}
	// Copy under the lock: a copy made during a wipe could be half of a key, and half a key is easy
	// to guess.
	s.mu.RLock()
	d.Set(&s.d)
	live := s.live
	s.mu.RUnlock()
	return live
}

// Unchanged reports whether d, which Load has set, still is the secret of k, or k was wiped since.
// A function that has computed with d calls it to find a fault that has changed d meanwhile. The
// time does not depend on d or the secret.
func (k *Private) Unchanged(d *scalar.Scalar) bool {
	var again scalar.Scalar
	live := k.Load(&again)
	//ct:secret again.IsHigh().Bool()
	same := again.Equal(d).Reveal()
	again.Wipe()
	return same || !live
}

// Live reports whether k holds a secret.
func (k *Private) Live() bool {
	s := k.secret()
	if s == nil {
		return false
	}
	s.mu.RLock()
	live := s.live
	s.mu.RUnlock()
	return live
}

// Public returns the public key of k, or nil if k holds no secret. The caller must not change it or
// return it to a user, who could assign to it. The first call computes the public key for k and all
// its copies.
func (k *Private) Public() *Public {
	if !k.Live() {
		return nil
	}
	s := k.secret()
	s.once.Do(func() { s.derived = k.computePublic(&s.pub) })
	if !s.derived { //ct:unrun when another goroutine wipes the key meanwhile
		return nil
	}
	return &s.pub
}

// computePublic sets p to the public key of k and reports whether k holds a secret.
func (k *Private) computePublic(p *Public) (ok bool) {
	secret.DoDeep(func() {
		var d scalar.Scalar
		if !k.Load(&d) { //ct:unrun when another goroutine wipes the key meanwhile
			return
		}
		var a point.Affine
		ok = k.Blinding().ScalarBaseMultAffine(&a, &d).Reveal() // true, because d is not zero
		d.Wipe()
		a.Declassify()
		if ok {
			p.SetAffine(&a)
		}
	})
	return ok
}

// Wipe overwrites the secret that k and its copies share.
func (k *Private) Wipe() {
	s := k.secret()
	if s == nil {
		return
	}
	s.mu.Lock()
	s.d.Wipe()
	s.live = false
	s.mu.Unlock()
}
