package main

import (
	"bytes"
	"context"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/silentpay"
)

// protocolsFixed holds cases for packages musig2, silentpay and pkix that package operations lacks.
var protocolsFixed = []func(){
	musigNonces, musigSign, musigRefuse, musigDeterministic, paymentSend, paymentScan, paymentScanner,
	paymentScannerRefuse, paymentSendRefuse, paymentNone, paymentTweaks, pkixEC, pkixPKCS8,
	pkixECPEM, pkixPEM, pkixRefuse,
}

// musigSession returns the session of a signer with the given key and nonce, and of another signer.
func musigSession(key *koblitz.PrivateKey, nonce *musig2.SecretNonce) *musig2.Session {
	k := must(musig2.AggregateKeys(key.PublicKey(), publicKey(624)))
	all := must(musig2.AggregateNonces(nonce.PublicNonce(), nonce.PublicNonce()))
	return must(musig2.NewSession(k, all, nil))
}

func musigNonces() {
	defer without512()()
	key := secretKey(625)
	k := must(musig2.AggregateKeys(key.PublicKey()))
	for _, o := range []*musig2.NonceOptions{
		nil, {Message: musig2.NewInput(nil)},
		{AggregateKey: k, Message: musig2.NewInput([]byte{}), Extra: musig2.NewInput(secretBytes(626))},
	} {
		nonce := must(musig2.GenerateNonce(key, o))
		if nonce.IsZero() {
			panic("a nonce is zero")
		}
		nonce.Zeroize()
	}
	nonce := must(musig2.GenerateNonce(key.Blinded(), nil))
	sink += len(nonce.PublicNonce().Bytes())
	must(musig2.GenerateNonceWithoutKey(key.PublicKey(), nil))
	refused(musig2.GenerateNonce(nil, nil))
	var none *musig2.SecretNonce
	none.Zeroize()
	if none.PublicNonce() != nil || !none.IsZero() {
		panic("nothing is a nonce")
	}
}

func musigSign() {
	defer without512()()
	key := secretKey(627)
	nonce := must(musig2.GenerateNonce(key, nil))
	s := musigSession(key, nonce)
	sink += len(must(s.Sign(nonce, key)).Bytes())
	refused(s.Sign(nonce, key))
}

// musigRefuse signs with arguments that are refused.
func musigRefuse() {
	defer without512()()
	key, other := secretKey(628), secretKey(629)
	nonce := must(musig2.GenerateNonce(key, nil))
	s := musigSession(key, nonce)
	var none *musig2.Session
	refused(none.Sign(nonce, key))
	refused(s.Sign(nonce, nil))
	refused(s.Sign(nil, key))
	refused(s.Sign(nonce, other))
	refused(s.Sign(must(musig2.GenerateNonce(other, nil)), other))
}

