package wire

import (
	"bytes"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
)

// samples returns a signed transaction of each type for the given chain, and two legacy
// transactions without a chain.
func samples(t testing.TB, chain uint64) (txs []*types.Transaction) {
	t.Helper()
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	id256 := uint256.NewInt(chain)
	id := id256.ToBig()
	to, one := common.Address{1, 2, 3}, big.NewInt(1)
	access := types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}, {2}}},
		{Address: common.Address{9}}}
	auth, err := types.SignSetCode(key, types.SetCodeAuthorization{ChainID: *id256, Address: to})
	if err != nil {
		t.Fatal(err)
	}
	prague := types.NewPragueSigner(id)
	for _, x := range []struct {
		signer types.Signer
		data   types.TxData
	}{
		{types.HomesteadSigner{}, &types.LegacyTx{Nonce: 1, GasPrice: one, Gas: 1, To: &to, Value: one}},
		{types.HomesteadSigner{}, &types.LegacyTx{GasPrice: one, Value: one, Data: []byte{0x60, 0}}},
		{types.NewEIP155Signer(id), &types.LegacyTx{Nonce: 200, GasPrice: new(big.Int), Gas: 21000,
			To: &to, Value: new(big.Int), Data: make([]byte, 300)}},
		{prague, &types.AccessListTx{ChainID: id, GasPrice: one, To: &to, Value: one,
			AccessList: access}},
		{prague, &types.DynamicFeeTx{ChainID: id, GasTipCap: one, GasFeeCap: one, Value: one}},
		{prague, &types.BlobTx{ChainID: id256, To: to, AccessList: access,
			BlobHashes: []common.Hash{{1}}}},
		{prague, &types.SetCodeTx{ChainID: id256, To: to, AuthList: []types.SetCodeAuthorization{auth,
			auth}}},
	} {
		tx, err := types.SignNewTx(key, x.signer, x.data)
		if err != nil {
			t.Fatal(err)
		}
		txs = append(txs, tx)
	}
	return txs
}

// compare checks that Decode accepts raw if and only if go-ethereum does, with the same values.
func compare(t *testing.T, raw []byte) (good bool) {
	t.Helper()
	var tx Transaction
	err := tx.Decode(raw)
	want := new(types.Transaction)
	wantErr := want.UnmarshalBinary(raw)
	if wantErr == nil && want.BlobTxSidecar() != nil {
		return false // the form of networks, which no block has
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%x: %v; go-ethereum says %v", raw, err, wantErr)
	}
	if err != nil {
		return false
	}
	v, r, s := want.RawSignatureValues()
	if byte(tx.Type) != want.Type() || !bytes.Equal(tx.V, v.Bytes()) ||
		!bytes.Equal(tx.R, r.Bytes()) || !bytes.Equal(tx.S, s.Bytes()) {
		t.Fatalf("%x: %+v", raw, tx)
	}
	for i, part := range [][]byte{tx.Unsigned, tx.V, tx.R, tx.S} {
		if cap(part) != len(part) {
			t.Fatalf("%x: appending to part %d changes the input", raw, i)
		}
	}
	// go-ethereum calls every v but 27, 28, 0 and 1 protected.
	chain, protected := want.ChainId(), want.Protected()
	if tx.Type == Legacy && protected && (!v.IsUint64() || v.Uint64() >= 35) != tx.Protected ||
		tx.Type != Legacy && !tx.Protected ||
		tx.Protected && (tx.LongChainID == chain.IsUint64() ||
			!tx.LongChainID && tx.ChainID != chain.Uint64()) {
		t.Fatalf("%x: %+v, want the chain %v, %v", raw, tx, chain, protected)
	}
	// The payload is the one that go-ethereum hashes, for a signer of the transaction's chain.
	signer := types.Signer(types.HomesteadSigner{})
	switch {
	case !tx.Protected:
	case tx.Type == Legacy:
		signer = types.NewEIP155Signer(chain)
	case chain.Sign() == 0: // go-ethereum has no signer for it
		return true
	default:
		signer = types.NewPragueSigner(chain)
	}
	if got := crypto.Keccak256Hash(tx.AppendSigningPayload(nil)); got != signer.Hash(want) {
		t.Fatalf("%x: another payload, %x", raw, tx.AppendSigningPayload(nil))
	}
	return true
}

// TestTransaction compares the decoded samples with go-ethereum's. Each byte of a transaction is
// changed, and the transaction is cut at each byte.
func TestTransaction(t *testing.T) {
	good, bad := 0, 0
	for i, sample := range samples(t, 1) {
		raw, err := sample.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if !compare(t, raw) {
			t.Errorf("sample %d is refused", i)
		}
		for at := range raw {
			for _, c := range []byte{0, 1, 0x7f, 0x80, 0x81, 0xb8, 0xc0, 0xc1, raw[at] ^ 1, raw[at] + 1} {
				changed := bytes.Clone(raw)
				changed[at] = c
				if compare(t, changed) {
					good++
				} else {
					bad++
				}
			}
			compare(t, raw[:at])
		}
		compare(t, append(bytes.Clone(raw), 0))
	}
	if good < 5000 || bad < 1000 {
		t.Errorf("%d changed transactions are accepted, %d refused", good, bad)
	}
}

