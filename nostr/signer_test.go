package nostr

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
)

// A peerSigner has the methods of the interface signer.I as relays and clients define it.
type peerSigner interface {
	Generate() error
	InitSec(sec []byte) error
	InitPub(pub []byte) error
	Sec() []byte
	Pub() []byte
	Sign(msg []byte) (sig []byte, err error)
	Verify(msg, sig []byte) (valid bool, err error)
	Zero()
	ECDH(pub []byte) (secret []byte, err error)
	ECDHRaw(pub []byte) (sharedX []byte, err error)
}

var _ peerSigner = (*Signer)(nil)

func TestSigner(t *testing.T) {
	var a, b, public Signer
	if err := a.Generate(); err != nil {
		t.Fatal(err)
	}
	secret := testPrivateKey(t, 4).Bytes()
	if err := b.InitSec(secret); err != nil || !bytes.Equal(b.Sec(), secret) {
		t.Fatal(err)
	}
	if err := public.InitPub(b.Pub()); err != nil || !bytes.Equal(public.Pub(), b.Pub()) {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	sig, err := b.Sign(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Signer{&b, &public} {
		if valid, err := s.Verify(id, sig); !valid || err != nil {
			t.Error(valid, err)
		}
	}
	if valid, err := a.Verify(id, sig); valid || err != nil {
		t.Error(valid, err)
	}
	ab, err1 := a.ECDH(b.Pub())
	ba, err2 := b.ECDHRaw(a.Pub())
	if err1 != nil || err2 != nil || len(ab) != 32 || !bytes.Equal(ab, ba) {
		t.Errorf("%x, %x, %v, %v", ab, ba, err1, err2)
	}

	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if text := fmt.Sprintf(verb, b) + fmt.Sprintf(verb, &b); strings.Contains(text,
			hex.EncodeToString(secret)[:8]) || !strings.Contains(text, hex.EncodeToString(b.Pub())) {
			t.Error(text)
		}
	}

	key := b.key
	b.Zero()
	b.Zero()
	if !key.IsZero() || b.Sec() != nil {
		t.Error("the private key is still there")
	}
	if valid, err := b.Verify(id, sig); !valid || err != nil {
		t.Error("the public key is gone")
	}
}

// TestSignerZero checks that signers without a key do nothing: a zero value, a wiped one, and those
// that got a key that is refused after one that was not.
func TestSignerZero(t *testing.T) {
	var valid, refusedSecret, refusedPublic, public Signer
	if err := valid.Generate(); err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	sig, err := valid.Sign(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Signer{&refusedSecret, &refusedPublic, &public} {
		if err := s.InitSec(valid.Sec()); err != nil {
			t.Fatal(err)
		}
	}
	keys := []*koblitz.PrivateKey{refusedSecret.key, refusedPublic.key, public.key}
	if refusedSecret.InitSec(make([]byte, 32)) == nil || refusedPublic.InitPub(id[1:]) == nil {
		t.Fatal("accepted")
	}
	if err := public.InitPub(valid.Pub()); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		if !key.IsZero() {
			t.Errorf("%d: the earlier private key is not wiped", i)
		}
	}
	for i, s := range []*Signer{new(Signer), &refusedSecret, &refusedPublic, &public} {
		if sig, err := s.Sign(id); err == nil || sig != nil {
			t.Errorf("%d signs", i)
		}
		if x, err := s.ECDH(valid.Pub()); err == nil || x != nil {
			t.Errorf("%d shares a secret", i)
		}
		if s.Sec() != nil || s != &public && s.Pub() != nil {
			t.Errorf("%d has a key", i)
		}
		if ok, err := s.Verify(id, sig); s != &public && (ok || err == nil) {
			t.Errorf("%d verifies", i)
		}
		s.Zero()
	}
	if x, err := valid.ECDH(id); err == nil || x != nil {
		t.Error("a secret is shared with no key")
	}
}

func TestSignerShared(t *testing.T) {
	var s Signer
	if err := s.Generate(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			id := bytes.Repeat([]byte{byte(i)}, 32)
			sig, err := s.Sign(id)
			if err != nil {
				t.Error(err)
			}
			if valid, err := s.Verify(id, sig); !valid || err != nil {
				t.Error(valid, err)
			}
			if _, err := s.ECDH(s.Pub()); err != nil || s.Sec() == nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
