//go:build rust

package rust

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/silentpay"
)

// networks holds the networks, and their names in the crate.
var networks = []struct {
	silentpay.Network
	name string
}{{silentpay.Mainnet, "main"}, {silentpay.Testnet, "testnet"}, {silentpay.Regtest, "regtest"}}

// A wallet is a receiver of silent payments.
type wallet struct {
	scanSecret *koblitz.PrivateKey
	spend      *silentpay.SpendKey
	labels     []uint32 // the change label 0, and others
	receiver   *silentpay.Receiver
}

// randomKey returns a private key.
func randomKey(r *rand.Rand) *koblitz.PrivateKey {
	return reference.Must(koblitz.ParsePrivateKey(reference.Bytes(r, 32)))
}

// newWallet returns a wallet with the change label and the given number of other labels.
func newWallet(r *rand.Rand, labels int) *wallet {
	w := &wallet{scanSecret: randomKey(r), labels: []uint32{0}}
	for range labels {
		w.labels = append(w.labels, r.Uint32()>>r.IntN(32))
	}
	scan := reference.Must(silentpay.NewScanKey(w.scanSecret))
	w.spend = reference.Must(silentpay.NewSpendKey(randomKey(r)))
	w.receiver = reference.Must(silentpay.NewReceiver(scan, w.spend.PublicKey(), w.labels...))
	return w
}

// keys returns the words of a request that describe the wallet: the secret scan key, the public
// spend key and the labels.
func (w *wallet) keys() []string {
	labels := strings.ReplaceAll(strings.Trim(fmt.Sprint(w.labels), "[]"), " ", ",")
	return words(w.scanSecret, w.spend.PublicKey(), labels)
}

// addresses returns the address without a label, and then one for each label.
func (w *wallet) addresses(network silentpay.Network) []*silentpay.Address {
	all := []*silentpay.Address{reference.Must(w.receiver.Address(network))}
	for _, m := range w.labels {
		if m == 0 {
			all = append(all, reference.Must(w.receiver.ChangeAddress(network)))
		} else {
			all = append(all, reference.Must(w.receiver.LabeledAddress(network, m)))
		}
	}
	return all
}

// TestAddresses checks that the crate makes the same addresses from the same keys, that each side
// decodes the other's, and that both refuse changed ones.
func TestAddresses(t *testing.T) {
	rounds(t, count(20, 50, 5000), []string{"decoded", "refused"}, func(r *round) {
		w := newWallet(r.Rand, r.IntN(6))
		for _, network := range networks {
			var texts []string
			for _, a := range w.addresses(network.Network) {
				texts = append(texts, a.String())
			}
			r.expect(texts, "addresses", network.name, w.keys())
			text := texts[r.IntN(len(texts))]
			changed := []byte(text)
			changed[r.IntN(len(text))] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l1bQ"[r.IntN(35)]
			short := text[:r.IntN(len(text))]
			for _, s := range []string{text, strings.ToUpper(text), string(changed), short + "q"} {
				var keys []string
				a, err := silentpay.ParseAddress(s)
				if err == nil {
					keys = words(a.ScanKey(), a.SpendKey(), a)
				}
				if r.same(keys, err, "parse", s) {
					r.seen["decoded"]++
				} else {
					r.seen["refused"]++
				}
			}
		}
	})
}
