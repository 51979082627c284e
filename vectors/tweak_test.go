package vectors

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
)

// An extendedKey is a key in the serialization of BIP-32, without the parent's fingerprint.
type extendedKey struct {
	depth   byte
	parent  [4]byte
	number  uint32
	chain   []byte
	private *koblitz.PrivateKey // nil if the key is public
	public  *koblitz.PublicKey
}

// parseExtended decodes an xprv or xpub by the rules of BIP-32, "Serialization format". Package
// koblitz checks the key inside.
func parseExtended(s string) (*extendedKey, error) {
	b, err := base58Check(s)
	if err != nil {
		return nil, err
	}
	if len(b) != 78 {
		return nil, errors.New("not 78 bytes")
	}
	k := &extendedKey{
		depth:  b[4],
		parent: [4]byte(b[5:9]),
		number: binary.BigEndian.Uint32(b[9:]),
		chain:  b[13:45],
	}
	if k.depth == 0 && (k.parent != [4]byte{} || k.number != 0) {
		return nil, errors.New("a master key with a parent or a number")
	}
	switch hex.EncodeToString(b[:4]) {
	case "0488ade4":
		if b[45] != 0 {
			return nil, errors.New("no zero before the private key")
		}
		if k.private, err = koblitz.ParsePrivateKey(b[46:]); err != nil {
			return nil, err
		}
		k.public = k.private.PublicKey()
	case "0488b21e":
		if k.public, err = koblitz.ParsePublicKey(b[45:]); err != nil {
			return nil, err
		}
	default:
		return nil, errors.New("unknown version")
	}
	return k, nil
}

func base58Check(s string) ([]byte, error) {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	x := new(big.Int)
	for _, c := range s {
		i := strings.IndexRune(alphabet, c)
		if i < 0 {
			return nil, errors.New("not base 58")
		}
		x.Mul(x, big.NewInt(58)).Add(x, big.NewInt(int64(i)))
	}
	b := x.FillBytes(make([]byte, 82))
	first := sha256.Sum256(b[:78])
	second := sha256.Sum256(first[:])
	if !bytes.Equal(second[:4], b[78:]) {
		return nil, errors.New("wrong checksum")
	}
	return b[:78], nil
}

// child derives the private child key with the given number by adding a tweak (BIP-32), and the
// public child key unless the number is hardened.
func (k *extendedKey) child(number uint32) (
	private *koblitz.PrivateKey, public *koblitz.PublicKey, chain []byte, err error,
) {
	tweak, chain := k.tweak(number)
	if private, err = k.private.TweakAdd(tweak); err != nil {
		return nil, nil, nil, err
	}
	if number < 1<<31 {
		public, err = k.public.TweakAdd(tweak)
	}
	return private, public, chain, err
}

// tweak returns the tweak and the chain code of the child key with the given number.
func (k *extendedKey) tweak(number uint32) (tweak, chain []byte) {
	h := hmac.New(sha512.New, k.chain)
	if number >= 1<<31 {
		h.Write(append([]byte{0}, k.private.Bytes()...))
	} else {
		h.Write(k.public.Bytes())
	}
	h.Write(binary.BigEndian.AppendUint32(nil, number))
	sum := h.Sum(nil)
	return sum[:32], sum[32:]
}

// TestBIP32 checks that all keys in the test vectors of BIP-32 are derived from the private parent,
// and where possible also from the public parent. It also checks that invalid keys are refused.
func TestBIP32(t *testing.T) {
	var file struct {
		Chains []struct {
			Seed string
			Keys []struct{ Path, Pub, Prv string }
		}
		Invalid []struct{ Key, Why string }
	}
	loadJSON(t, "bip32.json", &file)

	keys, fromPublic := 0, 0
	for i, chain := range file.Chains {
		derived := map[string]*extendedKey{}
		for _, row := range chain.Keys {
			keys++
			prv, err := parseExtended(row.Prv)
			if err != nil {
				t.Fatalf("vector %d, %s: %v", i+1, row.Path, err)
			}
			pub, err := parseExtended(row.Pub)
			if err != nil {
				t.Fatalf("vector %d, %s: %v", i+1, row.Path, err)
			}
			derived[row.Path] = prv

			var private *koblitz.PrivateKey
			var public *koblitz.PublicKey
			var code []byte
			if row.Path == "m" {
				h := hmac.New(sha512.New, []byte("Bitcoin seed"))
				h.Write(unhex(t, chain.Seed))
				sum := h.Sum(nil)
				private, err = koblitz.ParsePrivateKey(sum[:32])
				code = sum[32:]
			} else {
				slash := strings.LastIndexByte(row.Path, '/')
				step, hardened := strings.CutSuffix(row.Path[slash+1:], "H")
				number, errNumber := strconv.ParseUint(step, 10, 31)
				if errNumber != nil {
					t.Fatal(errNumber)
				}
				if hardened {
					number |= 1 << 31
				}
				if uint32(number) != prv.number {
					t.Errorf("vector %d, %s: child number %d", i+1, row.Path, prv.number)
				}
				private, public, code, err = derived[row.Path[:slash]].child(uint32(number))
			}
			if err != nil {
				t.Fatalf("vector %d, %s: %v", i+1, row.Path, err)
			}
			if !private.Equal(prv.private) || !bytes.Equal(private.Bytes(), prv.private.Bytes()) {
				t.Errorf("vector %d, %s: private key %x, want %x",
					i+1, row.Path, private.Bytes(), prv.private.Bytes())
			}
			if !private.PublicKey().Equal(pub.public) {
				t.Errorf("vector %d, %s: public key %x, want %x",
					i+1, row.Path, private.PublicKey().Bytes(), pub.public.Bytes())
			}
			if public != nil {
				fromPublic++
				if !public.Equal(pub.public) {
					t.Errorf("vector %d, %s: public key %x from the parent's, want %x",
						i+1, row.Path, public.Bytes(), pub.public.Bytes())
				}
			}
			if !bytes.Equal(code, prv.chain) || !bytes.Equal(code, pub.chain) {
				t.Errorf("vector %d, %s: chain code %x, want %x", i+1, row.Path, code, prv.chain)
			}
		}
	}
	count(t, "vectors with a seed", len(file.Chains), 4)
	count(t, "keys", keys, 17)
	count(t, "keys from public parents", fromPublic, 6)

	for _, row := range file.Invalid {
		if _, err := parseExtended(row.Key); err == nil {
			t.Errorf("vector 5: %s: accepted", row.Why)
		}
	}
	count(t, "invalid", len(file.Invalid), 16)
}