// A node is an RLP string, or a list of nodes.
type node struct {
	text []byte
	list []*node // nil for a string
}

func parse(t testing.TB, content []byte) []*node {
	all := []*node{}
	for len(content) > 0 {
		kind, item, rest, err := rlp.Split(content)
		if err != nil {
			t.Fatal(err)
		}
		n := &node{text: item}
		if kind == rlp.List {
			n = &node{list: parse(t, item)}
		}
		all, content = append(all, n), rest
	}
	return all
}

func encode(list []*node) []byte {
	var b []byte
	for _, n := range list {
		if n.list != nil {
			b = append(b, encode(n.list)...)
		} else {
			b = AppendString(b, n.text)
		}
	}
	return WrapList(b, 0)
}

// visitAll calls visit with a pointer to every node of list, and to those in its lists.
func visitAll(list []*node, visit func(at **node)) {
	for i := range list {
		visit(&list[i])
		visitAll(list[i].list, visit)
	}
}

// TestLengths replaces each item of each transaction by strings of all relevant lengths, by lists
// and by nothing.
func TestLengths(t *testing.T) {
	var others []*node
	for _, size := range []int{0, 1, 2, 7, 8, 9, 19, 20, 21, 31, 32, 33, 55, 56, 300} {
		for _, first := range []byte{0, 1, 0x7f, 0xff} {
			text := bytes.Repeat([]byte{0x55}, size)
			if size > 0 {
				text[0] = first
			}
			others = append(others, &node{text: text})
		}
	}
	one := &node{text: []byte{1}}
	others = append(others, &node{list: []*node{}}, &node{list: []*node{one}},
		&node{list: []*node{one, one, one, one, one, one, one}})
	good, bad := 0, 0
	for _, sample := range samples(t, 1) {
		raw, err := sample.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		prefix := raw[:0]
		if sample.Type() != types.LegacyTxType {
			prefix = raw[:1:1]
		}
		content, _, err := rlp.SplitList(raw[len(prefix):])
		if err != nil {
			t.Fatal(err)
		}
		tree := parse(t, content)
		try := func() {
			if compare(t, append(bytes.Clone(prefix), encode(tree)...)) {
				good++
			} else {
				bad++
			}
		}
		visitAll(tree, func(at **node) {
			before := *at
			for _, other := range others {
				*at = other
				try()
			}
			if *at = before; before.list != nil {
				for i := range before.list {
					*at = &node{list: append(append([]*node{}, before.list[:i]...), before.list[i+1:]...)}
					try()
					*at = &node{list: append(append([]*node{}, before.list...), before.list[i])}
					try()
				}
				*at = before
			}
		})
	}
	if good < 500 || bad < 1000 {
		t.Errorf("%d changed transactions are accepted, %d refused", good, bad)
	}
}

// TestV checks the parity and the chain ID of every kind of V, in transactions with and without a
// type.
func TestV(t *testing.T) {
	two := func(n uint, plus int64) *big.Int {
		v := new(big.Int).Lsh(big.NewInt(1), n)
		return v.Add(v, big.NewInt(plus))
	}
	one := big.NewInt(1)
	for _, c := range []struct {
		v       *big.Int
		legacy  byte // parity in a legacy transaction
		typed   byte // parity in a transaction of type 1
		chain   uint64
		isNamed bool
		isLong  bool
	}{
		{new(big.Int), 2, 0, 0, false, false}, {one, 2, 1, 0, false, false},
		{big.NewInt(2), 2, 2, 0, false, false}, {big.NewInt(26), 2, 2, 0, false, false},
		{big.NewInt(27), 0, 2, 0, false, false}, {big.NewInt(28), 1, 2, 0, false, false},
		{big.NewInt(29), 2, 2, 0, false, false}, {big.NewInt(34), 2, 2, 0, false, false},
		{big.NewInt(35), 0, 2, 0, true, false}, {big.NewInt(36), 1, 2, 0, true, false},
		{big.NewInt(37), 0, 2, 1, true, false}, {big.NewInt(283), 0, 2, 124, true, false},
		{two(64, -1), 0, 2, 1<<63 - 18, true, false}, {two(64, 0), 1, 2, 1<<63 - 18, true, false},
		{two(65, 33), 0, 2, 1<<64 - 1, true, false}, {two(65, 34), 1, 2, 1<<64 - 1, true, false},
		{two(65, 35), 0, 2, 0, true, true}, {two(255, 0), 1, 2, 0, true, true},
	} {
		for _, data := range []types.TxData{
			&types.LegacyTx{GasPrice: one, Value: one, V: c.v, R: one, S: one},
			&types.AccessListTx{ChainID: two(64, 0), GasPrice: one, Value: one, V: c.v, R: one, S: one},
		} {
			raw, err := types.NewTx(data).MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, raw)
			var tx Transaction
			if err := tx.Decode(raw); err != nil {
				t.Fatal(err)
			}
			if tx.Type == AccessList {
				if tx.YParity != c.typed || !tx.LongChainID || tx.ChainID != 0 {
					t.Errorf("type 1, v of %v: %+v", c.v, tx)
				}
				continue
			}
			if tx.YParity != c.legacy || tx.Protected != c.isNamed || tx.ChainID != c.chain ||
				tx.LongChainID != c.isLong {
				t.Errorf("v of %v: %+v", c.v, tx)
			}
		}
	}
}

