package ethereum_test

import (
	"crypto/ecdsa"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/ethereum"
)

// testdata reads a file from go-ethereum's test data.
func testdata(t testing.TB, path ...string) []byte {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/ethereum/go-ethereum").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(append([]string{strings.TrimSpace(string(out))}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mainnet returns the transactions of a block of mainnet, and the signer of the block.
func mainnet(t testing.TB, name string) (types.Signer, []*types.Transaction) {
	t.Helper()
	var block struct {
		Body struct {
			Payload struct {
				Number       uint64          `json:"block_number,string"`
				Time         uint64          `json:"timestamp,string"`
				Transactions []hexutil.Bytes `json:"transactions"`
			} `json:"execution_payload"`
		} `json:"body"`
	}
	if err := json.Unmarshal(testdata(t, "beacon", "types", "testdata", name), &block); err != nil {
		t.Fatal(err)
	}
	p := &block.Body.Payload
	var txs []*types.Transaction
	for _, raw := range p.Transactions {
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(raw); err != nil {
			t.Fatal(err)
		}
		txs = append(txs, tx)
	}
	return types.MakeSigner(params.MainnetChainConfig, new(big.Int).SetUint64(p.Number), p.Time), txs
}

// blocks are the blocks of mainnet in go-ethereum's test data.
var blocks = []string{"block_deneb.json", "block_capella.json"}

// fresh returns copies of transactions without stored senders.
func fresh(t testing.TB, txs []*types.Transaction) []*types.Transaction {
	t.Helper()
	all := make([]*types.Transaction, len(txs))
	for i, tx := range txs {
		v, r, s := tx.RawSignatureValues()
		var err error
		if all[i], err = tx.WithSignature(values{tx.ChainId(), [3]*big.Int{r, s, v}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// text returns the text of an error.
func text(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// compare compares Senders with types.Sender, and the number of valid transactions.
func compare(t *testing.T, signer types.Signer, txs []*types.Transaction, o *ethereum.Options) {
	t.Helper()
	senders, errs := make([]common.Address, len(txs)), make([]error, len(txs))
	for i := range errs {
		senders[i] = common.Address{1} // an old value, which must go
	}
	valid, err := ethereum.Senders(t.Context(), signer, txs, senders, errs, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, tx := range txs {
		want, wantErr := signer.Sender(tx) // without the stored sender
		if senders[i] != want || text(errs[i]) != text(wantErr) {
			t.Fatalf("transaction %d of type %d: %v, %v, want %v, %v", i, tx.Type(),
				senders[i], errs[i], want, wantErr)
		}
		if wantErr == nil {
			valid--
		}
	}
	if valid != 0 {
		t.Errorf("the number of valid transactions is wrong by %d", valid)
	}
}

func TestSendersOfMainnet(t *testing.T) {
	for _, name := range blocks {
		signer, txs := mainnet(t, name)
		compare(t, signer, txs, nil)
	}
}

// signers are all signers of go-ethereum for a chain.
func signers(chain *big.Int) map[string]types.Signer {
	return map[string]types.Signer{
		"Frontier": types.FrontierSigner{}, "Homestead": types.HomesteadSigner{},
		"EIP155": types.NewEIP155Signer(chain), "EIP2930": types.NewEIP2930Signer(chain),
		"London": types.NewLondonSigner(chain), "Cancun": types.NewCancunSigner(chain),
		"Prague": types.NewPragueSigner(chain),
	}
}

var n, _ = new(big.Int).SetString(
	"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// number returns a random number of random size, sometimes one at an edge or a negative one.
func number(rng *rand.Rand) *big.Int {
	edges := []*big.Int{new(big.Int), big.NewInt(1), big.NewInt(27), big.NewInt(28), big.NewInt(35),
		big.NewInt(36), big.NewInt(37), big.NewInt(38), new(big.Int).Rsh(n, 1), n,
		new(big.Int).Sub(n, big.NewInt(1)), new(big.Int).Lsh(big.NewInt(1), 255),
		new(big.Int).SetUint64(1<<63 + 17), new(big.Int).Lsh(big.NewInt(1), 64)}
	if i := rng.IntN(2 * len(edges)); i < len(edges) {
		return edges[i]
	}
	if rng.IntN(16) == 0 {
		return big.NewInt(-3)
	}
	b := make([]byte, rng.IntN(33))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return new(big.Int).SetBytes(b)
}

func number256(rng *rand.Rand) *uint256.Int {
	return uint256.MustFromBig(new(big.Int).Abs(number(rng)))
}

// body returns the fields of a random transaction of a type.
func body(rng *rand.Rand, kind int, chain *big.Int) types.TxData {
	data := make([]byte, rng.IntN(400)*rng.IntN(2))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	var to *common.Address
	if rng.IntN(4) > 0 {
		to = &common.Address{byte(rng.Uint32())}
	}
	var list types.AccessList
	for range rng.IntN(3) {
		list = append(list, types.AccessTuple{Address: common.Address{3},
			StorageKeys: make([]common.Hash, rng.IntN(4))})
	}
	nonce, gas := rng.Uint64()>>rng.IntN(64), rng.Uint64()>>rng.IntN(64)
	chain256 := uint256.MustFromBig(chain)
	switch kind {
	case types.AccessListTxType:
		return &types.AccessListTx{ChainID: chain, Nonce: nonce, GasPrice: number(rng), Gas: gas,
			To: to, Value: number(rng), Data: data, AccessList: list}
	case types.DynamicFeeTxType:
		return &types.DynamicFeeTx{ChainID: chain, Nonce: nonce, GasTipCap: number(rng),
			GasFeeCap: number(rng), Gas: gas, To: to, Value: number(rng), Data: data, AccessList: list}
	case types.BlobTxType:
		b := &types.BlobTx{ChainID: chain256, Nonce: nonce, GasTipCap: number256(rng),
			GasFeeCap: number256(rng), Gas: gas, To: common.Address{2}, Value: number256(rng),
			Data: data, AccessList: list, BlobFeeCap: number256(rng),
			BlobHashes: make([]common.Hash, rng.IntN(3))}
		if rng.IntN(2) == 0 {
			b.Sidecar = &types.BlobTxSidecar{Version: byte(rng.IntN(3))}
		}
		return b
	case types.SetCodeTxType:
		return &types.SetCodeTx{ChainID: chain256, Nonce: nonce, GasTipCap: number256(rng),
			GasFeeCap: number256(rng), Gas: gas, To: common.Address{2}, Value: number256(rng),
			Data: data, AccessList: list, AuthList: authorizations(rng, rng.IntN(3))}
	}
	return &types.LegacyTx{Nonce: nonce, GasPrice: number(rng), Gas: gas, To: to,
		Value: number(rng), Data: data}
}

// authorizations returns random authorizations, some with a bad signature.
func authorizations(rng *rand.Rand, n int) (all []types.SetCodeAuthorization) {
	for range n {
		a := types.SetCodeAuthorization{ChainID: *number256(rng), Address: common.Address{4},
			Nonce: rng.Uint64() >> rng.IntN(64)}
		a, err := types.SignSetCode(keys[rng.IntN(len(keys))], a)
		if err != nil {
			panic(err)
		}
		switch rng.IntN(8) {
		case 0:
			a.R = *number256(rng)
		case 1:
			a.S = *number256(rng)
		case 2:
			a.V = byte(rng.IntN(4))
		case 3:
			a.Nonce++
		case 4: // as in transaction
			a.R, a.V = *uint256.NewInt(1 + rng.Uint64N(20)), byte(2+rng.IntN(2))
		}
		all = append(all, a)
	}
	return all
}

var keys = func() (all [8]*ecdsa.PrivateKey) {
	for i := range all {
		k, err := crypto.ToECDSA(common.LeftPadBytes([]byte{byte(i + 1)}, 32))
		if err != nil {
			panic(err)
		}
		all[i] = k
	}
	return all
}()

// transaction returns a random signed transaction. Many have bad signatures or another chain.
func transaction(t testing.TB, rng *rand.Rand, chain *big.Int) *types.Transaction {
	id := chain
	if rng.IntN(8) == 0 {
		id = number256(rng).ToBig()
	}
	kind := rng.IntN(5)
	data := body(rng, kind, id)
	if kind == types.LegacyTxType && rng.IntN(2) == 0 || id.Sign() == 0 {
		id = nil
	}
	tx, err := types.SignNewTx(keys[rng.IntN(len(keys))], types.LatestSignerForChainID(id), data)
	if err != nil {
		tx, err = types.SignNewTx(keys[0], types.LatestSignerForChainID(chain), body(rng, 0, chain))
	}
	if err != nil {
		t.Fatal(err)
	}
	v, r, s := tx.RawSignatureValues()
	v, r, s = new(big.Int).Set(v), new(big.Int).Set(r), new(big.Int).Set(s)
	switch rng.IntN(14) {
	case 0:
		v = number(rng)
	case 1:
		r = number(rng)
	case 2:
		s = number(rng)
	case 5: // longer than 256 bits, which blob and set-code transactions cannot hold
		if kind < types.BlobTxType {
			s.Lsh(s, uint(rng.IntN(100)))
		} else {
			r.Add(r, big.NewInt(1))
		}
	case 6: // x coordinates above n, which only recovery ids 2 and 3 have
		r, v = big.NewInt(int64(1+rng.IntN(20))), new(big.Int).Add(v, big.NewInt(2))
		v.SetBit(v, 0, uint(rng.IntN(2)))
	case 3:
		s.Sub(n, s) // a high s
	case 4:
		v.Add(v, big.NewInt(int64(rng.IntN(5)-2)))
		v.Abs(v)
	default:
		return tx
	}
	tx, err = tx.WithSignature(values{tx.ChainId(), [3]*big.Int{r, s, v}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// values is a signer that puts numbers into a copy of a transaction as they are.
type values struct {
	chain *big.Int
	rsv   [3]*big.Int
}

func (v values) ChainID() *big.Int { return v.chain }

func (v values) SignatureValues(*types.Transaction, []byte) (r, s, V *big.Int, err error) {
	return v.rsv[0], v.rsv[1], v.rsv[2], nil
}

func (values) Sender(*types.Transaction) (a common.Address, err error) { return a, nil }
func (values) Hash(*types.Transaction) (h common.Hash)                 { return h }
func (values) Equal(types.Signer) bool                                 { return false }

func TestSendersRandom(t *testing.T) {
	rng := newRand(1)
	chain := big.NewInt(11155111)
	txs := make([]*types.Transaction, 1500)
	seen := [5]map[string]int{}
	for i := range txs {
		txs[i] = transaction(t, rng, chain)
		_, err := types.NewPragueSigner(chain).Sender(txs[i])
		if seen[txs[i].Type()] == nil {
			seen[txs[i].Type()] = map[string]int{}
		}
		what, _, _ := strings.Cut(text(err), ":")
		seen[txs[i].Type()][what]++
	}
	for kind, of := range seen {
		t.Logf("type %d: %v", kind, of)
		if of["no error"] < 50 || of[types.ErrInvalidSig.Error()] < 5 ||
			of[types.ErrInvalidChainId.Error()] < 5 {
			t.Errorf("type %d: too few cases of some kind: %v", kind, of)
		}
	}
	for name, signer := range signers(chain) {
		t.Run(name, func(t *testing.T) {
			for _, o := range []*ethereum.Options{nil, {Workers: 1}, {Workers: 3}} {
				compare(t, signer, fresh(t, txs[:min(len(txs), 1+rng.IntN(3000))]), o)
			}
		})
	}
}
