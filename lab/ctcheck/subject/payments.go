package main

import (
	"context"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/silentpay"
)

// payments holds cases, functions that call the library with secrets, for package silentpay.
var payments = []func(){
	paymentKeys, paymentTweaks, paymentSend, paymentSendRefuse, paymentScan, paymentScanner,
	paymentScannerRefuse, paymentNone,
}

func paymentKeys() {
	scan := must(silentpay.NewScanKey(secretKey(300)))
	spend := must(silentpay.NewSpendKey(secretKey(301)))
	if scan.PublicKey() == nil || spend.PublicKey() == nil || scan.IsZero() || spend.IsZero() {
		panic("a key holds nothing")
	}
	scan.Zeroize()
	spend.Zeroize()
	if !scan.IsZero() || !spend.IsZero() || scan.PublicKey() != nil {
		panic("a key that is wiped holds something")
	}
	refused(silentpay.NewScanKey(nil))
	refused(silentpay.NewSpendKey(nil))
}

func paymentTweaks() {
	for _, b := range [][]byte{
		secretString(302, 31), secretCopy(make([]byte, 32)), secretCopy(ones()),
	} {
		refused(silentpay.ParsePrivateTweak(b))
	}
	tweak := must(silentpay.ParsePrivateTweak(secretBytes(303)))
	copy(bytes32[:], tweak.Bytes())
	spend := must(silentpay.NewSpendKey(secretKey(304).Blinded()))
	must(spend.Tweak(tweak)).PublicKey()
	tweak.Zeroize()
	if !tweak.IsZero() || tweak.Bytes() != nil {
		panic("a tweak that is wiped holds something")
	}
	refused(spend.Tweak(tweak))
}

// receiver returns a receiver with a secret scan key and label 1.
func receiver() *silentpay.Receiver {
	scan := must(silentpay.NewScanKey(secretKey(305)))
	spend := must(silentpay.NewSpendKey(secretKey(306)))
	return must(silentpay.NewReceiver(scan, spend.PublicKey(), 1))
}

// paymentSend pays two addresses of one receiver from inputs with and without taproot. The public
// keys of the inputs have either parity.
func paymentSend() {
	r := receiver()
	recipients := []*silentpay.Address{
		must(r.Address(silentpay.Mainnet)), must(r.LabeledAddress(silentpay.Mainnet, 1)),
		must(r.ChangeAddress(silentpay.Mainnet)),
	}
	var inputs []silentpay.Input
	for seed := range uint64(4) {
		inputs = append(inputs, silentpay.Input{Key: secretKey(310 + seed), Taproot: seed > 0})
	}
	must(silentpay.Outputs(inputs, make([]silentpay.Outpoint, len(inputs)), recipients))
}

func paymentSendRefuse() {
	key := secretKey(307)
	address := []*silentpay.Address{must(receiver().Address(silentpay.Mainnet))}
	outpoints := make([]silentpay.Outpoint, 2)
	refused(silentpay.Outputs(nil, outpoints, address))
	refused(silentpay.Outputs([]silentpay.Input{{Key: key}}, outpoints, nil))
	refused(silentpay.Outputs([]silentpay.Input{{}}, outpoints, address))
	opposite := []silentpay.Input{{Key: key}, {Key: key.Negate()}}
	refused(silentpay.Outputs(opposite, outpoints, address))
}

// paymentScanner scans transactions without outputs, and some with an output that pays the
// receiver, for a receiver with few labels and one with many.
func paymentScanner() {
	few := receiver()
	scan := must(silentpay.NewScanKey(secretKey(308)))
	labels := make([]uint32, 9)
	for i := range labels {
		labels[i] = uint32(i + 1)
	}
	many := must(silentpay.NewReceiver(scan, publicKey(309), labels...))
	scanner := must(silentpay.NewScanner(few, many))
	for _, rows := range []int{1, manyRows} {
		var t silentpay.Transactions
		for i := range rows {
			tweak := secretKey(uint64(320 + i)).PublicKey()
			t.Tweaks = append(t.Tweaks, tweak.Bytes()...)
			for _, r := range []*silentpay.Receiver{few, many} {
				if c := must(r.Candidates(tweak, 0)); i%7 == 0 {
					t.Outputs = append(t.Outputs, c[min(i/7, len(c)-1)].Key[:]...)
				}
			}
			t.Ends = append(t.Ends, len(t.Outputs)/32)
		}
		t.Tweaks[0] = 9
		verdicts := make([]batch.Verdict, rows)
		if len(must(scanner.Scan(context.Background(), t, verdicts, nil))) != (rows-1)/7*2 {
			panic("other payments")
		}
	}
	refused(new(silentpay.Scanner).Scan(context.Background(), silentpay.Transactions{}, nil, nil))
}

// paymentScannerRefuse makes calls of a Scanner that are errors.
func paymentScannerRefuse() {
	refused(silentpay.NewScanner())
	refused(silentpay.NewScanner(new(silentpay.Receiver)))
	scan := must(silentpay.NewScanKey(secretKey(305)))
	scanner := must(silentpay.NewScanner(must(silentpay.NewReceiver(scan, publicKey(306)))))
	t := silentpay.Transactions{Tweaks: publicKey(307).Bytes(), Ends: []int{0}}
	verdicts := make([]batch.Verdict, 1)
	background := context.Background()
	refused(scanner.Scan(background, t, nil, nil))
	refused(scanner.Scan(background, t, verdicts, &batch.SecretOptions{Unchecked: true}))
	done, cancel := context.WithCancel(background)
	cancel()
	refused(scanner.Scan(done, t, verdicts, nil))
	must(scanner.Scan(background, t, verdicts, &batch.SecretOptions{Workers: 1}))
	scan.Zeroize()
	refused(scanner.Scan(background, t, verdicts, nil))
}

// paymentScan finds one output without a label and one with label 1, and spends both.
func paymentScan() {
	r := receiver()
	spend := must(silentpay.NewSpendKey(secretKey(306)))
	tweak := secretKey(309).PublicKey() // any point is the public tweak of a transaction
	outputs := [][32]byte{
		must(r.Candidates(tweak, 0))[0].Key, must(r.Candidates(tweak, 1))[2].Key,
	}
	matches := must(r.Scan(tweak, outputs))
	if len(matches) != 2 || matches[0].Labeled || !matches[1].Labeled {
		panic("other matches")
	}
	for i := range matches {
		must(spend.Tweak(matches[i].Tweak)).PublicKey()
	}
	refused(r.Candidates(tweak, silentpay.KMax))
	refused(r.Candidates(nil, 0))
}

func paymentNone() {
	refused(silentpay.NewReceiver(nil, nil))
	var none silentpay.Receiver
	refused(none.Scan(secretKey(308).PublicKey(), nil))
	refused(none.Scan(nil, nil))
	var spend *silentpay.SpendKey
	refused(spend.Tweak(nil))
}
