package peer

import (
	"maps"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
)

// NewBtcec returns a peer that calls btcd's implementation, which adds BIP-340 and BIP-32 to
// dcrec's arithmetic. Its other operations are dcrec's.
func NewBtcec(in *Inputs) *Peer {
	rows := btcRows(in)
	d := in.single(rows)
	maps.Copy(d, in.rowByRow(rows))
	version, note := moduleVersion("github.com/btcsuite/btcd/btcec/v2"), "arithmetic of dcrec"
	return &Peer{Name: "btcec", Version: version, Note: note, Drivers: d}
}

// btcRows returns btcec's operations on single rows.
func btcRows(in *Inputs) map[string]func(s *Set) Driver {
	signature := func(b []byte) *schnorr.Signature { return must(schnorr.ParseSignature(b)) }
	xonly := func(b []byte) *btcec.PublicKey { return must(schnorr.ParsePubKey(b)) }
	sign := func(options ...schnorr.SignOption) func(s *Set) Driver {
		return func(s *Set) Driver {
			keys := parsed(s.Secret, func(b []byte) *btcec.PrivateKey {
				k, _ := btcec.PrivKeyFromBytes(b)
				return k
			})
			return returns(Variable, func(i int) []byte {
				all := append(options, schnorr.CustomNonce([32]byte(s.Aux[i])))
				return must(schnorr.Sign(keys[i], s.Hash[i], all...)).Serialize()
			})
		}
	}
	return map[string]func(s *Set) Driver{
		"schnorr-sign":           sign(),
		"schnorr-sign-unchecked": sign(schnorr.FastSign()),
		"schnorr-verify": func(s *Set) Driver {
			keys, sigs := parsed(s.XOnly, xonly), parsed(s.Schnorr, signature)
			return verifies(func(i int) bool {
				return sigs[i].Verify(s.Hash[i], keys[i])
			}).noted("lifts the key every time")
		},
		"schnorr-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return signature(s.Schnorr[i]).Verify(s.Hash[i], xonly(s.XOnly[i]))
			})
		},
		"bip32-batch": func(*Set) Driver {
			parent := in.btcutilAccount()
			return gives(Public, func(i int) *hdkeychain.ExtendedKey {
				return must(parent.Derive(uint32(i)))
			}, func(k *hdkeychain.ExtendedKey) []byte {
				return must(k.ECPubKey()).SerializeCompressed()
			}).noted("btcutil")
		},
	}
}
