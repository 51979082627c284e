package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum/ethereumtest"
)

// A fieldSample is a valid input in one of the JSON formats.
type fieldSample struct {
	name, text string
	args       []string
	forged     string // an object with a bad signature
}

// jsonSpots returns at most two objects for each path of names, and at most one value that is
// neither an object nor a list.
func jsonSpots(text string) (spots []jsonToken) {
	found := map[string]int{}
	for _, token := range jsonTokens([]byte(text)) {
		if token.isName || strings.ContainsRune("}[]", rune(token.kind)) {
			continue
		}
		key := fmt.Sprint(token.path, token.kind == '{')
		if found[key]++; found[key] == 1 || found[key] == 2 && token.kind == '{' {
			spots = append(spots, token)
		}
	}
	return spots
}

// fullBlock returns a block with a transaction of each type and objects of every kind.
func fullBlock(t testing.TB) *types.Block {
	t.Helper()
	id, _ := new(big.Int).SetString(exportedChain, 10)
	chain := uint256.MustFromBig(id)
	key := clitest.Must(crypto.ToECDSA(bytes.Repeat([]byte{7}, 32)))
	to := common.Address{1}
	access := types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}, {2}}},
		{Address: common.Address{2}}}
	auth := clitest.Must(types.SignSetCode(key, types.SetCodeAuthorization{ChainID: *chain,
		Address: to}))
	var txs []*types.Transaction
	for _, data := range []types.TxData{
		&types.LegacyTx{GasPrice: big.NewInt(9), Gas: 21000, To: &to, Value: big.NewInt(1)},
		&types.AccessListTx{ChainID: id, GasPrice: big.NewInt(9), Gas: 9e5, To: &to, AccessList: access},
		&types.DynamicFeeTx{ChainID: id, GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(9), Gas: 9e5,
			Data: []byte("data"), AccessList: access},
		&types.BlobTx{ChainID: chain, GasFeeCap: uint256.NewInt(9), Gas: 9e5, To: to, AccessList: access,
			BlobFeeCap: uint256.NewInt(9), BlobHashes: []common.Hash{{1}}},
		&types.SetCodeTx{ChainID: chain, GasFeeCap: uint256.NewInt(9), Gas: 9e5, To: to,
			AccessList: access, AuthList: []types.SetCodeAuthorization{auth}},
	} {
		txs = append(txs, clitest.Must(types.SignNewTx(key, types.NewPragueSigner(id), data)))
	}
	zero := uint64(0)
	header := &types.Header{Difficulty: new(big.Int), Number: big.NewInt(7), GasLimit: 3e7, Time: 99,
		BaseFee: big.NewInt(1), BlobGasUsed: &zero, ExcessBlobGas: &zero,
		ParentBeaconRoot: &common.Hash{3}, RequestsHash: &types.EmptyRequestsHash}
	return types.NewBlock(header, &types.Body{Transactions: txs,
		Withdrawals: []*types.Withdrawal{{Index: 1}, {Validator: 2, Amount: 5}}}, nil,
		ethereumtest.Trie{})
}

// fieldSamples returns a sample of every JSON format.
func fieldSamples(t testing.TB) (samples []fieldSample) {
	answer := func(text string) string { return `{"jsonrpc":"2.0","id":1,"result":` + text + `}` }
	block := readFile(t, regtestJSON)
	txs := transactions(t, block)
	forged := `{"tx":[` + spoilt(txs[1], `"txinwitness":["`, 20) + `]}`
	bitcoin := []string{"--network", "regtest", "-"}
	bitcoinTx := append([]string{"--format", "bitcoin-tx"}, bitcoin...)
	core := readFile(t, filepath.Join(commandtest.CoreFolder, "getblock.json"))
	samples = append(samples,
		fieldSample{"getblock", block, bitcoin, forged},
		fieldSample{"getblock, batch", "[" + answer(block) + "]", bitcoin, forged},
		fieldSample{"getblock of Core", core, bitcoin, forged},
		fieldSample{"getrawtransaction", txs[1] + txs[0], bitcoinTx, forged},
		fieldSample{"getrawtransaction, answer", answer(txs[1]), bitcoinTx, forged})

	network := []string{"--network", exportedChain, "--format", "ethereum", "-"}
	full := fullBlock(t)
	text := string(rpc(t, full))
	lone := transactions(t, text)[1]
	forged = `{"transactions":[` + spoilt(lone, `"r":"0x`, 4) + `],"r":"0x` + fmt.Sprintf("%x",
		clitest.Must(full.Transactions()[0].MarshalBinary())) + `"}`
	samples = append(samples,
		fieldSample{"eth_getBlockByNumber", text, network, forged},
		fieldSample{"eth_getBlockByNumber, batch", "[" + answer(text) + "," + answer("null") + "]",
			network, forged},
		fieldSample{"eth_getTransactionByHash", lone, network, forged},
		fieldSample{"eth_getTransactionByHash, answer", answer(lone), network, forged},
		fieldSample{"go-ethereum's answer", readFile(t, ethereumAnswer(t)), []string{"--network", "1337",
			"-"}, forged})

	event := commandtest.SignedEvent(t, 1, "hello")
	forged = strings.Replace(event, "hello", "hullo", 1)
	args := []string{"--format", "nostr", "-"}
	return append(samples,
		fieldSample{"events", event + "\n" + event + "\n", args, forged},
		fieldSample{"list of events", "[" + event + ", [" + event + "]]\n", args, forged})
}