// TestBIP328 checks the synthetic extended keys of MuSig2 aggregate keys. It derives children by
// BIP-32 and by tweaks of the aggregate key.
func TestBIP328(t *testing.T) {
	var rows []struct {
		Aggregate string `json:"aggregate_pubkey"`
		Keys      []string
		Xpub      string
	}
	loadJSON(t, "bip328.json", &rows)
	chain := sha256.Sum256([]byte("MuSig2MuSig2MuSig2"))
	for i, row := range rows {
		var keys []*koblitz.PublicKey
		for _, text := range row.Keys {
			keys = append(keys, publicKey(t, text))
		}
		aggregate, err := musig2.AggregateKeys(keys...)
		if err != nil {
			t.Fatal(err)
		}
		xpub, err := parseExtended(row.Xpub)
		if err != nil {
			t.Fatal(err)
		}
		if got := aggregate.PublicKey(); !bytes.Equal(got.Bytes(), unhex(t, row.Aggregate)) ||
			!got.Equal(xpub.public) {
			t.Errorf("vector %d: aggregate key %v", i, got)
		}
		if xpub.depth != 0 || !bytes.Equal(xpub.chain, chain[:]) {
			t.Errorf("vector %d: depth %d, chain code %x", i, xpub.depth, xpub.chain)
		}
		for _, number := range []uint32{0, 7, 1<<31 - 1} {
			tweak, code := xpub.tweak(number)
			child, err := xpub.public.TweakAdd(tweak)
			if err != nil {
				t.Fatal(err)
			}
			if aggregate, err = aggregate.TweakAdd(tweak); err != nil {
				t.Fatal(err)
			}
			if !aggregate.PublicKey().Equal(child) {
				t.Errorf("vector %d: child %d is %v, want %v", i, number, aggregate.PublicKey(), child)
			}
			xpub = &extendedKey{chain: code, public: child}
		}
	}
	count(t, "aggregate keys", len(rows), 3)
}

