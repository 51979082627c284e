package nostr

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	peer "github.com/nbd-wtf/go-nostr"

	"github.com/koblitz-go/koblitz/batch"
)

// toPeer and fromPeer convert events of this package to events of go-nostr, and back.
func toPeer(e *Event) *peer.Event {
	p := &peer.Event{ID: hex.EncodeToString(e.ID[:]), PubKey: hex.EncodeToString(e.PubKey[:]),
		CreatedAt: peer.Timestamp(e.CreatedAt), Kind: int(e.Kind), Tags: peer.Tags{},
		Content: e.Content, Sig: hex.EncodeToString(e.Sig[:])}
	for _, tag := range e.Tags {
		p.Tags = append(p.Tags, tag)
	}
	return p
}

func fromPeer(t testing.TB, p *peer.Event) *Event {
	t.Helper()
	e := &Event{CreatedAt: int64(p.CreatedAt), Kind: uint16(p.Kind), Tags: [][]string{},
		Content: p.Content}
	for _, tag := range p.Tags {
		e.Tags = append(e.Tags, tag)
	}
	for text, dst := range map[string][]byte{p.ID: e.ID[:], p.PubKey: e.PubKey[:], p.Sig: e.Sig[:]} {
		if n, err := hex.Decode(dst, []byte(text)); n != len(dst) || err != nil {
			t.Fatal(n, err)
		}
	}
	return e
}

// peerVerify parses and verifies an event as programs do that use go-nostr.
func peerVerify(text []byte) (e peer.Event, valid bool) {
	if err := json.Unmarshal(text, &e); err != nil || !e.CheckID() {
		return e, false
	}
	valid, _ = e.CheckSignature()
	return e, valid
}

func verify(text []byte) (*Event, error) {
	e, err := ParseEvent(text)
	if err == nil {
		err = e.Verify()
	}
	return e, err
}

// TestAgainstPeer signs events with one library and verifies them with the other, and compares the
// ids, with all kinds of characters except control characters other than the seven (see
// TestPeerDiffers).
func TestAgainstPeer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	key := testPrivateKey(t, 7)
	secret := hex.EncodeToString(key.Bytes())
	text := func() string {
		return strings.Map(func(c rune) rune {
			if c < ' ' && !strings.ContainsRune("\n\r\t\b\f", c) {
				return -1
			}
			return c
		}, randomText(r))
	}
	for range 200 {
		e := &Event{CreatedAt: r.Int64(), Kind: uint16(r.Uint32()), Content: text(), Tags: [][]string{}}
		for range r.IntN(4) {
			e.Tags = append(e.Tags, []string{text(), text()})
		}
		if err := e.Sign(key); err != nil {
			t.Fatal(err)
		}
		ours, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, valid := peerVerify(ours)
		if !valid || !reflect.DeepEqual(&got, toPeer(e)) {
			t.Fatalf("go-nostr: %v: %s", valid, ours)
		}
		if back := fromPeer(t, &got); !reflect.DeepEqual(back, e) {
			t.Fatalf("%+v, want %+v", back, e)
		}

		p := *toPeer(e)
		p.CreatedAt--
		if err := p.Sign(secret); err != nil {
			t.Fatal(err)
		}
		theirs, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify(theirs); err != nil {
			t.Fatalf("%v: %s", err, theirs)
		}
	}
}

// TestPeerMutations changes bytes of valid events. If the verdicts of the libraries differ,
// TestPeerDiffers must describe the difference: go-nostr accepts the event, and this package has a
// ParseError. A Batch with all the texts must have the error for each that Verify returns for it.
func TestPeerMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all := texts(t, signedEvents(t, 20))
	rounds := 2000
	if os.Getenv("KOBLITZ_DEEP") != "" {
		rounds = 50_000
	}
	accepted, differ := 0, 0
	b := NewBatch(0, nil)
	var errs []error // without a Batch
	for range rounds {
		text := bytes.Clone(all[r.IntN(len(all))])
		at := r.IntN(len(text))
		switch r.IntN(5) {
		case 0:
			text[at] = byte(r.Uint32())
		case 1:
			text[at] = `{}[]",:\0aA `[r.IntN(12)]
		case 2:
			text = append(text[:at], text[at+1:]...)
		case 3:
			text = append(text[:at+1], text[at:]...)
		case 4:
			text = append(text[:at], append([]byte{' '}, text[at:]...)...)
		}
		_, err := verify(text)
		_, valid := peerVerify(text)
		b.Add(text)
		errs = append(errs, err)
		if err == nil {
			accepted++
		}
		if valid == (err == nil) {
			continue
		}
		if _, parsed := err.(*ParseError); !parsed {
			t.Errorf("%v, and go-nostr says %v: %q", err, valid, text)
		}
		differ++
	}
	t.Logf("%d of %d accepted, %d differ", accepted, rounds, differ)
	verdicts := make([]batch.Verdict, rounds)
	if valid, err := b.Verify(context.Background(), verdicts); valid != accepted || err != nil {
		t.Errorf("a batch has %d valid events, %v, want %d", valid, err, accepted)
	}
	for i, want := range errs {
		if got := b.Err(i); fmt.Sprint(got) != fmt.Sprint(want) ||
			(verdicts[i] == batch.Valid) != (want == nil) {
			t.Errorf("%d: %v, %v in a batch, want %v", i, got, verdicts[i], want)
		}
	}
	if accepted == 0 {
		t.Error("no changed event was accepted")
	}
}

