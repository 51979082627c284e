//ct:public takes public rows

package batch

import (
	"context"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// TweakRows are public keys, and public tweaks to add to them: the steps of a key's children in
// BIP-32, or of taproot outputs (BIP-341). A secret tweak must not be in these rows:
// koblitz.PublicKey.TweakAdd takes constant time, and AddVartime does not.
type TweakRows struct {
	Keys   Column // 32 bytes, as for koblitz.ParseXOnlyPublicKey, or 33 or 65, as for ParsePublicKey
	Tweaks Column // 32 bytes, big-endian, below n
}

// AddVartime computes key + tweak·G for each row, sets the row's verdict, and returns the number of
// Valid rows. dst must have 65 bytes for each row. If the row is Valid, AddVartime writes to those
// bytes the uncompressed encoding of the key that TweakAdd of koblitz.PublicKey returns, or for
// keys of 32 bytes, TweakAdd of koblitz.XOnlyPublicKey. If the row is Invalid or Malformed, it
// writes zeros.
//
// A row is Malformed if the key cannot be decoded, or if the tweak is not below n. It is Invalid if
// the sum is infinity. A tweak of 0 is allowed: the sum is the key.
//
// If the keys are a column made by [Same], AddVartime decodes the key once. The tweaks must be
// public: the time and the memory accesses depend on them, and later calls may use memory that
// still holds them. Options.Device is not used.
func (r TweakRows) AddVartime(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	c, keys := newCall(engine.AddTweaks, 0, len(verdicts), o), r.Keys.field("Keys", 32, 33, 65)
	switch keys.width {
	case 32:
		c.Rules = engine.XOnly
	case 65:
		c.Rules = device.Uncompressed
	}
	c.decodeSame(&keys.values)
	return c.set(dst, r.Tweaks.field("Tweaks", 32), keys).each(ctx, verdicts)
}

// TweakCheckRows are claims that a taproot output commits to an internal key by a tweak (BIP-341,
// "Script validation rules"): the point key + tweak·G has the given x coordinate and parity.
// Spends of script paths make this claim. The tweak is the hash TapTweak of the key and the root
// of the script tree.
type TweakCheckRows struct {
	Keys     Column // 32 bytes, the internal keys, as for koblitz.ParseXOnlyPublicKey
	Tweaks   Column // 32 bytes, big-endian, below n
	Outputs  Column // 32 bytes, the x coordinates of the outputs
	Parities Column // 1 byte, 0 or 1: bit 0 of the first byte of a control block
}

// Verify sets the verdict of each row, one for each element of verdicts, and returns the number of
// Valid rows. A row is Valid if the claim is true. It is Malformed if the key cannot be decoded, if
// the tweak is not below n, if the output is not below p, or if the parity is neither 0 nor 1.
// Otherwise it is Invalid, even if the output is not the x coordinate of a point.
//
// Every verdict is exact: there is no equation for several rows, which would be slower. So Verify
// returns an error if Exact is set. Options.Device is not used.
func (r TweakCheckRows) Verify(
	ctx context.Context, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.call(len(verdicts), o).each(ctx, verdicts)
}

// VerifyAll reports whether all rows are valid, as [SchnorrRows.VerifyAll] does. It returns an
// error if Exact is set.
func (r TweakCheckRows) VerifyAll(ctx context.Context, rows int, o *Options) (bool, error) {
	return r.call(rows, o).all(ctx)
}

func (r *TweakCheckRows) call(rows int, o *Options) *call {
	c, keys := newCall(engine.CheckTweaks, 0, rows, o), r.Keys.field("Keys", 32)
	c.decodeSame(&keys.values)
	return c.set(nil, r.Tweaks.field("Tweaks", 32), keys, r.Outputs.field("Outputs", 32),
		r.Parities.field("Parities", 1))
}

// decodeSame decodes a column of keys that Same made once, for all rows.
func (c *call) decodeSame(k *values) {
	if k.form != same {
		return
	}
	var p *point.Affine
	if k.width == 32 {
		key, _ := koblitz.ParseXOnlyPublicKey(k.data)
		p = (*keys.XOnly)(key).Affine()
	} else {
		key, _ := koblitz.ParsePublicKey(k.data)
		p = (*keys.Public)(key).Affine()
	}
	if p != nil { // else each row finds the reason why its key cannot be decoded
		c.key = func(int) (*point.Affine, *vartime.SplitTable) { return p, nil }
	}
}
