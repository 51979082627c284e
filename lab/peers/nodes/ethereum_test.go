//go:build geth

package nodes

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/ethclient/simulated"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/params"
)

// listening matches the line of a log with the address of the RPC server.
var listening = regexp.MustCompile(`HTTP server started.* endpoint=(\S+)`)

// TestGoEthereum checks that koblitz check finds all signatures and senders in a chain from a
// go-ethereum node. The chain has 20 blocks, which need more than one request, and each block has
// transactions of three kinds.
func TestGoEthereum(t *testing.T) {
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	from := crypto.PubkeyToAddress(key.PublicKey)
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	chain := simulated.NewBackend(types.GenesisAlloc{from: {Balance: big.NewInt(1e18)}},
		func(n *node.Config, _ *ethconfig.Config) {
			n.HTTPHost, n.HTTPPort, n.HTTPModules = "127.0.0.1", 0, []string{"eth"}
			n.Logger = log.NewLogger(log.LogfmtHandler(file))
		})
	defer chain.Close()
	text, err := os.ReadFile(file.Name())
	m := listening.FindSubmatch(text)
	if m == nil {
		t.Fatalf("no address: %v\n%s", err, text)
	}
	url := "http://" + string(m[1])
	client := chain.Client()
	id, err := client.ChainID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	signer := types.LatestSignerForChainID(id)
	const blocks = 20
	nonce := uint64(0)
	for range blocks {
		to, fee := common.Address{1}, big.NewInt(params.GWei*10)
		for _, tx := range []types.TxData{
			&types.LegacyTx{To: &to, Gas: 21000, GasPrice: fee, Value: big.NewInt(1), Nonce: nonce},
			&types.AccessListTx{ChainID: id, To: &to, Gas: 30000, GasPrice: fee, Nonce: nonce + 1,
				AccessList: types.AccessList{{Address: to, StorageKeys: []common.Hash{{7}}}}},
			&types.DynamicFeeTx{ChainID: id, To: &to, Gas: 30000, GasFeeCap: fee, Data: []byte{1},
				GasTipCap: fee, Nonce: nonce + 2},
		} {
			signed, err := types.SignNewTx(key, signer, tx)
			if err == nil {
				err = client.SendTransaction(t.Context(), signed)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		nonce += 3
		chain.Commit()
	}
	network := []string{"--network", id.String()}
	check(t, 3*blocks, "--node", url)
	_, listed := koblitz(t, "check", "--progress", "none", "--senders", "--node", url)
	sender := fmt.Sprintf(": from 0x%x\n", from)
	if n := strings.Count(listed, sender); n != 3*blocks {
		t.Errorf("%v is the sender of %d transactions, want %d\n%s", from, n, 3*blocks, listed)
	}
	middle := append(network, "--node", url, "--from", "7", "--to", "15")
	check(t, 27, middle...)
	check(t, 3, "--node", url, "--format", "ethereum", "--from", "20")
	for text, args := range map[string][]string{
		"the node's last block is 20, and 21 is asked for": {"--to", "21"},
		"and not of sepolia":                            {"--network", "sepolia"},
		"does not exist/is not available (code -32601)": {"--format", "bitcoin"},
	} {
		refused(t, text, append(args, "--node", url)...)
	}
}
