package payments

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/silentpay"
)

// TestWalletFile checks which keys files are read, and that no error contains a word of a file.
func TestWalletFile(t *testing.T) {
	scan := fmt.Sprintf("%x", paymentSecret(walletScan).Bytes())
	spend := fmt.Sprintf("%x", paymentSecret(walletSpend).PublicKey().Bytes())
	secret := fmt.Sprintf("%x", paymentSecret(walletSpend).Bytes())
	address := clitest.Must(walletReceiver(walletScan,
		walletSpend).Address(silentpay.Mainnet)).String()
	other := clitest.Must(walletReceiver(otherScan, walletSpend).Address(silentpay.Mainnet)).String()
	for _, c := range []struct {
		text   string
		labels string // of a good file
		want   string // error, or empty
	}{
		{"scan " + scan + "\nspend " + spend, "[]", ""},
		{"\n# spend x\nspend\t" + spend + "\r\n  scan  " + scan + "\r\n", "[]", ""},
		{"address " + address + "\nscan " + scan + "\nlabels 3 5-7\nlabels 0", "[3 5 6 7 0]", ""},
		{"address " + strings.ToUpper(address) + "\nscan " + strings.ToUpper(scan) + "\n", "[]", ""},
		{"scan " + scan + "\nspend " + spend + "\nlabels 4294967295", "[4294967295]", ""},
		{"scan " + scan + "\nspend " + spend + "\nlabels", "[]", ""},
		{"", "", "no line with the scan key"},
		{"spend " + spend, "", "no line with the scan key"},
		{"scan " + scan, "", "no line with the spend key or the address"},
		{"scan " + scan + "\nscan " + scan, "", "line 2: a second key of this kind"},
		{"scan " + scan + "\nspend " + spend + "\naddress " + address, "",
			"line 3: a second key of this kind"},
		{"scan " + scan + "\naddress " + other, "", "the address has another scan key"},
		{"scan " + scan + "\nspend " + secret, "", "line 2: 64 digits where the public spend key has 66"},
		{"scan " + scan + "\nspend " + spend[:64] + "zz", "", "line 2: the public spend key has 66"},
		{"scan " + scan + "\nspend 05" + spend[2:], "", "line 2: "},
		{"scan " + scan + "\naddress " + address + "x", "", "line 2: "},
		{"scan " + scan[1:], "", "line 1: 63 characters"},
		{"scan " + scan[1:] + "x", "", "line 1: 64 characters, but not all of them hexadecimal"},
		{"scan " + strings.Repeat("0", 64), "", "line 1: "},
		{"scan " + strings.Repeat("f", 64), "", "line 1: "},
		{"scan " + scan + " " + scan, "", "line 1: two words"},
		{"scan", "", "line 1: two words"},
		{scan, "", "line 1: two words"},
		{"key " + scan, "", "line 1: the first word is none of scan, spend, address, labels"},
		{"labels -1", "", "line 1: labels are numbers"},
		{"labels 2-1", "", "line 1: labels are numbers"},
		{"labels 1-", "", "line 1: labels are numbers"},
		{"labels 4294967296", "", "line 1: labels are numbers"},
		{"labels 0-1048576", "", "line 1: more than 1048576 labels"},
		{"labels 1-1048575\nlabels 1 2", "", "line 2: more than 1048576 labels"},
	} {
		w, err := parseWallet([]byte(c.text))
		switch {
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		case c.want != "" && w != nil:
			t.Errorf("%q: keys, and an error", c.text)
		case err != nil:
			for _, word := range strings.Fields(c.text) {
				if len(word) > 20 && strings.Contains(err.Error(), word[:20]) {
					t.Errorf("%q: the error shows a key: %v", c.text, err)
				}
			}
		case fmt.Sprint(w.labels) != c.labels || fmt.Sprintf("%x", w.spend.Bytes()) != spend ||
			!w.scan.PublicKey().Equal(paymentSecret(walletScan).PublicKey()):
			t.Errorf("%q: labels %v, %v", c.text, w.labels, w.spend)
		}
	}
}

// TestWalletNetwork checks that an address belongs to one kind of network, and that the error names
// both.
func TestWalletNetwork(t *testing.T) {
	for chain, want := range map[consensus.Network]silentpay.Network{
		consensus.Mainnet: silentpay.Mainnet, consensus.Testnet3: silentpay.Testnet,
		consensus.Testnet4: silentpay.Testnet, consensus.Signet: silentpay.Testnet,
		consensus.Simnet: silentpay.Testnet, consensus.Regtest: silentpay.Regtest,
	} {
		for network := range silentpay.Regtest + 1 {
			w := paymentWallet{network: network}
			err := w.sameNetwork("keys", "tweaks", chain)
			if good := network == 0 || network == want; good != (err == nil) || !good &&
				err.Error() != fmt.Sprintf("keys: the address is of %v, and tweaks has the tweaks of %v",
					network, chain) {
				t.Errorf("%v: an address of %v: %v", chain, network, err)
			}
		}
	}
}

// TestFingerprint checks that a state fits every way to write the same labels, and no others.
// Label 0 is always looked for.
func TestFingerprint(t *testing.T) {
	first := map[string]string{} // the labels of the first file with a fingerprint
	for _, labels := range []string{"", "0", "1", "0 1", "1 0 1", "1-2", "2 0-1"} {
		w := clitest.Must(parseWallet(fmt.Appendf(nil, "scan %x\nspend %x\nlabels %s\n",
			paymentSecret(walletScan).Bytes(), paymentSecret(walletSpend).PublicKey().Bytes(), labels)))
		id := w.fingerprint()
		if _, seen := first[id]; !seen {
			first[id] = labels
		}
		want := map[string]string{"": "", "0": "", "1": "1", "0 1": "1", "1 0 1": "1", "1-2": "1-2",
			"2 0-1": "1-2"}[labels]
		if first[id] != want {
			t.Errorf("labels %q have the fingerprint of %q, want that of %q", labels, first[id], want)
		}
	}
}

// FuzzWallet checks that any keys file gives keys or an error.
func FuzzWallet(f *testing.F) {
	f.Add([]byte("scan 51\nspend 02\nlabels 1-3 7\naddress sp1q\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := parseWallet(text)
		if (w == nil) == (err == nil) || w != nil && (w.scan.IsZero() || w.spend.IsZero() ||
			len(w.labels) > maxLabels) {
			t.Errorf("%v, %v", w, err)
		}
	})
}

// FuzzScanState checks that a state that is accepted is encoded to the same bytes.
func FuzzScanState(f *testing.F) {
	m := uint32(3)
	s := scanState{Is: scanStateKind, Network: "regtest", From: 2,
		Places: []scanPlace{{Height: 7, Hash: "00"}}, Found: []foundRow{{Height: 5, Label: &m}}}
	text := clitest.Must(s.encode())
	f.Add(text)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseScanState(text)
		if err != nil {
			return
		}
		if again, err := s.encode(); err != nil || !bytes.Equal(again, text) {
			t.Errorf("%q, %v", again, err)
		}
	})
}
