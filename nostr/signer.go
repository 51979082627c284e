package nostr

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A Signer holds the key of one author, with the methods that relays and clients call on such a
// value (the interface signer.I of several programs in Go): Generate or InitSec to sign, or InitPub
// to verify only.
//
// The zero value signs nothing and finds no signature valid. Many goroutines may call Sec, Pub,
// Sign, Verify, ECDH and ECDHRaw at the same time, but no other method beside them.
type Signer struct {
	key *koblitz.PrivateKey
	pub *koblitz.XOnlyPublicKey
}

// Generate sets s to a fresh key. It wipes a private key that s had.
func (s *Signer) Generate() error {
	s.set(koblitz.GenerateKey())
	return nil
}

// InitSec sets s to the private key sec, 32 bytes, which the caller should overwrite. It wipes a
// private key that s had, even if it returns an error; after an error s is like a zero value.
func (s *Signer) InitSec(sec []byte) error {
	key, err := koblitz.ParsePrivateKey(sec)
	s.Zero()
	s.pub = nil
	if err == nil {
		s.set(key)
	}
	return err
}

func (s *Signer) set(key *koblitz.PrivateKey) {
	s.Zero()
	s.key, s.pub = key, key.XOnlyPublicKey()
}

// InitPub sets s to the x-only public key pub, 32 bytes, without a private key. It wipes a private
// key that s had, even if it returns an error; after an error s is like a zero value.
func (s *Signer) InitPub(pub []byte) (err error) {
	s.Zero()
	s.pub, err = koblitz.ParseXOnlyPublicKey(pub)
	if err != nil {
		s.pub = nil
	}
	return err
}

// Sec returns a copy of the private key, or nil if s has none. The caller should overwrite it.
func (s *Signer) Sec() []byte {
	if s.key.IsZero() {
		return nil
	}
	return s.key.Bytes()
}

// Pub returns the x-only public key, 32 bytes, or nil if s has none.
func (s *Signer) Pub() []byte {
	if s.pub.IsZero() {
		return nil
	}
	return s.pub.Bytes()
}

// Sign returns the BIP-340 signature of msg, which is the id of an event. It returns an error if s
// has no private key.
func (s *Signer) Sign(msg []byte) (sig []byte, err error) { return schnorr.Sign(s.key, msg, nil) }

// Verify reports whether sig is a signature of msg by s's public key. It returns an error if s has
// no public key.
func (s *Signer) Verify(msg, sig []byte) (valid bool, err error) {
	if s.pub.IsZero() {
		return false, koblitz.ErrZeroKey
	}
	return schnorr.Verify(s.pub, msg, sig), nil
}

// Zero wipes the private key. The public key stays.
func (s *Signer) Zero() {
	s.key.Zeroize()
	s.key = nil
}

// ECDH returns the x coordinate that the private key shares with the x-only public key pub, 32
// bytes, as NIP-04 and NIP-44 use it. The caller should overwrite it.
func (s *Signer) ECDH(pub []byte) (secret []byte, err error) {
	peer, err := koblitz.ParseXOnlyPublicKey(pub)
	if err != nil {
		return nil, err
	}
	return ecdh.SharedXOnly(s.key, peer)
}

// ECDHRaw does the same as ECDH. Some programs call the method by this name.
func (s *Signer) ECDHRaw(pub []byte) (sharedX []byte, err error) { return s.ECDH(pub) }

// Format writes the public key for every verb, and nothing of the private key.
func (s Signer) Format(f fmt.State, verb rune) { fmt.Fprintf(f, "nostr.Signer(%x)", s.Pub()) }
