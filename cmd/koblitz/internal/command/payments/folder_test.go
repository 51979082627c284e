package payments

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/silentpay"
)

var update = flag.Bool("update", false, "write the folder in testdata instead of comparing with it")

// TestFolder checks that the folder in testdata, which docs/silent-payments.md scans, is a regtest
// chain in which the wallet of the tests finds one of two payments.
func TestFolder(t *testing.T) {
	c := newPaymentChain()
	wallet, other := walletReceiver(walletScan, walletSpend), walletReceiver(otherScan, otherSpend)
	found := c.pay([]int{2}, clitest.Must(wallet.LabeledAddress(silentpay.Regtest, 1)))
	c.expect(found, 1, 1)
	c.mine(commandtest.CoinbaseTx(2, wire.NewTxOut(50e8, nil)), found,
		c.pay([]int{0}, clitest.Must(other.Address(silentpay.Regtest))))
	made, kept := c.folder(t), filepath.Join("testdata", "payment")
	for _, name := range []string{"blk00000.dat", "rev00000.dat", "xor.dat"} {
		file := readFile(t, filepath.Join(made, name))
		if *update {
			clitest.Must(0, os.WriteFile(filepath.Join(kept, name), []byte(file), 0o666))
		} else if readFile(t, filepath.Join(kept, name)) != file {
			t.Errorf("%s has changed (go test -run TestFolder -update)", name)
		}
	}
	c.wantRows(t, scanRows(t, "--keys", walletFile(t), tweaksFile(t, kept), kept))
}
