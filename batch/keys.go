//ct:public takes public rows

package batch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Keys holds the public keys of all rows. [EncodedKeys] and [PreparedKeys] return Keys. The zero
// value is missing: a call that needs keys returns an error.
type Keys struct {
	encoded Column
	// The slices are behind a function, like the memory of a Column, because calls keep them: if
	// they were fields here, the compiler would move the columns of a call to the heap as well.
	prepared func() (set []*koblitz.PreparedKey, indices []uint32)
}

// EncodedKeys returns keys that a call decodes from a column. For BIP-340 they have 32 bytes, as
// for koblitz.ParseXOnlyPublicKey, and for ECDSA 33 or 65, as for koblitz.ParsePublicKey. A call
// returns an error if the column has another width.
func EncodedKeys(c Column) Keys { return Keys{encoded: c} }

// PreparedKeys returns keys from a set, for keys that sign often, such as those of validators: row
// i is signed under set[indices[i]]. The set may have any size. Its keys may have tables of any
// size, or no tables. A row is Malformed if its index is beyond the set, or if the key there is nil
// or a zero value. A call returns an error if indices is nil, or does not have one index for each
// row.
//
// The verdicts are those of [schnorr.VerifyPrepared], [ecdsa.VerifyPrepared] and
// [ecdsa.VerifyPreparedLowS]. A call verifies each row separately, never several rows by one
// equation. It reads both slices and never writes to them. They must not change while the call
// runs.
func PreparedKeys(set []*koblitz.PreparedKey, indices []uint32) Keys {
	return Keys{prepared: func() ([]*koblitz.PreparedKey, []uint32) { return set, indices }}
}

// field returns the field of encoded keys. If the keys are prepared, it returns a column without
// memory in its place, for setPrepared.
func (k *Keys) field(widths ...int) field {
	f := k.encoded.field("Keys", widths...)
	if k.prepared != nil {
		f.values = values{form: same, width: widths[0]}
	}
	return f
}

// setPrepared sets the keys of a call of a prepared kind. The CPU takes keys with their tables from
// the set. If a device accepts the call, setPrepared also encodes the keys for the device, as a set
// of points and a column of indices.
func (c *call) setPrepared(set []*koblitz.PreparedKey, indices []uint32) error {
	if indices == nil {
		return errors.New("batch: Keys: prepared keys without indices")
	}
	if len(indices) != c.Rows {
		return fmt.Errorf("batch: Keys: %d indices, want %d", len(indices), c.Rows)
	}
	c.key = func(i int) (*point.Affine, *vartime.SplitTable) {
		if index := indices[i]; uint64(index) < uint64(len(set)) {
			k := (*keys.Prepared)(set[index])
			return k.Affine(), k.Table()
		}
		return nil, nil
	}
	if c.Device == nil || !c.Device.Accepts(c.Kind, c.Rules, c.Rows) {
		c.Device = nil // without a column of indices, the device must not get the call
		return nil
	}
	numbers := make([]byte, 0, 4*c.Rows)
	for _, index := range indices {
		numbers = binary.LittleEndian.AppendUint32(numbers, index)
	}
	c.Columns[1] = device.Column{Data: numbers, Stride: 4}
	c.Keys = make([]byte, device.PointSize*len(set))
	for i, k := range set {
		if p := (*keys.Prepared)(k).Affine(); p != nil {
			b := c.Keys[device.PointSize*i:]
			p.X.PutBytes((*[32]byte)(b))
			p.Y.PutBytes((*[32]byte)(b[32:]))
		}
	}
	return nil
}
