package main

import (
	"bytes"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/pkix"
)

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

func pkixNone() {
	refused(pkix.MarshalECPrivateKey(nil))
	refused(pkix.MarshalPKCS8PrivateKey(nil))
	refused(pkix.MarshalECPrivateKeyPEM(nil))
	refused(pkix.MarshalPrivateKeyPEM(nil))
}
