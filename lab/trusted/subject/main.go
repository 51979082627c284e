// Command subject makes one of the calls of docs/trusted-base.md, several times with different
// operands, and writes which statements ran. Its arguments are the name of the call and a folder.
// Package trusted builds it with counters (go build -cover).
package main

//ci:untested The test of lab/trusted runs it.

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"runtime/coverage"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
)

// times is the number of calls. It is large enough that both sides of each branch on a random bit
// run, such as one on the parity of a coordinate.
const times = 64

func main() {
	name, folder := os.Args[1], os.Args[2]
	rand.Reader = new(stream)
	var run []func()
	if name != "start" { // whose counts are those of the initialisation
		prepare := calls[name]
		if prepare == nil {
			log.Fatalf("there is no call %s", name)
		}
		for range times {
			run = append(run, prepare())
		}
		check(coverage.ClearCounters())
	}
	for _, call := range run {
		call()
	}
	check(os.Mkdir(folder, 0o777))
	check(coverage.WriteCountersDir(folder))
	check(coverage.WriteMetaDir(folder))
	fmt.Println(strings.Join(cpu.Features(), " "))
}

// calls maps the name of each call to a function that makes new operands. The counters are reset
// between that function and the call.
var calls = map[string]func() (call func()){
	"ecdsa.Sign": func() func() {
		key, hash := newKey(), newHash()
		return func() { must(ecdsa.Sign(key, hash, nil)) }
	},
	"schnorr.Sign": func() func() {
		key, hash := newKey(), newHash()
		return func() { must(schnorr.Sign(key, hash, nil)) }
	},
	"koblitz.GenerateKey": func() func() {
		return func() { koblitz.GenerateKey() }
	},
	"ecdh.SharedX": func() func() {
		key, peer := newKey(), newKey().PublicKey()
		return func() { must(ecdh.SharedX(key, peer)) }
	},
	"musig2.Session.Sign": func() func() {
		key, peer := newKey(), newKey()
		hash := newHash()
		own, others := key.PublicKey(), peer.PublicKey()
		theirs := must(musig2.GenerateNonce(peer, nil)).PublicNonce()
		return func() {
			aggregate := must(musig2.AggregateKeys(own, others))
			nonce := must(musig2.GenerateNonce(key, nil))
			nonces := must(musig2.AggregateNonces(nonce.PublicNonce(), theirs))
			must(must(musig2.NewSession(aggregate, nonces, hash)).Sign(nonce, key))
		}
	},
	"ecdsa.Verify": func() func() {
		key, hash := newKey(), newHash()
		public, sig := key.PublicKey(), must(ecdsa.Sign(key, hash, nil))
		return func() {
			if !ecdsa.Verify(public, hash, sig) {
				log.Fatal("a good signature does not verify")
			}
		}
	},
}

// A stream is a source of bytes that are the same in every run.
type stream struct{ state [32]byte }

func (s *stream) Read(b []byte) (int, error) {
	for i := 0; i < len(b); {
		s.state = sha256.Sum256(s.state[:])
		i += copy(b[i:], s.state[:])
	}
	return len(b), nil
}

func newHash() []byte {
	hash := make([]byte, 32)
	must(rand.Read(hash))
	return hash
}

// newKey returns a key that was parsed, so that a call computes its public key.
func newKey() *koblitz.PrivateKey { return must(koblitz.ParsePrivateKey(newHash())) }

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatalf("a call fails: %v", err)
	}
}
