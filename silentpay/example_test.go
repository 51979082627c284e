package silentpay_test

import (
	"fmt"
	"log"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/silentpay"
)

func Example() {
	// The receiver makes an address of two keys. The spend key can stay offline.
	scan, _ := silentpay.NewScanKey(koblitz.GenerateKey())
	spend, _ := silentpay.NewSpendKey(koblitz.GenerateKey())
	receiver, _ := silentpay.NewReceiver(scan, spend.PublicKey(), 1)
	address, _ := receiver.LabeledAddress(silentpay.Mainnet, 1)

	// The sender's transaction has one eligible input.
	input := koblitz.GenerateKey()
	outpoints := []silentpay.Outpoint{{0: 0x5f, 32: 1}}
	to, err := silentpay.ParseAddress(address.String())
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := silentpay.Outputs([]silentpay.Input{{Key: input}}, outpoints,
		[]*silentpay.Address{to})
	if err != nil {
		log.Fatal(err)
	}

	// The receiver finds the output in the transaction, and makes the key that spends it.
	tweak, _ := silentpay.PublicTweak(outpoints, []*koblitz.PublicKey{input.PublicKey()})
	matches, err := receiver.Scan(tweak, outputs)
	if err != nil {
		log.Fatal(err)
	}
	key, _ := spend.Tweak(matches[0].Tweak)
	fmt.Println(matches[0].Label, [32]byte(key.XOnlyPublicKey().Bytes()) == outputs[0])
	// Output: 1 true
}