// TestBIP341 checks that this library computes the keys in BIP-341's wallet vectors: the tweaked
// public key of every output, and, for every spending by key path, the tweaked private key and its
// signature. It checks every control block as a node does, and refuses it with another parity.
func TestBIP341(t *testing.T) {
	var file struct {
		Version      int
		ScriptPubKey []struct {
			Given struct {
				InternalPubkey string
				ScriptTree     any
			}
			Intermediary struct {
				LeafHashes                       []string
				MerkleRoot, Tweak, TweakedPubkey string
			}
			Expected struct {
				ScriptPubKey, Bip350Address string
				ScriptPathControlBlocks     []string
			}
		}
		KeyPathSpending []struct {
			Given         any
			Intermediary  any
			Auxiliary     any
			InputSpending []struct {
				Given struct {
					TxinIndex, HashType         int
					InternalPrivkey, MerkleRoot string
				}
				Intermediary struct {
					InternalPubkey, Tweak, TweakedPrivkey, SigMsg, SigHash string
					PrecomputedUsed                                        []string
				}
				Expected struct{ Witness []string }
			}
		}
	}
	loadJSON(t, "bip341.json", &file)

	blocks := 0
	for i, row := range file.ScriptPubKey {
		internal := xOnlyKey(t, row.Given.InternalPubkey)
		root := unhex(t, row.Intermediary.MerkleRoot)
		tweak := schnorr.TaggedHash("TapTweak", internal.Bytes(), root)
		if got := hex.EncodeToString(tweak[:]); got != row.Intermediary.Tweak {
			t.Errorf("output %d: tweak %s, want %s", i, got, row.Intermediary.Tweak)
		}
		output, err := internal.TaprootTweak(root)
		if err != nil {
			t.Errorf("output %d: %v", i, err)
			continue
		}
		if added, err := internal.TweakAdd(tweak[:]); err != nil || !added.Equal(output) {
			t.Errorf("output %d: TweakAdd returns %v, %v, TaprootTweak %v", i, added, err, output)
		}
		got := hex.EncodeToString(output.XOnlyPublicKey().Bytes())
		if got != row.Intermediary.TweakedPubkey || "5120"+got != row.Expected.ScriptPubKey {
			t.Errorf("output %d: key %s, want %s", i, got, row.Intermediary.TweakedPubkey)
		}
		program := unhex(t, row.Expected.ScriptPubKey)[2:]
		for j, block := range row.Expected.ScriptPathControlBlocks {
			blocks++
			b := unhex(t, block)
			key := xOnlyKey(t, block[2:66])
			node := [32]byte(unhex(t, row.Intermediary.LeafHashes[j]))
			for path := b[33:]; len(path) > 0; path = path[32:] {
				pair := [][]byte{bytes.Clone(node[:]), path[:32]}
				slices.SortFunc(pair, bytes.Compare)
				node = schnorr.TaggedHash("TapBranch", pair...)
			}
			odd := b[0]&1 == 1
			if !key.CheckTaprootTweak(node[:], program, odd) {
				t.Errorf("output %d: control block %s is refused", i, block)
			}
			if key.CheckTaprootTweak(node[:], program, !odd) {
				t.Errorf("output %d: control block %s with the other parity is accepted", i, block)
			}
		}
	}
	count(t, "outputs", len(file.ScriptPubKey), 7)
	count(t, "control blocks", blocks, 12)

	inputs := 0
	for _, tx := range file.KeyPathSpending {
		for i, row := range tx.InputSpending {
			inputs++
			key := privateKey(t, row.Given.InternalPrivkey)
			internal := key.XOnlyPublicKey()
			if got := hex.EncodeToString(internal.Bytes()); got != row.Intermediary.InternalPubkey {
				t.Errorf("input %d: public key %s, want %s", i, got, row.Intermediary.InternalPubkey)
			}
			root := unhex(t, row.Given.MerkleRoot)
			tweaked, err := key.TaprootTweak(root)
			if err != nil || hex.EncodeToString(tweaked.Bytes()) != row.Intermediary.TweakedPrivkey {
				t.Errorf("input %d: tweaked key %x, %v, want %s",
					i, tweaked.Bytes(), err, row.Intermediary.TweakedPrivkey)
				continue
			}
			output, err := internal.TaprootTweak(root)
			if err != nil || !output.Equal(tweaked.PublicKey()) {
				t.Errorf("input %d: the tweaked private and public keys do not match: %v", i, err)
			}
			sig, err := schnorr.Sign(tweaked, unhex(t, row.Intermediary.SigHash),
				&schnorr.SignOptions{Aux: make([]byte, 32)})
			if err != nil {
				t.Fatal(err)
			}
			want := unhex(t, row.Expected.Witness[0])[:64]
			if !bytes.Equal(sig, want) {
				t.Errorf("input %d: signature %x, want %x", i, sig, want)
			}
		}
	}
	count(t, "inputs", inputs, 7)
}

// TestTinySchnorr checks that this library gives the results in tiny-secp256k1's fixtures of x-only
// tweaks. The file also has BIP-340's vectors.
func TestTinySchnorr(t *testing.T) {
	var file struct {
		Bip340testvectors any
		Tweakaddvectors   []struct {
			Pubkey, Tweak string
			Parity        int // 1: y is odd, -1: the result is infinity
			Result        *string
		}
	}
	loadJSON(t, "tiny_schnorr.json", &file)
	for i, row := range file.Tweakaddvectors {
		key := xOnlyKey(t, row.Pubkey)
		got, err := key.TweakAdd(unhex(t, row.Tweak))
		if row.Result == nil {
			if err == nil {
				t.Errorf("row %d: %x, want infinity", i, got.Bytes())
			}
			continue
		}
		if err != nil || hex.EncodeToString(got.XOnlyPublicKey().Bytes()) != *row.Result ||
			got.HasEvenY() != (row.Parity == 0) {
			t.Errorf("row %d: %x, %v, want %s, parity %d", i, got.Bytes(), err, *row.Result, row.Parity)
		}
		tweak, x := unhex(t, row.Tweak), unhex(t, *row.Result)
		right := key.CheckTweakAdd(tweak, x, row.Parity == 1)
		if wrong := key.CheckTweakAdd(tweak, x, row.Parity == 0); !right || wrong {
			t.Errorf("row %d: CheckTweakAdd is %v, and %v with the other parity", i, right, wrong)
		}
	}
	count(t, "tweaks", len(file.Tweakaddvectors), 72)
}