// spoilt returns text with another hexadecimal digit, at a distance after the string after.
func spoilt(text, after string, distance int) string {
	at := strings.Index(text, after) + len(after) + distance
	return text[:at] + string(other(text[at])) + text[at+1:]
}

// TestExtraFields adds a field that no format defines to objects of every kind. The field's value
// contains a bad signature. The counts must stay the same: the field is ignored. It also replaces
// values of every kind that are not objects by an object: either the input is refused, or the value
// is not read, and the counts stay the same.
func TestExtraFields(t *testing.T) {
	for n, s := range fieldSamples(t) {
		whole := checkJSON(t, s.text, s.args...)
		if whole.Exit != cli.ExitOK || whole.Valid+whole.Recovered == 0 {
			t.Errorf("%s: %v, %v, %v", s.name, whole.summary, whole.Failures, whole.Unreadable)
		}
		hidden := []string{s.forged, "[" + s.forged + "]", `[[{"x":` + s.forged + `}]]`,
			string(clitest.Must(json.Marshal(s.forged))), `"0x` + strings.Repeat("f86c", 60) + `"`}
		tried, refused := 0, 0
		for i, spot := range jsonSpots(s.text) {
			value := `"x_y":` + hidden[i%len(hidden)]
			start, every := spot.end, 2 // after the object's '{'
			switch {
			case spot.kind != '{':
				value, start, every = "{"+value+"}", spot.start, 7
				if i%2 == 0 {
					value = "[" + value + "]"
				}
			case !strings.HasPrefix(strings.TrimSpace(s.text[spot.end:]), "}"):
				value += ","
			}
			if (n+i)%oneIn(every) != 0 {
				continue
			}
			tried++
			got := checkJSON(t, s.text[:start]+value+s.text[spot.end:], s.args...)
			if spot.kind != '{' && got.Exit != cli.ExitOK {
				refused++
			} else if got.Exit != cli.ExitOK || got.numbers() != whole.numbers() {
				t.Errorf("%s, %s: exit %d, %v, %v", s.name, spot.path, got.Exit, got.numbers(),
					got.Unreadable)
			}
		}
		t.Logf("covers %s: %d changes, %d refused", s.name, tried, refused)
	}
}

// An rlpItem is a decoded RLP item: a string or a list. A typed transaction, which is a string in
// RLP, is decoded into its type byte and its list.
type rlpItem struct {
	list    bool
	prefix  []byte // type byte of a transaction
	content []byte
	items   []*rlpItem
}

func splitRLP(t testing.TB, b []byte) (items []*rlpItem) {
	for len(b) > 0 {
		kind, content, rest, err := rlp.Split(b)
		if err != nil {
			t.Fatal(err)
		}
		one := &rlpItem{list: kind == rlp.List, content: content}
		switch {
		case one.list:
			one.items = splitRLP(t, content)
		case len(content) > 100 && content[0] <= 4 && content[1] >= 0xf8:
			inner := splitRLP(t, content[1:])
			one.prefix, one.items = content[:1], inner[0].items
		}
		items, b = append(items, one), rest
	}
	return items
}

// encode returns the RLP encoding of the item.
func (r *rlpItem) encode() []byte {
	if !r.list && r.prefix == nil {
		return clitest.Must(rlp.EncodeToBytes(r.content))
	}
	var all []rlp.RawValue
	for _, x := range r.items {
		all = append(all, x.encode())
	}
	list := clitest.Must(rlp.EncodeToBytes(all))
	if r.prefix != nil {
		return clitest.Must(rlp.EncodeToBytes(append(slices.Clone(r.prefix), list...)))
	}
	return list
}

// lists returns all lists in the item, including the item itself if it is a list.
func (r *rlpItem) lists() (all []*rlpItem) {
	if r.list || r.prefix != nil {
		all = append(all, r)
	}
	for _, x := range r.items {
		all = append(all, x.lists()...)
	}
	return all
}

// leaves holds the items that a Merkle trie commits to, in the order of their indices.
type leaves []*rlpItem

func (l leaves) Len() int { return len(l) }
func (l leaves) EncodeIndex(i int, b *bytes.Buffer) {
	text := l[i].encode()
	if !l[i].list {
		_, text, _, _ = rlp.Split(text)
	}
	b.Write(text)
}