// TestPeerDiffers documents the differences between this package and go-nostr v0.52.3. The events
// are signed over what go-nostr reads from the text.
func TestPeerDiffers(t *testing.T) {
	key := testPrivateKey(t, 9)
	pub, secret := key.XOnlyPublicKey().String(), hex.EncodeToString(key.Bytes())
	noID, noSig := strings.Repeat("0", 64), strings.Repeat("1", 128)
	event := func(rest string) string {
		return fmt.Sprintf(`{"pubkey":"%s","created_at":1,"kind":1,%s,"id":"%s","sig":"%s"}`, pub, rest,
			noID, noSig)
	}
	tests := []struct {
		name, text string
		peer       bool   // go-nostr accepts
		want       string // part of this package's error; "" if it accepts
	}{
		{"nothing unusual", event(`"tags":[],"content":"x"`), true, ""},

		// go-nostr refuses fields that NIP-01 does not define. Programs add such fields.
		{"another field", event(`"tags":[],"content":"x","more":[{}]`), false, ""},
		// go-nostr takes the last of several values. Another program may take the first.
		{"a field twice", event(`"tags":[],"content":"x","content":"y"`), true, "a second time"},
		// go-nostr takes a missing field or null for a zero value.
		{"no tags", event(`"content":"x"`), true, "no tags"},
		{"null", event(`"tags":[],"content":null`), true, "expected a string"},
		{"a tag of null", event(`"tags":[null],"content":"x"`), true, "array of strings"},
		// go-nostr accepts a kind above 65535, and hashes it like any other number.
		{"kind 65536", strings.Replace(event(`"tags":[],"content":"x"`), `"kind":1`, `"kind":65536`, 1),
			true, "65535"},
		// Half of a surrogate pair becomes U+FFFD in go-nostr, so that several texts have the same
		// id. Bytes that are not UTF-8 stay as they are, and become U+FFFD in other programs.
		{"half a pair", event(`"tags":[],"content":"\ud83d"`), true, "surrogate"},
		{"not UTF-8", event(`"tags":[],"content":"` + "\xff" + `"`), true, "not UTF-8"},
		{"uppercase signature", strings.Replace(event(`"tags":[],"content":"x"`), noSig, "UPPER", 1),
			true, "lowercase"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var p peer.Event
			if err := json.Unmarshal([]byte(test.text), &p); (err == nil) != test.peer {
				t.Fatal(err)
			}
			if content := map[string]string{"a field twice": "y", "half a pair": "\ufffd",
				"not UTF-8": "\xff"}[test.name]; content != "" && p.Content != content {
				t.Errorf("go-nostr reads the content %q", p.Content)
			}
			if !test.peer {
				e, err := ParseEvent([]byte(test.text))
				if err != nil {
					t.Fatal(err)
				}
				p = *toPeer(e)
			}
			if err := p.Sign(secret); err != nil {
				t.Fatal(err)
			}
			text := []byte(strings.NewReplacer(noID, p.ID, noSig, p.Sig, "UPPER",
				strings.ToUpper(p.Sig)).Replace(test.text))
			if _, valid := peerVerify(text); valid != test.peer {
				t.Errorf("go-nostr says %v", valid)
			}
			_, err := verify(text)
			if (err == nil) != (test.want == "") ||
				err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	// Both libraries refuse these events.
	for _, text := range []string{
		event(`"tags":[],"content":"x","Content":"y"`),
		strings.Replace(event(`"tags":[],"content":"x"`), `_at":1`, `_at":1.0`, 1),
		strings.Replace(event(`"tags":[],"content":"x"`), `"kind":1`, `"kind":1e0`, 1),
		strings.Replace(event(`"tags":[],"content":"x"`), `_at":1`, `_at":9223372036854775808`, 1),
	} {
		_, err := ParseEvent([]byte(text))
		if peerErr := json.Unmarshal([]byte(text), new(peer.Event)); err == nil || peerErr == nil {
			t.Errorf("%v, and go-nostr says %v: %s", err, peerErr, text)
		}
	}
	// go-nostr hashes control characters as \u00xx. NIP-01 lists seven characters to escape, and all
	// others are hashed as they are.
	e := Event{Content: "\x01"}
	if err := e.Sign(key); err != nil {
		t.Fatal(err)
	}
	if p := toPeer(&e); p.CheckID() {
		t.Error("go-nostr has the same id for a control character")
	}
}
