package ethereum

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

var groupOrder, _ = new(big.Int).SetString(
	"FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141", 16)

// samples returns one signed transaction of every kind for the given chain, and a contract
// creation.
func samples(chain int64) (txs []*types.Transaction) {
	key := must(crypto.ToECDSA(bytes.Repeat([]byte{7}, 32)))
	id, id256 := big.NewInt(chain), uint256.NewInt(uint64(chain))
	to := common.Address{1, 2, 3}
	access := types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}, {2}}},
		{Address: common.Address{9}}}
	auth := must(types.SignSetCode(key, types.SetCodeAuthorization{ChainID: *id256, Address: to,
		Nonce: 1}))
	for _, x := range []struct {
		signer types.Signer
		data   types.TxData
	}{
		{types.FrontierSigner{}, &types.LegacyTx{Nonce: 1, GasPrice: big.NewInt(2), Gas: 21000, To: &to,
			Value: big.NewInt(3)}},
		{types.FrontierSigner{}, &types.LegacyTx{GasPrice: big.NewInt(2), Gas: 53000, Value: new(big.Int),
			Data: []byte{0x60, 0}}},
		{types.NewEIP155Signer(id), &types.LegacyTx{Nonce: 200, GasPrice: new(big.Int), Gas: 21000,
			To: &to, Value: new(big.Int)}},
		{types.NewPragueSigner(id), &types.AccessListTx{ChainID: id, Nonce: 1, GasPrice: big.NewInt(2),
			Gas: 3, To: &to, Value: big.NewInt(4), AccessList: access}},
		{types.NewPragueSigner(id), &types.DynamicFeeTx{ChainID: id, Nonce: 1, GasTipCap: big.NewInt(2),
			GasFeeCap: big.NewInt(3), Gas: 4, Value: big.NewInt(5), Data: []byte{1}}},
		{types.NewPragueSigner(id), &types.BlobTx{ChainID: id256, Nonce: 1, GasTipCap: uint256.NewInt(2),
			GasFeeCap: uint256.NewInt(3), Gas: 4, To: to, Value: uint256.NewInt(5),
			AccessList: access, BlobFeeCap: uint256.NewInt(6), BlobHashes: []common.Hash{{1}}}},
		{types.NewPragueSigner(id), &types.SetCodeTx{ChainID: id256, Nonce: 1, GasTipCap: uint256.NewInt(
			2), GasFeeCap: uint256.NewInt(3), Gas: 4, To: to, Value: uint256.NewInt(5),
			AuthList: []types.SetCodeAuthorization{auth}}},
	} {
		txs = append(txs, must(types.SignNewTx(key, x.signer, x.data)))
	}
	return txs
}

func envelope(tx *types.Transaction) []byte { return must(tx.MarshalBinary()) }

// parse returns the item of a transaction in JSON.
func parse(text []byte, r rules) *item {
	x := expander{block: &block{rules: r, lone: true, isJSON: true},
		item: &item{unit: reading.Unit{Where: reading.In("f")}}}
	x.read(text)
	id, digest := keccak256(x.raw), keccak256(x.message)
	x.finish(&id, &digest)
	return x.item
}

// unitOf returns the reading.Unit that the package makes of an encoded transaction.
func unitOf(raw []byte, r rules) reading.Unit {
	return parse(fmt.Appendf(nil, `"0x%x"`, raw), r).unit
}

// oracle returns go-ethereum's verdict on an encoded transaction. known is false for blob
// transactions in their network form, which does not occur in blocks.
func oracle(raw []byte, signer types.Signer) (from common.Address, ok, known bool) {
	tx := new(types.Transaction)
	if tx.UnmarshalBinary(raw) != nil {
		return from, false, true
	}
	from, err := types.Sender(signer, tx)
	return from, err == nil, tx.BlobTxSidecar() == nil
}

