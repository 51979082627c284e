package ethereum_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ethereum"
)

// private returns the key that both libraries use.
func private(t testing.TB, secret []byte) *koblitz.PrivateKey {
	t.Helper()
	key, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// repeated returns 32 bytes.
func repeated(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func address(t testing.TB, key *koblitz.PrivateKey) common.Address {
	t.Helper()
	a, err := ethereum.Address(key.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAddress(t *testing.T) {
	for _, key := range keys {
		k := private(t, common.LeftPadBytes(key.D.Bytes(), 32))
		if got, want := address(t, k), crypto.PubkeyToAddress(key.PublicKey); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	// The address of the key Keccak-256("cow") in the examples of EIP-712, and its checksum.
	cow := private(t, crypto.Keccak256([]byte("cow")))
	if got := address(t, cow).Hex(); got != "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" {
		t.Error(got)
	}
	for _, key := range []*koblitz.PublicKey{nil, {}} {
		if got, err := ethereum.Address(key); err != koblitz.ErrZeroKey || got != (common.Address{}) {
			t.Errorf("a zero key: %v, %v", got, err)
		}
	}
}

func TestHashes(t *testing.T) {
	for _, message := range []string{"", "a", "Hello Joe", "Hello World", strings.Repeat("x", 1000),
		string(repeated(0))} {
		want := common.Hash(accounts.TextHash([]byte(message)))
		if got := ethereum.PersonalHash([]byte(message)); got != want {
			t.Errorf("PersonalHash(%.20q): %v, want %v", message, got, want)
		}
	}
	// The example of ethers' hashMessage.
	if got, want := ethereum.PersonalHash([]byte("Hello World")), common.HexToHash(
		"0xa1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2"); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	// EIP-712, "Example": Mail. The preimages are those of EIP-191.
	domain := common.HexToHash("0xf2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f")
	mail := common.HexToHash("0xc52c0ee5d84264471806290a3f2c4cecfc5490626bf912d01f240d7a274b371e")
	if got, want := ethereum.DomainHash(domain, mail), common.HexToHash(
		"0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2"); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	validator := common.HexToAddress("0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826")
	preimage := "1900cd2a3d9f938e13cd947ec05abc7fe734df8dd826" + "010203"
	if got, want := ethereum.ValidatorHash(validator, []byte{1, 2, 3}),
		crypto.Keccak256Hash(common.FromHex(preimage)); got != want {
		t.Errorf("ValidatorHash: %v, want %v", got, want)
	}
}

// TestSignVectors has the published signatures of EIP-712, EIP-2098 and EIP-155. All are
// deterministic by RFC 6979.
func TestSignVectors(t *testing.T) {
	cow := crypto.Keccak256([]byte("cow"))
	compact := common.FromHex("1234567890123456789012345678901234567890123456789012345678901234")
	for _, c := range []struct {
		name   string
		secret []byte
		hash   common.Hash
		form   ethereum.Form
		want   string
	}{
		{"EIP-712", cow, common.HexToHash(
			"0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2"), ethereum.V27,
			"4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d" +
				"07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b91562" + "1c"},
		{"EIP-2098, first", compact, ethereum.PersonalHash([]byte("Hello World")), ethereum.Compact,
			"68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90" +
				"7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064"},
		{"EIP-2098, second", compact, ethereum.PersonalHash([]byte("It's a small(er) world")),
			ethereum.Compact, "9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76" +
				"939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793"},
		{"EIP-155", repeated(0x46), common.HexToHash(
			"0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53"), ethereum.YParity,
			"28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276" +
				"67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83" + "00"},
	} {
		key := private(t, c.secret)
		sig, err := ethereum.Sign(key, c.hash, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		b, err := sig.AppendForm([]byte{1}, c.form)
		if err != nil || common.Bytes2Hex(b) != "01"+c.want {
			t.Errorf("%s: %x, %v, want %s", c.name, b, err, c.want)
			continue
		}
		parsed, err := ethereum.ParseSignature(b[1:], c.form)
		if err != nil || parsed != sig {
			t.Errorf("%s: %x, %v", c.name, parsed, err)
		}
		if from, err := parsed.Recover(c.hash); err != nil || from != address(t, key) {
			t.Errorf("%s: %v, %v", c.name, from, err)
		}
		if v, err := sig.V(big.NewInt(1)); c.name == "EIP-155" && (err != nil || v.Int64() != 37) {
			t.Errorf("%s: v is %v, %v", c.name, v, err)
		}
		for _, form := range []ethereum.Form{ethereum.YParity, ethereum.V27, ethereum.Compact} {
			if form == c.form {
				continue
			}
			if got, err := ethereum.ParseSignature(b[1:], form); err == nil {
				t.Errorf("%s: form %d accepts form %d: %x", c.name, form, c.form, got)
			}
		}
	}
}

// TestSign compares signatures with those of go-ethereum, and puts signatures into transactions.
func TestSign(t *testing.T) {
	for i, key := range keys {
		k := private(t, common.LeftPadBytes(key.D.Bytes(), 32))
		hash := ethereum.PersonalHash([]byte{byte(i)})
		sig, err := ethereum.Sign(k, hash, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := crypto.Sign(hash[:], key)
		if err != nil || !bytes.Equal(sig[:], want) {
			t.Errorf("%x, want %x, %v", sig, want, err)
		}
		chain := big.NewInt(1 << 40)
		signer := types.NewPragueSigner(chain)
		for _, data := range []types.TxData{&types.LegacyTx{}, &types.DynamicFeeTx{ChainID: chain}} {
			tx := types.NewTx(data)
			sig, err := ethereum.Sign(k, signer.Hash(tx), nil)
			if err != nil {
				t.Fatal(err)
			}
			if tx, err = tx.WithSignature(signer, sig[:]); err != nil {
				t.Fatal(err)
			}
			if from, err := types.Sender(signer, tx); err != nil || from != address(t, k) {
				t.Error(from, err)
			}
			got, id, err := ethereum.ParseValues(tx.RawSignatureValues())
			legacy := tx.Type() == types.LegacyTxType
			if err != nil || got != sig || legacy && id.Cmp(chain) != 0 || !legacy && id != nil {
				t.Errorf("type %d: %x, %v, %v, want %x", tx.Type(), got, id, err, sig)
			}
			v, err := sig.V(chain)
			if want, _, _ := tx.RawSignatureValues(); legacy && (err != nil || v.Cmp(want) != 0) {
				t.Errorf("v: %v, %v, want %v", v, err, want)
			}
		}
	}
	if _, err := ethereum.Sign(nil, common.Hash{1}, nil); err != koblitz.ErrZeroKey {
		t.Error(err)
	}
	options := &ecdsa.SignOptions{Entropy: []byte("other")}
	a, _ := ethereum.Sign(private(t, repeated(1)), common.Hash{1}, nil)
	b, err := ethereum.Sign(private(t, repeated(1)), common.Hash{1}, options)
	if err != nil || a == b {
		t.Error("the options change nothing", err)
	}
}

// TestSignatureErrors has signatures with one error each, and the words that name it.
func TestSignatureErrors(t *testing.T) {
	sig, err := ethereum.Sign(private(t, repeated(1)), common.Hash{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to int, value []byte) []byte {
		b := bytes.Clone(sig[:])
		copy(b[from:to], value)
		return b
	}
	order := n.Bytes()
	high := new(big.Int).Sub(n, new(big.Int).SetBytes(sig[32:64])).Bytes()
	for _, c := range []struct {
		form ethereum.Form
		b    []byte
		want string
	}{
		{0, sig[:], "form 0"},
		{ethereum.Compact + 1, sig[:], "form 4"},
		{ethereum.YParity, sig[:64], "64 bytes"},
		{ethereum.YParity, append(bytes.Clone(sig[:]), 0), "66 bytes"},
		{ethereum.V27, nil, "0 bytes"},
		{ethereum.Compact, sig[:], "65 bytes"},
		{ethereum.YParity, change(0, 32, order), "r "},
		{ethereum.YParity, change(0, 32, make([]byte, 32)), "r "},
		{ethereum.YParity, change(32, 64, order), "s "},
		{ethereum.YParity, change(32, 64, make([]byte, 32)), "s "},
		{ethereum.YParity, change(32, 64, high), "s is above n/2"},
		{ethereum.YParity, change(64, 65, []byte{2}), "parity of y is 2"},
		{ethereum.YParity, change(64, 65, []byte{27}), "parity of y is 27"},
		{ethereum.V27, change(64, 65, []byte{1}), "v is 1"},
		{ethereum.V27, change(64, 65, []byte{29}), "v is 29"},
		{ethereum.V27, change(64, 65, []byte{26}), "v is 26"},
	} {
		got, err := ethereum.ParseSignature(c.b, c.form)
		if err == nil || !strings.Contains(err.Error(), c.want) || got != (ethereum.Signature{}) {
			t.Errorf("form %d, %x: %x, %v, want an error with %q", c.form, c.b, got, err, c.want)
		}
	}
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:64])
	long := new(big.Int).Lsh(r, 256)
	for _, c := range []struct {
		v, r, s *big.Int
		want    string
	}{
		{nil, r, s, "v is nil"}, {big.NewInt(27), nil, s, "r is nil"},
		{big.NewInt(27), r, nil, "s is nil"},
		{big.NewInt(-1), r, s, "v is negative"}, {big.NewInt(27), big.NewInt(-1), s, "r is negative"},
		{big.NewInt(27), r, big.NewInt(-1), "s is negative"}, {big.NewInt(27), long, s, "r has"},
		{big.NewInt(27), r, long, "s has"}, {big.NewInt(2), r, s, "v is 2"},
		{big.NewInt(26), r, s, "v is 26"}, {big.NewInt(29), r, s, "v is 29"},
		{big.NewInt(34), r, s, "v is 34"}, {big.NewInt(27), r, new(big.Int).SetBytes(high), "n/2"},
		{big.NewInt(27), new(big.Int), s, "r "}, {big.NewInt(27), r, n, "s "},
	} {
		got, id, err := ethereum.ParseValues(c.v, c.r, c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) || got != (ethereum.Signature{}) ||
			id != nil {
			t.Errorf("%v, %v, %v: %x, %v, want an error with %q", c.v, c.r, c.s, got, err, c.want)
		}
	}
	var zero ethereum.Signature
	if from, err := zero.Recover(common.Hash{1}); err == nil {
		t.Errorf("a zero signature: %v", from)
	}
	if b, err := zero.AppendForm([]byte{1}, ethereum.V27); err == nil || len(b) != 1 {
		t.Errorf("a zero signature: %x", b)
	}
	if b, err := sig.AppendForm([]byte{1}, 0); err == nil || len(b) != 1 {
		t.Errorf("no form: %x", b)
	}
	if v, err := zero.V(nil); err == nil {
		t.Errorf("a zero signature: %v", v)
	}
	if v, err := sig.V(big.NewInt(-1)); err == nil {
		t.Errorf("a negative chain ID: %v", v)
	}
}

// FuzzParseSignature parses bytes in each form. An accepted encoding is the only one of its
// signature in that form, and go-ethereum recovers the same address.
func FuzzParseSignature(f *testing.F) {
	sig, err := ethereum.Sign(private(f, repeated(1)), common.Hash{1}, nil)
	if err != nil {
		f.Fatal(err)
	}
	for form := ethereum.YParity; form <= ethereum.Compact; form++ {
		b, err := sig.AppendForm(nil, form)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint8(form))
	}
	f.Fuzz(func(t *testing.T, b []byte, form uint8) {
		sig, err := ethereum.ParseSignature(b, ethereum.Form(form))
		if err != nil {
			if sig != (ethereum.Signature{}) {
				t.Errorf("%x with the error %v", sig, err)
			}
			return
		}
		again, err := sig.AppendForm(nil, ethereum.Form(form))
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%x becomes %x, %v", b, again, err)
		}
		hash := common.Hash{1}
		from, err := sig.Recover(hash)
		key, wantErr := crypto.SigToPub(hash[:], sig[:])
		if (err == nil) != (wantErr == nil) || err == nil && from != crypto.PubkeyToAddress(*key) {
			t.Errorf("%v, %v, want %v, %v", from, err, key, wantErr)
		}
	})
}

// FuzzParseValues parses numbers. An accepted v is the V of the signature and its chain ID, or the
// parity.
func FuzzParseValues(f *testing.F) {
	sig, err := ethereum.Sign(private(f, repeated(1)), common.Hash{1}, nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range []string{"0x", "0x01", "0x1b", "0x1c", "0x23", "0x26", "0x10000000000000023"} {
		b := common.FromHex(v)
		f.Add(b, sig[:32], sig[32:64])
	}
	f.Fuzz(func(t *testing.T, v, r, s []byte) {
		V, R, S := new(big.Int).SetBytes(v), new(big.Int).SetBytes(r), new(big.Int).SetBytes(s)
		sig, chain, err := ethereum.ParseValues(V, R, S)
		if err != nil {
			return
		}
		again, err := sig.V(chain)
		if V.BitLen() <= 1 {
			again = new(big.Int).SetBytes(sig[64:])
		}
		if err != nil || again.Cmp(V) != 0 || new(big.Int).SetBytes(sig[:32]).Cmp(R) != 0 ||
			new(big.Int).SetBytes(sig[32:64]).Cmp(S) != 0 {
			t.Errorf("%v, %v, %v become %v, %x", V, R, S, again, sig)
		}
	})
}

// FuzzSenders decodes a transaction, and compares its sender with go-ethereum's.
func FuzzSenders(f *testing.F) {
	rng := newRand(3)
	chain := big.NewInt(1)
	for range 20 {
		if b, err := transaction(f, rng, chain).MarshalBinary(); err == nil {
			f.Add(b)
		}
	}
	f.Add([]byte{0xc0})
	all := signers(chain)
	f.Fuzz(func(t *testing.T, b []byte) {
		tx := new(types.Transaction)
		if tx.UnmarshalBinary(b) != nil {
			return
		}
		for _, signer := range all {
			compare(t, signer, []*types.Transaction{tx}, nil)
		}
	})
}