// TestErrors checks that errors name the field, and what is wrong with it.
func TestErrors(t *testing.T) {
	list := func(items ...[]byte) []byte { return WrapList(bytes.Join(items, nil), 0) }
	text := func(n int) []byte { return AppendString(nil, bytes.Repeat([]byte{0xff}, n)) }
	n, to := []byte{1}, text(20)
	blob := func(access, hashes []byte) []byte {
		return append([]byte{3}, list(n, n, n, n, n, to, n, n, access, n, hashes, n, n, n)...)
	}
	setCode := func(auths []byte) []byte {
		return append([]byte{4}, list(n, n, n, n, n, to, n, n, list(), auths, n, n, n)...)
	}
	for _, c := range []struct {
		raw  []byte
		want string
		is   error
	}{
		{nil, "rlp: an item is missing", ErrTooFew},
		{[]byte{0}, "ethereum: unknown transaction type", ErrType},
		{[]byte{5, 0xc0}, "ethereum: unknown transaction type", ErrType},
		{[]byte{0x7f}, "ethereum: unknown transaction type", ErrType},
		{[]byte{0x80, 0xc0}, "rlp: a string in place of a list", ErrExpectedList},
		{[]byte{0xbf, 0xc0}, "rlp: an item is longer than what holds it", ErrTooLarge},
		{[]byte{2}, "rlp: an item is missing", ErrTooFew},
		{[]byte{2, 0x80}, "rlp: a string in place of a list", ErrExpectedList},
		{[]byte{0xc1, 1}, "rlp: an item is missing", ErrTooFew},
		{list(text(9)), "rlp: a string of the wrong length, in nonce", ErrLength},
		{list(n, list()), "rlp: a list in place of a string, in gasPrice", ErrExpectedString},
		{list(n, []byte{0x82, 0, 1}), "rlp: a number has leading zero bytes, in gasPrice",
			ErrCanonInt},
		{list(n, n, n, text(19)), "rlp: a string of the wrong length, in to", ErrLength},
		{list(n, n, n, to, n, n, n, n, n, n), "rlp: bytes after the last item", ErrTooMany},
		{append(list(n, n, n, to, n, n, n, n, n), 0), "rlp: bytes after the last item",
			ErrTooMany},
		{blob(n, list()), "rlp: a string in place of a list, in accessList", ErrExpectedList},
		{blob(list(n), list()), "rlp: a string in place of a list, in accessList[0]", ErrExpectedList},
		{blob(list(list(to, list()), list(to, list(text(32), n))), list()),
			"rlp: a string of the wrong length, in accessList[1].storageKeys[1]", ErrLength},
		{blob(list(list(to)), list()), "rlp: an item is missing, in accessList[0]", ErrTooFew},
		{blob(list(), list(text(32), text(33))),
			"rlp: a string of the wrong length, in blobVersionedHashes[1]", ErrLength},
		{setCode(list(list(n, to, n, text(2), n, n))),
			"rlp: a string of the wrong length, in authorizationList[0].yParity", ErrLength},
		{setCode(list(list(n, to, n, n, n, n, n))),
			"rlp: bytes after the last item, in authorizationList[0]", ErrTooMany},
	} {
		var tx Transaction
		if err := tx.Decode(c.raw); err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("%x: %v, want %s", c.raw, err, c.want)
		}
	}
}

// TestAllocations checks that decoding allocates nothing.
func TestAllocations(t *testing.T) {
	var raws [][]byte
	for _, sample := range samples(t, 1) {
		raw, err := sample.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		raws = append(raws, raw)
	}
	all := headers(t)
	buf := make([]byte, 0, 1<<10)
	if n := testing.AllocsPerRun(10, func() {
		var tx Transaction
		for _, raw := range raws {
			if tx.Decode(raw) != nil || len(tx.AppendSigningPayload(buf)) < 8 {
				t.Fatal("refused")
			}
		}
		var h Header
		for _, raw := range all {
			if h.Decode(raw) != nil {
				t.Fatal("refused")
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzTransaction compares Decode with go-ethereum's decoder.
func FuzzTransaction(f *testing.F) {
	for _, sample := range samples(f, 1) {
		raw, err := sample.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { compare(t, raw) })
}

func BenchmarkDecode(b *testing.B) {
	raw, err := samples(b, 1)[4].MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var tx Transaction
	for b.Loop() {
		if err := tx.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}