// withRoots returns the encoding of a block after updating the roots that its header has.
func withRoots(block *rlpItem) []byte {
	h := block.items[0]
	set := func(i int, b []byte) {
		if i < len(h.items) {
			h.items[i] = &rlpItem{content: b}
		}
	}
	root := func(i int) []byte {
		return types.DeriveSha(leaves(block.items[i].items), ethereumtest.Trie{}).Bytes()
	}
	if len(block.items) > 2 {
		set(4, root(1))
		set(1, crypto.Keccak256(block.items[2].encode()))
	}
	if len(block.items) > 3 {
		set(16, root(3))
	}
	return block.encode()
}

// refusal returns the reason why go-ethereum refuses an encoded block or a sender in it, or nil.
func refusal(raw []byte) error {
	var b types.Block
	if err := rlp.DecodeBytes(raw, &b); err != nil {
		return err
	}
	if (b.Header().WithdrawalsHash == nil) != (b.Withdrawals() == nil) { // core.ValidateBody
		return errors.New("withdrawals without their root, or a root without them")
	}
	id, _ := new(big.Int).SetString(exportedChain, 10)
	for _, tx := range b.Transactions() {
		if _, err := types.Sender(types.NewPragueSigner(id), tx); err != nil {
			return err
		}
	}
	return nil
}

// TestChangedRLP changes each item of a block, and updates the roots in the block's header. If
// go-ethereum refuses the block, check must not end with status 0. It must not accept less than
// go-ethereum either, unless the change replaces a value by another one.
func TestChangedRLP(t *testing.T) {
	full := clitest.Must(rlp.EncodeToBytes(linkedBlocks(t, 1)[0]))
	old := splitRLP(t, full)[0] // a block before the first withdrawals
	old.items[0].items, old.items[1].items = old.items[0].items[:16], old.items[1].items[:3]
	old.items[2].items = nil
	old.items = old.items[:3]

	tx := clitest.Must(rlp.EncodeToBytes(fullBlock(t).Transactions()[0]))
	changes := []func(x *rlpItem) []*rlpItem{
		func(*rlpItem) []*rlpItem { return nil },
		func(x *rlpItem) []*rlpItem { return []*rlpItem{{content: x.encode()}} },
		func(x *rlpItem) []*rlpItem { return []*rlpItem{{list: true, items: []*rlpItem{x}}} },
		func(x *rlpItem) []*rlpItem {
			_, content, _, _ := rlp.Split(x.encode())
			return []*rlpItem{{content: content}}
		},
		func(x *rlpItem) []*rlpItem { return []*rlpItem{{list: true}} },
	}
	for i, surplus := range [][]byte{{0x80}, {0xc0}, {5}, tx, clitest.Must(rlp.EncodeToBytes(tx)),
		clitest.Must(rlp.EncodeToBytes(bytes.Repeat([]byte{1}, 32)))} {
		changes = append(changes, func(x *rlpItem) []*rlpItem {
			return append([]*rlpItem{x}, splitRLP(t, bytes.Repeat(surplus, 1+i%3))...)
		})
	}
	exact := len(changes)
	for _, n := range []int{0, 1, 8, 9, 31, 32, 33} {
		value := bytes.Repeat([]byte{1}, n)
		changes = append(changes,
			func(*rlpItem) []*rlpItem { return []*rlpItem{{content: value}} },
			func(*rlpItem) []*rlpItem { return []*rlpItem{{content: append([]byte{0}, value...)}} },
			func(*rlpItem) []*rlpItem {
				return []*rlpItem{{list: true, items: []*rlpItem{{content: value}}}}
			})
	}
	refused, taken := 0, 0
	for k, raw := range [][]byte{full, withRoots(old)} {
		for i, list := range splitRLP(t, raw)[0].lists() {
			for j := range list.items {
				for n, change := range changes {
					if (i+j+n)%oneIn(7) != 0 {
						continue
					}
					block := splitRLP(t, raw)[0]
					to := block.lists()[i]
					to.items = slices.Concat(to.items[:j:j], change(to.items[j]), to.items[j+1:])
					changed := withRoots(block)
					err := refusal(changed)
					got := checkJSON(t, string(changed), "--network", exportedChain, "-")
					if err == nil {
						taken++
					} else {
						refused++
					}
					if ok := got.Exit == cli.ExitOK; ok && err != nil || !ok && err == nil && n < exact {
						t.Errorf("block %d, list %d, item %d, change %d: status %d, %v, %v; go-ethereum says: %v",
							k, i, j, n, got.Exit, got.Failures, got.Unreadable, err)
					}
				}
			}
		}
	}
	t.Logf("covers %d changes that go-ethereum refuses, and %d that it takes", refused, taken)
	if refused < 300 || taken < 10 {
		t.Error("too few")
	}
}
