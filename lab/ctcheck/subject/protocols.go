package main

import (
	"bytes"
	"context"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/pkix"
	"github.com/koblitz-go/koblitz/silentpay"
)

// protocolsFixed holds cases for packages musig2, silentpay and pkix that package operations lacks.
var protocolsFixed = []func(){
	musigNonces, musigDeterministic, paymentScanner, paymentRefuse, pkixEC, pkixECPEM, pkixPEM,
	pkixRefuse,
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

// musigDeterministic signs with a nonce that depends on the arguments alone.
func musigDeterministic() {
	defer without512()()
	key := secretKey(630)
	k := must(musig2.AggregateKeys(key.PublicKey(), publicKey(631)))
	others := must(musig2.AggregateNonces(must(musig2.GenerateNonce(key, nil)).PublicNonce()))
	infinite := must(musig2.ParseAggregateNonce(make([]byte, musig2.NonceSize)))
	for _, random := range [][]byte{nil, secretBytes(632)} {
		_, sig, err := musig2.DeterministicSign(key, k, others, nil, random)
		sink += len(must(sig, err).Bytes())
	}
	_, _, err := musig2.DeterministicSign(key, k, infinite, nil, nil)
	refused(0, err)
}

// receiver returns a receiver with a secret scan key and label 1.
func receiver() *silentpay.Receiver {
	scan := must(silentpay.NewScanKey(secretKey(305)))
	spend := must(silentpay.NewSpendKey(secretKey(306)))
	return must(silentpay.NewReceiver(scan, spend.PublicKey(), 1))
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

// paymentRefuse makes calls that are errors, and one with a blinded key.
func paymentRefuse() {
	scan := must(silentpay.NewScanKey(secretKey(305)))
	refused(silentpay.NewScanner(new(silentpay.Receiver)))
	r := must(silentpay.NewReceiver(scan, publicKey(306)))
	refused(r.Candidates(publicKey(307), silentpay.KMax))
	scanner := must(silentpay.NewScanner(r))
	t := silentpay.Transactions{Tweaks: publicKey(307).Bytes(), Ends: []int{0}}
	background := context.Background()
	refused(scanner.Scan(background, t, nil, nil))
	scan.Zeroize()
	refused(scanner.Scan(background, t, make([]batch.Verdict, 1), nil))
	must(silentpay.NewSpendKey(secretKey(304).Blinded())).PublicKey()
}

func pkixEC() {
	der := must(pkix.MarshalECPrivateKey(secretKey(290)))
	same(290, must(pkix.ParseECPrivateKey(der)))
	withoutPublic := slices.Concat([]byte{0x30, 46}, der[2:48])
	same(290, must(pkix.ParseECPrivateKey(withoutPublic)))
	damaged(der, pkix.ParseECPrivateKey)
	for _, number := range [][]byte{secretCopy(make([]byte, 32)), cases.Secret(291, 31)} {
		head := []byte{0x30, byte(len(number) + 14), 2, 1, 1, 4, byte(len(number))}
		refused(pkix.ParseECPrivateKey(slices.Concat(head, number, der[39:48])))
	}
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
