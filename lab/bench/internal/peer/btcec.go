package peer

import (
	"maps"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
)

// A btcRow is a row with what btcec parses from it.
type btcRow struct {
	*Row
	private   *btcec.PrivateKey
	xonly     *btcec.PublicKey
	signature *schnorr.Signature
}

func newBtcRow(r *Row) *btcRow {
	private, _ := btcec.PrivKeyFromBytes(r.Secret)
	return &btcRow{r, private, btcXOnly(r.XOnly), btcSignature(r.Schnorr)}
}

func btcXOnly(b []byte) *btcec.PublicKey       { return must(schnorr.ParsePubKey(b)) }
func btcSignature(b []byte) *schnorr.Signature { return must(schnorr.ParseSignature(b)) }

// NewBtcec returns a peer that calls btcd's implementation, which adds BIP-340 and BIP-32 to
// dcrec's arithmetic. Its other operations are dcrec's.
func NewBtcec(in *Inputs) *Peer {
	ops := btcRows(in.btcutilAccount())
	d := single(each(in.rows, newBtcRow), ops)
	maps.Copy(d, rowByRow(in, newBtcRow, ops))
	return &Peer{Name: "btcec", Version: moduleVersion("github.com/btcsuite/btcd/btcec/v2"),
		Note: "arithmetic of dcrec, " + notConstant, Drivers: d}
}

// btcRows returns btcec's operations on single rows.
func btcRows(parent *hdkeychain.ExtendedKey) map[string]op[*btcRow] {
	sign := func(options ...schnorr.SignOption) op[*btcRow] {
		return returns(func(r *btcRow) []byte {
			all := append(options, schnorr.CustomNonce([32]byte(r.Aux)))
			return must(schnorr.Sign(r.private, r.Hash, all...)).Serialize()
		})
	}
	return map[string]op[*btcRow]{
		"schnorr-sign":           sign(),
		"schnorr-sign-unchecked": sign(schnorr.FastSign()),
		"schnorr-verify": verifies(func(r *btcRow) bool {
			return r.signature.Verify(r.Hash, r.xonly)
		}).noted("lifts the key every time"),
		"schnorr-verify-parse": verifies(func(r *btcRow) bool {
			return btcSignature(r.Schnorr).Verify(r.Hash, btcXOnly(r.XOnly))
		}),
		"bip32-batch": gives(func(r *btcRow) *hdkeychain.ExtendedKey {
			return must(parent.Derive(uint32(r.Index)))
		}, func(k *hdkeychain.ExtendedKey) []byte {
			return must(k.ECPubKey()).SerializeCompressed()
		}).noted("btcutil"),
	}
}
