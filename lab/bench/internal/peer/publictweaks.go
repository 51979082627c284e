package peer

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"slices"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// The families of operations that add public tweaks to keys. tweakCheck checks that x-only keys,
// tweaked by the rows' hashes, are given outputs (BIP-341). children derives public keys of one
// extended public key (BIP-32).
const (
	tweakCheck = "tweak-check-batch"
	children   = "bip32-batch"
)

// output returns the x-only key tweaked by t, 33 bytes: the parity of its y, and x.
func output(key *koblitz.XOnlyPublicKey, t []byte) []byte {
	b := must(key.TweakAdd(t)).Bytes()
	b[0] &= 1
	return b
}

// An account derives the children of an extended public key.
type account struct {
	key []byte // 33 bytes
	mac hash.Hash
	buf [37]byte
}

// account returns the account with the first of the few keys.
func (m *ManyRows) account() *account {
	a := &account{key: m.FewKeys[0], mac: hmac.New(sha512.New, m.chainCode())}
	copy(a.buf[:], a.key)
	return a
}

// chainCode returns the chain code of the account's key.
func (m *ManyRows) chainCode() []byte { return m.FewXOnly[0] }

// appendTweak appends to dst the tweak of child i, and its chain code: 64 bytes.
func (a *account) appendTweak(dst []byte, i int) []byte {
	binary.BigEndian.PutUint32(a.buf[33:], uint32(i))
	a.mac.Reset()
	a.mac.Write(a.buf[:])
	return a.mac.Sum(dst)
}

// child returns the key of child i, by koblitz's function for one key.
func (a *account) child(i int) *koblitz.PublicKey {
	var room [64]byte
	key := must(koblitz.ParsePublicKey(a.key))
	return must(key.TweakAdd(a.appendTweak(room[:0], i)[:32]))
}

func (b *batches) tweakCheck(n int) Driver {
	outputs := slices.Concat(b.in.Output[:n]...)
	rows := batch.TweakCheckRows{
		Keys: packed(b.xonly, 32, n), Tweaks: packed(b.hash, 32, n),
		Outputs: batch.Strided(outputs[1:], 32, 33), Parities: batch.Strided(outputs, 1, 33),
	}
	return b.verified(n, func() (int, error) {
		return rows.Verify(context.Background(), b.verdicts[:n], oneThread)
	})
}

func (b *batches) children(n int) Driver {
	a, room := b.in.account(), make([]byte, 64*n)
	rows := batch.TweakRows{Keys: batch.Same(a.key), Tweaks: batch.Strided(room, 32, 64)}
	return b.pointsOf(n, func() (int, error) {
		for i := range n {
			a.appendTweak(room[:64*i], i)
		}
		return rows.AddVartime(context.Background(), b.points[:65*n], b.verdicts[:n], oneThread)
	})
}

// tweakRows adds to d the drivers that check tweaks and derive children one after another with
// koblitz's functions for one key.
func tweakRows(in *Inputs, d map[string]Driver) {
	m := in.Many
	oneByOne(in, d, tweakCheck, "one by one", func(i int) bool {
		key, out := must(koblitz.ParseXOnlyPublicKey(m.XOnly[i])), m.Output[i]
		return key.CheckTweakAdd(m.Hash[i], out[1:], out[0] == 1)
	})
	a := m.account()
	var last *koblitz.PublicKey
	rowByRow(in, d, children, "one by one", func(i int) { last = a.child(i) },
		func() []byte { return last.Bytes() })
}

// btcutilRows adds to d the drivers that derive children one after another with btcutil.
func btcutilRows(in *Inputs, d map[string]Driver) {
	m := in.Many
	if len(m.Hash) == 0 {
		return
	}
	parent, last := btcutilAccount(&m), (*hdkeychain.ExtendedKey)(nil)
	rowByRow(in, d, children, "one by one, btcutil", func(i int) {
		last = must(parent.Derive(uint32(i)))
	}, func() []byte { return must(last.ECPubKey()).SerializeCompressed() })
}

// btcutilAccount returns the account of the rows as an extended key of btcutil.
func btcutilAccount(m *ManyRows) *hdkeychain.ExtendedKey {
	version, fingerprint := []byte{0x04, 0x88, 0xb2, 0x1e}, make([]byte, 4) // xpub
	return hdkeychain.NewExtendedKey(version, m.FewKeys[0], m.chainCode(), fingerprint, 3, 0, false)
}
