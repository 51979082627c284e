package frost

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestSecretsAreNotPrinted checks that no printer or encoder shows a secret of an exported type, in
// any wrapping. In an unexported field, package fmt calls no methods of the type.
func TestSecretsAreNotPrinted(t *testing.T) {
	secret, err := hex.DecodeString("9fa3c5e7d1b2f4869788a9bacbdcedfe8f7e6d5c4b3a29180706f5e4d3c2b1a9")
	if err != nil {
		t.Fatal(err)
	}
	key, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	input := NewInput(secret)
	options := NonceOptions{Share: key, Message: input, Extra: input}
	nonce, err := generateNonce(new([32]byte), &options)
	if err != nil {
		t.Fatal(err)
	}
	pair := nonce.pair.Load()
	scalar := scalarOf(t, secret)
	generation, err := startKeyGen(0, 2, nil, polynomial{scalar, scalar}, scalar)
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(t *testing.T){
		"SecretNonce": func(t *testing.T) {
			secrettest.CheckOpaque(t, value(nonce), pair[0].Bytes(), pair[1].Bytes())
		},
		"NonceOptions": func(t *testing.T) { secrettest.CheckOpaque(t, options, secret) },
		"Input":        func(t *testing.T) { secrettest.CheckOpaque(t, input, secret) },
		"KeyGen":       func(t *testing.T) { secrettest.CheckOpaque(t, *generation, secret) },
		"RepairPart":   func(t *testing.T) { secrettest.CheckOpaque(t, RepairPart{secret: key}, secret) },
		"KeyShare":     func(t *testing.T) { secrettest.CheckOpaque(t, KeyShare{Share: key}, secret) },
	}
	public := []string{"AggregateNonce", "BlameError", "Commitment", "Contribution", "PublicNonce",
		"Repair", "Session", "Signers", "Tweak"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declaration, found := regexp.MustCompile(`(?m)^type ([A-Z]\w*)`), 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			found++
			if check := checks[m[1]]; check != nil {
				t.Run(m[1], check)
			} else if !slices.Contains(public, m[1]) {
				t.Errorf("can %s hold a secret?", m[1])
			}
		}
	}
	if found != len(checks)+len(public) {
		t.Errorf("%d exported types, want %d", found, len(checks)+len(public))
	}
}

// value returns *p. It hides from vet that a nonce is copied.
func value[T any](p *T) T { return *p }

// Copies of a nonce share it: if one has taken it, the others hold none.
func TestCopiesShareNonce(t *testing.T) {
	n, err := GenerateNonce(nil)
	if err != nil {
		t.Fatal(err)
	}
	copied := value(n)
	if _, err := n.take(); err != nil {
		t.Fatal(err)
	}
	if _, err := copied.take(); err == nil {
		t.Error("a copy holds the nonce that was taken")
	}
}

func TestExtraTooLong(t *testing.T) {
	if err := checkExtra(1<<32 - 1); err != nil {
		t.Error(err)
	}
	if checkExtra(1<<32) == nil {
		t.Error("an extra input of 2^32 bytes is accepted")
	}
}
