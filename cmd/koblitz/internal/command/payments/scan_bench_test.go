package payments

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
	"github.com/koblitz-go/koblitz/silentpay"
)

// benchTransactions is the number of transactions of each block that writeChain makes. Each spends
// a taproot output, and has two taproot outputs.
const benchTransactions = 2500

// writeChain writes a folder of a node with the given number of blocks, in files of at most 100
// blocks. It returns the folder and the keys in the outputs of all transactions.
func writeChain(b *testing.B, blocks int) (dir string, outputs []byte) {
	dir = b.TempDir()
	r := rand.New(rand.NewSource(1))
	coins := make([][]byte, 64)
	for i := range coins {
		key := [32]byte(paymentSecret(byte(i + 1)).PublicKey().XOnlyPublicKey().Bytes())
		coins[i] = bitcointest.Coin(wire.NewTxOut(1e8, taprootScript(key)), 1, false)
	}
	block := chaincfg.RegressionNetParams.GenesisBlock
	blk := bitcointest.Record(commandtest.RegtestMagic, commandtest.Serialize(block))
	var rev []byte
	for h := 1; h <= blocks; h++ {
		txs := []*wire.MsgTx{commandtest.CoinbaseTx(int32(h), wire.NewTxOut(50e8, nil))}
		undo := bitcointest.Size(benchTransactions)
		for i := range benchTransactions {
			tx := wire.NewMsgTx(2)
			from := wire.OutPoint{Index: uint32(i)}
			binary.LittleEndian.PutUint32(from.Hash[:], uint32(h))
			tx.AddTxIn(wire.NewTxIn(&from, nil, wire.TxWitness{make([]byte, 64)}))
			for range 2 {
				var key [32]byte
				r.Read(key[:])
				outputs = append(outputs, key[:]...)
				tx.AddTxOut(wire.NewTxOut(1e7, taprootScript(key)))
			}
			txs = append(txs, tx)
			undo = append(append(undo, bitcointest.Size(1)...), coins[i%len(coins)]...)
		}
		prev := block.BlockHash()
		block = commandtest.Mine(prev, commandtest.RegtestTime+uint32(h), txs...)
		blk = append(blk, bitcointest.Record(commandtest.RegtestMagic, commandtest.Serialize(block))...)
		rev = append(rev, bitcointest.Record(commandtest.RegtestMagic, undo)...)
		rev = append(rev, chainhash.DoubleHashB(append(prev[:], undo...))...)
		if h%100 == 0 || h == blocks {
			for name, data := range map[string][]byte{"blk": blk, "rev": rev} {
				name = filepath.Join(dir, fmt.Sprintf("%s%05d.dat", name, (h-1)/100))
				clitest.Must(0, os.WriteFile(name, data, 0o600))
			}
			blk, rev = nil, nil
		}
	}
	return dir, outputs
}

// BenchmarkScan measures koblitz scan for a folder of a node, from its start to its end, and
// reports the time per tweak and the ratio to the time of Scanner.Scan for the same transactions in
// memory. Both use all CPUs. With 400 blocks there are a million tweaks.
func BenchmarkScan(b *testing.B) {
	for _, blocks := range []int{40, 400} {
		b.Run(fmt.Sprint(blocks*benchTransactions), func(b *testing.B) {
			folder, outputs := writeChain(b, blocks)
			name := tweaksFile(b, folder)
			t := silentpay.Transactions{Outputs: outputs}
			file := clitest.Must(tweakfile.Open(name))
			defer file.Close()
			for h := range file.Next() {
				t.Tweaks = append(t.Tweaks, clitest.Must(file.Block(h)).Tweaks...)
			}
			for i := range blocks * benchTransactions {
				t.Ends = append(t.Ends, 2*(i+1))
			}
			scanner := clitest.Must(silentpay.NewScanner(walletReceiver(walletScan, walletSpend)))
			verdicts := make([]batch.Verdict, len(t.Ends))
			keys := walletFile(b)
			var command, library time.Duration
			for b.Loop() {
				start := time.Now()
				found := clitest.Must(scanner.Scan(b.Context(), t, verdicts, nil))
				library += time.Since(start)
				start = time.Now()
				rows := scanRows(b, "--keys", keys, name, folder)
				command += time.Since(start)
				if len(found) != 0 || len(rows) != 0 {
					b.Fatalf("found %d and %d payments", len(found), len(rows))
				}
			}
			b.ReportMetric(float64(command.Nanoseconds())/float64(b.N*len(t.Ends)), "ns/tweak")
			b.ReportMetric(float64(command)/float64(library), "times-library")
		})
	}
}
