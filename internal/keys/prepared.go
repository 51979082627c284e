//ct:public takes public keys

package keys

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A Prepared is a public key with a table of its multiples. There is no table if there was no
// memory for one. The zero value holds no key. A Prepared never changes.
type Prepared struct {
	_     [0]func()
	a     point.Affine // on the curve, both coordinates normalized
	valid bool
	split vartime.SplitTable // table of a, or the zero value
}

// NewPrepared returns a Prepared with the public key a, which must be normalized and on the curve,
// and split, its table. If split is the zero value, there is no table.
func NewPrepared(a *point.Affine, split vartime.SplitTable) *Prepared {
	return &Prepared{a: *a, valid: true, split: split}
}

// Affine returns the key's point, which the caller must not change, or nil if k holds no key. Its
// coordinates are normalized.
func (k *Prepared) Affine() *point.Affine {
	if k == nil || !k.valid {
		return nil
	}
	return &k.a
}

// Table returns the table, which the caller must not change, or nil if k has no table.
func (k *Prepared) Table() *vartime.SplitTable {
	if k == nil || k.split.Size() == 0 {
		return nil
	}
	return &k.split
}
