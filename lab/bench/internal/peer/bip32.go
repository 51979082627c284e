package peer

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"hash"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
)

// An account derives public keys of one extended public key (BIP-32): the first key of the inputs,
// with its x coordinate as the chain code.
type account struct {
	key []byte // 33 bytes
	mac hash.Hash
	buf [37]byte
}

func (in *Inputs) account() *account {
	a := &account{key: in.rows[0].Key, mac: hmac.New(sha512.New, in.rows[0].XOnly)}
	copy(a.buf[:], a.key)
	return a
}

// appendTweak appends to dst the tweak of child i, and its chain code: 64 bytes.
func (a *account) appendTweak(dst []byte, i int) []byte {
	binary.BigEndian.PutUint32(a.buf[33:], uint32(i))
	a.mac.Reset()
	a.mac.Write(a.buf[:])
	return a.mac.Sum(dst)
}

// btcutilAccount returns the same account as an extended key of btcutil.
func (in *Inputs) btcutilAccount() *hdkeychain.ExtendedKey {
	version, fingerprint := []byte{0x04, 0x88, 0xb2, 0x1e}, make([]byte, 4) // xpub
	key, code := in.rows[0].Key, in.rows[0].XOnly
	return hdkeychain.NewExtendedKey(version, key, code, fingerprint, 3, 0, false)
}
