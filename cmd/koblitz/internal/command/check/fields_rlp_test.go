package check

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum/ethereumtest"
)

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

// leaves holds the items that a Merkle trie of an Ethereum block commits to, in the order of their
// indices.
type leaves []*rlpItem

func (l leaves) Len() int { return len(l) }
func (l leaves) EncodeIndex(i int, b *bytes.Buffer) {
	text := l[i].encode()
	if !l[i].list {
		_, text, _, _ = rlp.Split(text)
	}
	b.Write(text)
}

// withRoots returns the encoding of a block after updating the roots in its header, as far as it
// has them.
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

// blockWithUncle returns an encoded block with an uncle, withdrawals, and a transaction of each
// type.
func blockWithUncle(t testing.TB) []byte {
	full := fullBlock(t)
	body := *full.Body()
	body.Uncles = []*types.Header{full.Header()}
	return clitest.Must(rlp.EncodeToBytes(types.NewBlockWithHeader(full.Header()).WithBody(body)))
}

// strings returns all strings in the item, at any depth.
func (r *rlpItem) strings() (all []*rlpItem) {
	if !r.list && r.prefix == nil {
		all = append(all, r)
	}
	for _, x := range r.items {
		all = append(all, x.strings()...)
	}
	return all
}

// TestMisfitRLP replaces each string of a block by another string or a list, and updates the roots
// in the block's header. If go-ethereum refuses the block, check must not end with status 0.
func TestMisfitRLP(t *testing.T) {
	raw := blockWithUncle(t)
	forged := clitest.Must(rlp.EncodeToBytes(fullBlock(t).Transactions()[0]))
	refused := 0
	for i := range splitRLP(t, raw)[0].strings() {
		for k, other := range [][]byte{nil, {0}, {0, 1}, {5}, bytes.Repeat([]byte{1}, 8),
			bytes.Repeat([]byte{1}, 9), bytes.Repeat([]byte{1}, 31), bytes.Repeat([]byte{1}, 32),
			bytes.Repeat([]byte{1}, 33), forged} {
			for _, list := range []bool{false, true} {
				if (i+k)%oneIn(11) != 0 {
					continue
				}
				block := splitRLP(t, raw)[0]
				*block.strings()[i] = rlpItem{content: other, list: list,
					items: []*rlpItem{{content: other}}[:min(k, 1)]}
				changed := withRoots(block)
				err := refusal(changed)
				if err == nil {
					continue
				}
				refused++
				if got := checkJSON(t, string(changed), "--network", exportedChain,
					"-"); got.Exit == cli.ExitOK {
					t.Errorf("string %d is %.8x, a list: %t: status 0; go-ethereum says: %v", i, other, list, err)
				}
			}
		}
	}
	t.Logf("covers %d changes that go-ethereum refuses", refused)
	if refused < 300/oneIn(11) {
		t.Error("too few")
	}
}

// TestSurplusRLP appends surplus items to each list of a block, and updates the roots in the
// block's header. If go-ethereum refuses the block, it must be malformed.
func TestSurplusRLP(t *testing.T) {
	raw := blockWithUncle(t)
	forged := clitest.Must(rlp.EncodeToBytes(fullBlock(t).Transactions()[0]))
	args := []string{"--network", exportedChain, "-"}
	whole := withRoots(splitRLP(t, raw)[0])
	if got := checkJSON(t, string(whole), args...); got.Exit != cli.ExitOK || got.Recovered != 5 {
		t.Fatalf("%+v, %v", got.summary, got.Failures)
	}
	lists := len(splitRLP(t, raw)[0].lists())
	refused := 0
	for i := range lists {
		for k, surplus := range [][]byte{{0x80}, {0xc0}, {5}, forged,
			clitest.Must(rlp.EncodeToBytes(bytes.Repeat([]byte{1}, 32))),
			clitest.Must(rlp.EncodeToBytes(forged))} {
			for times := range 4 {
				if (i+k+times)%oneIn(4) != 0 {
					continue
				}
				block := splitRLP(t, raw)[0]
				to := block.lists()[i]
				for range times + 1 {
					to.items = append(to.items, splitRLP(t, surplus)...)
				}
				changed := withRoots(block)
				good := refusal(changed) == nil
				got := checkJSON(t, string(changed), args...)
				if !good {
					refused++
				}
				if good != (got.Exit == cli.ExitOK) {
					t.Errorf("list %d, %d times %.8x: go-ethereum takes it: %v; exit %d, %v, %v", i, times+1,
						surplus, good, got.Exit, got.Failures, got.Unreadable)
				}
			}
		}
	}
	t.Logf("%d lists, %d changes that go-ethereum refuses", lists, refused)
	if refused*oneIn(4) < 4*lists {
		t.Error("too few changes are refused")
	}
	// Surplus items after the last item of the header or of the block make the block malformed. The
	// next block must still be read.
	for i, reason := range map[int]string{0: "behind its withdrawals", 1: "in slotNumber"} {
		block := splitRLP(t, raw)[0]
		to := block.lists()[i]
		for range 3 {
			to.items = append(to.items, splitRLP(t, forged)...)
			to.items[len(to.items)-1] = &rlpItem{content: bytes.Repeat([]byte{1}, 32)}
		}
		got := checkJSON(t, string(withRoots(block))+string(whole), args...)
		if got.Exit != cli.ExitInvalid || got.Malformed != 1 || got.Recovered != 10 ||
			!strings.Contains(got.Failures[0].Reason, reason) {
			t.Errorf("%s: %+v, %v, %v", reason, got.summary, got.Failures, got.Unreadable)
		}
	}
}

// TestReshapedRLP removes each item of a block, wraps it in a string or a list, and exchanges
// strings and lists of one content. It updates the roots in the block's header. check must accept
// the block if and only if go-ethereum does.
func TestReshapedRLP(t *testing.T) {
	full := blockWithUncle(t)
	old := splitRLP(t, full)[0] // a block before the first withdrawals
	old.items[0].items, old.items[1].items = old.items[0].items[:16], old.items[1].items[:3]
	old.items[2].items = nil
	old.items = old.items[:3]
	refused, taken := 0, 0
	for k, raw := range [][]byte{full, withRoots(old)} {
		for i, list := range splitRLP(t, raw)[0].lists() {
			for j := range list.items {
				for n, change := range []func(*rlpItem) []*rlpItem{
					func(*rlpItem) []*rlpItem { return nil },
					func(x *rlpItem) []*rlpItem { return []*rlpItem{{content: x.encode()}} },
					func(x *rlpItem) []*rlpItem { return []*rlpItem{{list: true, items: []*rlpItem{x}}} },
					func(x *rlpItem) []*rlpItem {
						_, content, _, _ := rlp.Split(x.encode())
						return []*rlpItem{{content: content}}
					},
					func(x *rlpItem) []*rlpItem { return []*rlpItem{{list: true}} },
				} {
					if (i+j+n)%oneIn(3) != 0 && i > 2 {
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
					if (err == nil) != (got.Exit == cli.ExitOK) {
						t.Errorf("block %d, list %d, item %d, change %d: status %d, %v, %v; go-ethereum says: %v",
							k, i, j, n, got.Exit, got.Failures, got.Unreadable, err)
					}
				}
			}
		}
	}
	t.Logf("covers %d changes that go-ethereum refuses, and %d that it takes", refused, taken)
}
