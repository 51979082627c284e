package nostr

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/nostr/nip19"
	"github.com/koblitz-go/koblitz/nostr/nip44"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestChangingBytes calls every exported function that takes bytes of a caller with bytes that
// change as soon as they are read again.
func TestChangingBytes(t *testing.T) {
	c := changing.NewCalls(t)
	first, second := testPrivateKey(t, 1), testPrivateKey(t, 2)
	signer := Signer{}
	signer.set(first)
	call := func(f func(b []byte) ([]byte, error)) func(b, _ []byte) any {
		return func(b, _ []byte) any {
			out, err := f(b)
			return fmt.Sprintf("%x %v", out, err)
		}
	}
	x, y := first.XOnlyPublicKey().Bytes(), second.XOnlyPublicKey().Bytes()
	c.Check("nostr.Signer.ECDH pub", x, y, call(signer.ECDH))
	c.Check("nostr.Signer.ECDHRaw pub", x, y, call(signer.ECDHRaw))
	c.Check("nostr.Signer.InitPub pub", x, y, call(func(b []byte) ([]byte, error) {
		var s Signer
		err := s.InitPub(b)
		return s.Pub(), err
	}))
	c.Check("nostr.Signer.InitSec sec", first.Bytes(), second.Bytes(),
		call(func(b []byte) ([]byte, error) {
			var s Signer
			err := s.InitSec(b)
			return s.Sec(), err
		}))
	c.CheckOrError("nostr.Signer.Sign msg", x, y, func(b, constant []byte) any {
		sig, err := signer.Sign(b)
		if err != nil {
			return err
		}
		return schnorr.Verify(first.XOnlyPublicKey(), constant, sig)
	})
	sig, err := signer.Sign(x)
	if err != nil {
		t.Fatal(err)
	}
	other, err := signer.Sign(y)
	if err != nil {
		t.Fatal(err)
	}
	c.Check("nostr.Signer.Verify msg", x, y, func(b, _ []byte) any {
		return fmt.Sprint(signer.Verify(b, sig))
	})
	c.Check("nostr.Signer.Verify sig", sig, other, func(b, _ []byte) any {
		return fmt.Sprint(signer.Verify(x, b))
	})
	texts := [2][]byte{}
	for i, key := range []*koblitz.PrivateKey{first, second} {
		if texts[i], err = nip19.AppendSecret(nil, key); err != nil {
			t.Fatal(err)
		}
	}
	c.Check("nip19.ParseSecret text", texts[0], texts[1], call(func(b []byte) ([]byte, error) {
		key, err := nip19.ParseSecret(b)
		return key.Bytes(), err
	}))
	c.Check("nip44.ParseKey b", x, y, call(func(b []byte) ([]byte, error) {
		key, err := nip44.ParseKey(b)
		return key.Bytes(), err
	}))
	key, err := nip44.ParseKey(x)
	if err != nil {
		t.Fatal(err)
	}
	c.Check("nip44.Key.Encrypt plaintext", x, y, func(b, constant []byte) any {
		payload, err := key.Encrypt(b)
		if err != nil {
			return err
		}
		plaintext, err := key.Decrypt(payload)
		return fmt.Sprint(bytes.Equal(plaintext, constant), err)
	})
	changingEvents(t, c)
	c.Complete("../api", "nostr", "nip19", "nip44")
}

// changingEvents calls the functions that parse events.
func changingEvents(t *testing.T, c *changing.Calls) {
	author, other := testPrivateKey(t, 1), testPrivateKey(t, 2)
	signed := func(content string) *Event {
		e := &Event{CreatedAt: 1700000000, Kind: 1, Tags: [][]string{{"e", content}}, Content: content}
		if err := e.Sign(author); err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := signed("yes")
	both := texts(t, []*Event{e, signed("no!")})
	// The id is right for the author's key, and the signature for another key.
	sig, err := schnorr.Sign(other, e.ID[:], nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Sig = [64]byte(sig)
	hashed := texts(t, []*Event{e})[0]
	e.PubKey = [32]byte(other.XOnlyPublicKey().Bytes())
	used := texts(t, []*Event{e})[0]
	result := func(e *Event, err error) any {
		if err != nil {
			return err
		}
		return fmt.Sprint(*e, e.Verify())
	}
	verified := func(add func(b *Batch, text []byte)) func(text, _ []byte) any {
		return func(text, _ []byte) any {
			b, verdicts := NewBatch(1, nil), make([]batch.Verdict, 1)
			add(b, text)
			valid, err := b.Verify(context.Background(), verdicts)
			return fmt.Sprint(valid, err)
		}
	}
	for _, pair := range [][2][]byte{{both[0], both[1]}, {hashed, used}} {
		c.Check("nostr.ParseEvent text", pair[0], pair[1], func(b, _ []byte) any {
			return result(ParseEvent(b))
		})
		c.Check("nostr.Event.UnmarshalJSON text", pair[0], pair[1], func(b, _ []byte) any {
			var e Event
			return result(&e, e.UnmarshalJSON(b))
		})
		c.Check("nostr.Batch.Add text", pair[0], pair[1],
			verified(func(b *Batch, text []byte) { b.Add(text) }))
		c.Check("nostr.VerifyJSON texts", pair[0], pair[1], func(b, _ []byte) any {
			valid, err := VerifyJSON(context.Background(), [][]byte{b}, make([]batch.Verdict, 1), nil)
			return fmt.Sprint(valid, err)
		})
		// A Parser reads some characters several times, so an event may be a mixture of two texts.
		// But it must not be one that nobody signed.
		c.Check("nostr.Parser.Reset text", pair[0], pair[1], func(b, _ []byte) any {
			var p Parser
			p.Reset(b)
			if event, _ := p.Next(); !event || p.Event().Verify() != nil {
				return true
			}
			text, err := p.Event().AppendJSON(nil)
			return err == nil && (bytes.Equal(text, both[0]) || bytes.Equal(text, both[1]))
		})
	}
	c.Check("nostr.Parser.Reset text", hashed, used, verified(func(b *Batch, text []byte) {
		var p Parser
		p.Reset(text)
		p.Next()
		b.AddParsed(&p)
	}))
}