// musigDeterministic signs with a nonce that depends on the arguments alone, and with arguments
// that are refused.
func musigDeterministic() {
	defer without512()()
	key := secretKey(630)
	k := must(musig2.AggregateKeys(key.PublicKey(), publicKey(631)))
	others := must(musig2.AggregateNonces(must(musig2.GenerateNonce(key, nil)).PublicNonce()))
	infinite := must(musig2.ParseAggregateNonce(make([]byte, musig2.NonceSize)))
	stranger := must(musig2.AggregateKeys(publicKey(631)))
	for _, c := range []struct {
		key    *koblitz.PrivateKey
		k      *musig2.AggregateKey
		others *musig2.AggregateNonce
		random []byte
		good   bool
	}{
		{key, k, others, nil, true},
		{key, k, others, secretBytes(632), true},
		{nil, k, others, nil, false},
		{key, nil, others, nil, false},
		{key, k, nil, nil, false},
		{key, k, others, secretBytes(632)[1:], false},
		{key, k, infinite, nil, false},
		{key, stranger, others, nil, false},
	} {
		_, _, err := musig2.DeterministicSign(c.key, c.k, c.others, nil, c.random)
		if (err == nil) != c.good {
			panic(err)
		}
	}
	for _, msg := range messages() {
		if _, _, err := musig2.DeterministicSign(key, k, others, msg, nil); err != nil {
			panic(err)
		}
	}
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

func paymentNone() {
	refused(silentpay.NewReceiver(nil, nil))
	var none silentpay.Receiver
	refused(none.Scan(secretKey(308).PublicKey(), nil))
	refused(none.Scan(nil, nil))
	var spend *silentpay.SpendKey
	refused(spend.Tweak(nil))
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

func pkixEC() {
	der := must(pkix.MarshalECPrivateKey(secretKey(290)))
	same(290, must(pkix.ParseECPrivateKey(der)))
	withoutPublic := slices.Concat([]byte{0x30, 46}, der[2:48])
	same(290, must(pkix.ParseECPrivateKey(withoutPublic)))
	damaged(der, pkix.ParseECPrivateKey)
	for _, number := range [][]byte{secretCopy(make([]byte, 32)), secretString(291, 31)} {
		head := []byte{0x30, byte(len(number) + 14), 2, 1, 1, 4, byte(len(number))}
		refused(pkix.ParseECPrivateKey(slices.Concat(head, number, der[39:48])))
	}
}

func pkixPKCS8() {
	der := must(pkix.MarshalPKCS8PrivateKey(secretKey(292)))
	same(292, must(pkix.ParsePKCS8PrivateKey(der)))
	damaged(der, pkix.ParsePKCS8PrivateKey)
}

func pkixECPEM() {
	text := must(pkix.MarshalECPrivateKeyPEM(secretKey(293)))
	same(293, must(pkix.ParsePrivateKeyPEM(text)))
	curve := []byte("-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n")
	same(293, must(pkix.ParsePrivateKeyPEM(append(curve, text...))))
	other := bytes.Replace(curve, []byte("ACg"), []byte("ACw"), 1)
	refused(pkix.ParsePrivateKeyPEM(append(other, text...)))
}

func pkixPEM() {
	text := must(pkix.MarshalPrivateKeyPEM(secretKey(294)))
	same(294, must(pkix.ParsePrivateKeyPEM(text)))
	newline := []byte("\r\n")
	same(294, must(pkix.ParsePrivateKeyPEM(slices.Concat(text[:27], newline, text[28:92], newline,
		text[93:157], newline, text[158:210], newline, text[211:237], newline))))
	damaged(text, pkix.ParsePrivateKeyPEM)
}

// same panics if k is not the key of secretKey.
func same(seed uint64, k *koblitz.PrivateKey) {
	if !k.Equal(secretKey(seed)) {
		panic("another key")
	}
}

// damaged parses copies of b in which one byte is replaced, or the end is missing. Some of them are
// valid: a newline in PEM may be anywhere.
func damaged(b []byte, parse func([]byte) (*koblitz.PrivateKey, error)) {
	for i := range b {
		for _, v := range []byte("\x00\x30\x81=-\n\r") {
			c := slices.Clone(b)
			c[i] = v
			parse(c)
		}
		parse(b[:i])
	}
}

// pkixRefuse parses encodings with too much in them, or encrypted.
func pkixRefuse() {
	der := must(pkix.MarshalPKCS8PrivateKey(secretKey(295)))
	attributes := []byte{0xa0, 0}
	refused(pkix.ParsePKCS8PrivateKey(slices.Concat([]byte{0x30, 0x81, 134}, der[3:], attributes)))

	text := must(pkix.MarshalPrivateKeyPEM(secretKey(296)))
	head, body, foot := text[:28], text[28:211], text[211:]
	refused(pkix.ParsePrivateKeyPEM(slices.Concat(text, []byte("text"))))
	refused(pkix.ParsePrivateKeyPEM(slices.Concat(head, body, body, foot)))
	encrypted := []byte("Proc-Type: 4,ENCRYPTED\n")
	refused(pkix.ParsePrivateKeyPEM(slices.Concat(head, encrypted, body, foot)))
	refused(pkix.ParsePrivateKeyPEM([]byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")))
}
