//go:build valgrind

// The subject is a program for lab/ctcheck. It calls the functions of this module that handle
// secrets, with secrets that are marked. lab/ctcheck/subject explains the names of its functions.
package main

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
	"github.com/koblitz-go/koblitz/nostr"
	"github.com/koblitz-go/koblitz/nostr/nip19"
	"github.com/koblitz-go/koblitz/nostr/nip44"
)

func main() {
	cases.Main(&cases.Random{}, &sink, func() {
		cases.Level(koblitz.Implementations())
		cases.Run(
			secretText, secretTextRefused, conversation, messages, refusedMessages, signer, event,
			plantedText, plantedConversation, plantedMessage, plantedAlphabet, plantedDivision)
	})
}

// sink receives results, so that the compiler does not remove the computations.
var sink int

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// secret returns n bytes that are marked as secret.
func secret(n int) []byte { return cases.Secret(3, n) }

func secretKey() *koblitz.PrivateKey { return must(koblitz.ParsePrivateKey(secret(32))) }

func publicKey() *koblitz.XOnlyPublicKey {
	return must(koblitz.ParsePrivateKey([]byte(fmt.Sprintf("%032d", 7)))).XOnlyPublicKey()
}

// nsec returns a secret text with the given first characters.
func nsec(prefix string) []byte {
	text := must(nip19.AppendSecret(nil, secretKey()))
	if prefix == strings.ToUpper(prefix) {
		for i, c := range text {
			text[i] = c - c>>6&1<<5 // letters have the bit 64, and digits have not
		}
	}
	return append([]byte(prefix), text[len(prefix):]...)
}

func secretText() {
	for _, prefix := range []string{"nsec1", "NSEC1"} {
		key := must(nip19.ParseSecret(nsec(prefix)))
		key.Zeroize()
	}
}

// secretTextRefused reads texts with a wrong character and with a wrong checksum.
func secretTextRefused() {
	for _, c := range []byte("bqp") { // at least one of q and p is not the character there
		text := nsec("nsec1")
		text[40] = c
		if _, err := nip19.ParseSecret(text); err != nil {
			sink++
		}
	}
}

func secretConversation() *nip44.Key { return must(nip44.NewKey(secretKey(), publicKey())) }

func conversation() {
	k := secretConversation()
	k = must(nip44.ParseKey(k.Bytes()))
	sink += len(fmt.Sprint(k))
	k.Zeroize()
}

// messages encrypts and decrypts secret messages with both forms of the length.
func messages() {
	k := secretConversation()
	for _, n := range []int{1, 32, 33, 1000, 65536} {
		payload := must(k.Encrypt(secret(n)))
		sink += len(must(k.Decrypt(payload)))
	}
}

// refusedMessages decrypts a message of another key.
func refusedMessages() {
	payload := must(secretConversation().Encrypt(secret(40)))
	other := must(nip44.ParseKey(secret(32)))
	if _, err := other.Decrypt(payload); err != nip44.ErrMAC {
		panic(err)
	}
}

func signer() {
	var s nostr.Signer
	if err := s.InitSec(secret(32)); err != nil {
		panic(err)
	}
	id := make([]byte, 32)
	if valid := must(s.Verify(id, must(s.Sign(id)))); !valid {
		panic("not valid")
	}
	sink += len(must(s.ECDH(publicKey().Bytes()))) + len(s.Sec()) + len(fmt.Sprint(s))
	s.Zero()
}

func event() {
	var e nostr.Event
	if err := e.Sign(secretKey()); err != nil || e.Verify() != nil {
		panic(err)
	}
}

// The planted cases branch on results that are secret. ctcheck must report each.

func plantedText() {
	if nsec("nsec1")[20]&1 == 1 {
		sink++
	}
}

func plantedConversation() {
	if secretConversation().Bytes()[0]&1 == 1 {
		sink++
	}
}

func plantedMessage() {
	k := secretConversation()
	if must(k.Decrypt(must(k.Encrypt(secret(33)))))[0]&1 == 1 {
		sink++
	}
}

// plantedAlphabet encodes secret bits as other libraries for bech32 do.
func plantedAlphabet() { sink += int("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[secret(32)[0]&31]) }

// plantedDivision divides by a secret. Memcheck cannot report that, so the search for instructions
// must find it.
func plantedDivision() { sink += 1000 / (int(secret(32)[0]) + 1) }