// agree checks that this package and go-ethereum judge an encoded transaction alike.
func agree(t *testing.T, what string, raw []byte, r rules, signer types.Signer) (ok bool) {
	t.Helper()
	u := unitOf(raw, r)
	v, from := judge(&u)
	want, ok, known := oracle(raw, signer)
	if !known {
		return ok
	}
	if ok != (v == reading.Recovered) || ok && from != want {
		t.Errorf("%s: %v from %v, go-ethereum has %v from %v: %s\n%x", what, v, from, ok, want, u.Reason,
			raw)
	}
	if !ok && u.Decided != reading.Unchecked && u.Reason == "" {
		t.Errorf("%s: %v without a reason", what, u.Decided)
	}
	return ok
}

// highS returns tx with the second signature that fits its hash and key: n − s replaces s, and v is
// the other parity. Only the Frontier rules accept it.
func highS(tx *types.Transaction) []byte {
	v, r, s := tx.RawSignatureValues()
	sig := make([]byte, 65)
	r.FillBytes(sig[:32])
	new(big.Int).Sub(groupOrder, s).FillBytes(sig[32:64])
	sig[64] = byte(v.Uint64()-27) ^ 1
	return envelope(must(tx.WithSignature(types.FrontierSigner{}, sig)))
}

// TestForks checks that verdicts follow go-ethereum's rules. It tries every kind of transaction at
// each fork of mainnet, before the fork and after it.
func TestForks(t *testing.T) {
	txs := samples(1)
	good := map[int]int{}
	for _, at := range []struct{ number, time uint64 }{
		{0, 0}, {1, 1}, {1149999, 1457981392}, {1150000, 1457981393}, {2674999, 1479831343},
		{2675000, 1479831344}, {4370000, 1508131331},
		{12243999, 1618481214}, {12244000, 1618481223}, {12964999, 1628166812}, {12965000, 1628166822},
		{19426586, 1710338123}, {19426587, 1710338135}, {22431083, 1746612299}, {22431084, 1746612311},
		{23000000, 1753000000}, {1, 1753000000}, {12244000, 1753000000}, // two impossible times
	} {
		p := payload{number: at.number, time: at.time}
		for i, tx := range txs {
			if agree(t, fmt.Sprintf("transaction %d, block %d", i, at.number), envelope(tx),
				Mainnet.rulesAt(at.number, at.time), p.signer()) {
				good[i]++
			}
		}
		for i := range 2 {
			if agree(t, fmt.Sprintf("transaction %d with a high s, block %d", i, at.number),
				highS(txs[i]), Mainnet.rulesAt(at.number, at.time), p.signer()) {
				good[10+i]++
			}
		}
	}
	if want := map[int]int{0: 18, 1: 18, 2: 12, 3: 9, 4: 6, 5: 4, 6: 2, 10: 4, 11: 4}; fmt.Sprint(
		good) != fmt.Sprint(want) {
		t.Errorf("good at so many blocks: %v, want %v", good, want)
	}
}

// TestConfig checks that the fork numbers and times are those of go-ethereum.
func TestConfig(t *testing.T) {
	c := params.MainnetChainConfig
	got := Mainnet
	want := Chain{c.ChainID.Uint64(), c.HomesteadBlock.Uint64(), c.EIP155Block.Uint64(),
		c.BerlinBlock.Uint64(), c.LondonBlock.Uint64(), *c.CancunTime, *c.PragueTime}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for name, config := range map[string]*params.ChainConfig{"mainnet": c,
		"sepolia": params.SepoliaChainConfig, "hoodi": params.HoodiChainConfig} {
		if chain, ok := ParseChain(name); !ok || chain.ID != config.ChainID.Uint64() {
			t.Errorf("%s: %+v", name, chain)
		}
	}
	for name, id := range map[string]uint64{"1": 1, "8453": 8453, "0": 0, "-1": 0, "": 0,
		"testnet3": 0, "0x1": 0, "18446744073709551616": 0} {
		if chain, ok := ParseChain(name); ok != (id != 0) || chain.ID != id ||
			id == 1 && chain != Mainnet {
			t.Errorf("%q: %+v, %v", name, chain, ok)
		}
	}
}

// TestJSONFields checks that the JSON of a transaction that go-ethereum prints gives the same bytes
// as go-ethereum's encoding. Every missing or changed field must be detected.
func TestJSONFields(t *testing.T) {
	r := Mainnet.rulesAt(latest, latest)
	object := func(fields map[string]any) (reading.Verdict, common.Address, reading.Unit) {
		u := parse(must(json.Marshal(fields)), r).unit
		v, from := judge(&u)
		return v, from, u
	}
	signer := types.NewPragueSigner(big.NewInt(1))
	for i, tx := range samples(1) {
		from := must(types.Sender(signer, tx))
		fresh := func() map[string]any {
			fields := map[string]any{}
			noError(json.Unmarshal(must(tx.MarshalJSON()), &fields))
			fields["from"] = from
			return fields
		}
		fields := fresh()
		if v, got, u := object(fields); v != reading.Valid || got != from ||
			u.Where.Tx != tx.Hash().Hex() {
			t.Errorf("transaction %d: %v from %v: %s", i, v, got, u.Reason)
		}
		for name, value := range fields {
			if value == nil {
				continue
			}
			changed := fresh()
			delete(changed, name)
			v, _, u := object(changed)
			switch optional := name == "hash" || name == "from" || name == "yParity" || name == "chainId" &&
				tx.Type() == 0 || name == "type" && tx.Type() == 0 || name == "v" && tx.Type() != 0 ||
				name == "accessList" && len(tx.AccessList()) == 0; {
			case name == "from" && v != reading.Recovered, name != "from" && optional && v != reading.Valid,
				!optional && (v == reading.Valid || v == reading.Recovered || u.Reason == ""):
				t.Errorf("transaction %d without %q: %v, %s", i, name, v, u.Reason)
			}
			if s, ok := value.(string); ok && len(s) > 2 && name != "type" {
				changed := fresh()
				changed[name] = s[:len(s)-1] + map[bool]string{true: "0", false: "1"}[s[len(s)-1] != '0']
				if v, _, u := object(changed); v == reading.Valid || v == reading.Recovered || u.Reason == "" {
					t.Errorf("transaction %d with another %q: %v, %s", i, name, v, u.Reason)
				}
			}
			changed = fresh()
			changed[name] = "nonsense"
			if v, _, u := object(changed); v == reading.Valid || v == reading.Recovered ||
				!strings.Contains(u.Reason, " ") {
				t.Errorf("transaction %d with nonsense in %q: %v, %s", i, name, v, u.Reason)
			}
		}
		// Some nodes write the following variants of the fields, which must be accepted.
		other := fresh()
		other["r"] = "0x00" + strings.TrimPrefix(other["r"].(string), "0x")
		if v, _, u := object(other); v != reading.Valid {
			t.Errorf("transaction %d with a zero before r: %v, %s", i, v, u.Reason)
		}
		other = fresh()
		other["hash"] = nil
		other["type"] = "0x7e"
		if v, _, u := object(other); v != reading.NotCheckable ||
			u.Reason != "a transaction of type 126, which nothing here knows" {
			t.Errorf("type 126: %v, %s", v, u.Reason)
		}

		// The JSON of these cases states no hash of the transaction, so only the malformed or missing
		// field itself shows the error.
		for _, c := range []struct {
			name  string
			value any // nil for none
			want  string
			read  bool // whether the type of the transaction has the field
		}{
			{"accessList", []any{map[string]any{}}, "in accessList[0].address", tx.Type() != 0},
			{"blockNumber", "0x10000000000000000", `"blockNumber" has more than 64 bits`, true},
			{"to", "0x", `"to" is empty`, true},
			{"from", "0x1234", `"from" has 2 bytes instead of 20`, true},
			{"blobVersionedHashes", nil, `no "blobVersionedHashes"`, tx.Type() == uint8(wire.Blob)},
			{"authorizationList", nil, `no "authorizationList"`, tx.Type() == uint8(wire.SetCode)},
		} {
			changed := fresh()
			delete(changed, "hash")
			delete(changed, c.name)
			if c.value != nil {
				changed[c.name] = c.value
			}
			if v, _, u := object(changed); c.read &&
				(v != reading.Malformed || !strings.Contains(u.Reason, c.want)) {
				t.Errorf("transaction %d, which should tell of %s: %v, %s", i, c.want, v, u.Reason)
			}
		}
	}
}
