package nostr

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/schnorr"
)

// An Event is an event of NIP-01. The zero value is not valid.
type Event struct {
	ID        [32]byte // SHA-256 of the other fields except Sig
	PubKey    [32]byte // author's x-only key
	CreatedAt int64    // seconds since 1970
	Kind      uint16
	Tags      [][]string
	Content   string
	Sig       [64]byte // BIP-340 signature of ID
}

var (
	// ErrID is the error for an event with an id that is not the hash of the event.
	ErrID = errors.New("nostr: the id is not the hash of the event")

	// ErrSignature is the error for an event with a signature that is not a signature of the id by
	// the public key. If the public key is not valid, no signature is.
	ErrSignature = errors.New("nostr: the signature is not one of the id by the public key")
)

// ParseEvent parses the JSON of one event. It checks neither the id nor the signature. The error is
// a *ParseError.
func ParseEvent(text []byte) (*Event, error) {
	c := copies.Get().(*copyParser)
	defer copies.Put(c)
	if err := c.read(text); err != nil {
		return nil, err
	}
	return c.Event(), nil
}

// A copyParser parses copies of texts. A Parser reads its text more than once, and the text of a
// caller may change meanwhile.
type copyParser struct {
	Parser
	copy []byte
}

var copies = sync.Pool{New: func() any { return new(copyParser) }}

// read reads a text that is one event.
func (c *copyParser) read(text []byte) error {
	c.copy = append(c.copy[:0], text...)
	c.Reset(c.copy)
	if err := c.event(); err != nil {
		return err
	}
	return c.s.end()
}

// UnmarshalJSON sets e to the event that ParseEvent returns.
func (e *Event) UnmarshalJSON(text []byte) error {
	parsed, err := ParseEvent(text)
	if err == nil {
		*e = *parsed
	}
	return err
}

// MarshalJSON returns the JSON of e, as AppendJSON does.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the JSON of e to dst, with the fields in the order of NIP-01 and without white
// space. If the content or a tag is not UTF-8, it returns dst and an error.
func (e *Event) AppendJSON(dst []byte) ([]byte, error) {
	if err := e.checkText(); err != nil {
		return dst, err
	}
	b := hex.AppendEncode(append(dst, `{"id":"`...), e.ID[:])
	b = hex.AppendEncode(append(b, `","pubkey":"`...), e.PubKey[:])
	b = strconv.AppendInt(append(b, `","created_at":`...), e.CreatedAt, 10)
	b = strconv.AppendUint(append(b, `,"kind":`...), uint64(e.Kind), 10)
	b = appendTags(append(b, `,"tags":`...), e.Tags, true)
	b = appendString(append(b, `,"content":`...), e.Content, true)
	b = hex.AppendEncode(append(b, `,"sig":"`...), e.Sig[:])
	return append(b, `"}`...), nil
}

// ComputeID returns the id that e must have: the SHA-256 of the text
// [0,pubkey,created_at,kind,tags,content] without white space, in the form of NIP-01.
func (e *Event) ComputeID() [32]byte {
	return sha256.Sum256(e.appendSerialized(make([]byte, 0, 512)))
}

func (e *Event) appendSerialized(b []byte) []byte {
	b = append(hex.AppendEncode(append(b, `[0,"`...), e.PubKey[:]), `",`...)
	b = append(strconv.AppendInt(b, e.CreatedAt, 10), ',')
	b = append(strconv.AppendUint(b, uint64(e.Kind), 10), ',')
	b = append(appendTags(b, e.Tags, false), ',')
	return append(appendString(b, e.Content, false), ']')
}

// checkText returns an error if a text of e is not UTF-8.
func (e *Event) checkText() error {
	for i, tag := range e.Tags {
		for _, s := range tag {
			if !utf8.ValidString(s) {
				return fmt.Errorf("nostr: tags: tag %d is not UTF-8", i)
			}
		}
	}
	if !utf8.ValidString(e.Content) {
		return errors.New("nostr: content: not UTF-8")
	}
	return nil
}

func appendTags(b []byte, tags [][]string, escapeControls bool) []byte {
	b = append(b, '[')
	for i, tag := range tags {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for k, s := range tag {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendString(b, s, escapeControls)
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

// appendString appends s with quotes and with the seven escape sequences of NIP-01. JSON allows no
// other control character in a string, but NIP-01 hashes them unescaped.
func appendString(b []byte, s string, escapeControls bool) []byte {
	b = append(b, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		if n := len(b); escapeControls {
			if b = appendRune(b, rune(c)); len(b) == n+1 {
				b = fmt.Appendf(b[:n], `\u%04x`, c)
			}
		} else {
			b = appendRune(b, rune(c))
		}
	}
	return append(append(b, s[start:]...), '"')
}

// Sign sets e's public key to that of the private key, computes the id and signs it (BIP-340, with
// fresh randomness). Time does not depend on the key. Sign returns an error, and leaves e unsigned,
// if the key is a zero value, or if the content or a tag is not UTF-8.
func (e *Event) Sign(key *koblitz.PrivateKey) error {
	e.ID, e.PubKey, e.Sig = [32]byte{}, [32]byte{}, [64]byte{}
	if err := e.checkText(); err != nil {
		return err
	}
	if key.IsZero() {
		return koblitz.ErrZeroKey
	}
	signed := *e
	key.XOnlyPublicKey().AppendBytes(signed.PubKey[:0])
	signed.ID = signed.ComputeID()
	if _, err := schnorr.AppendSign(signed.Sig[:0], key, signed.ID[:], nil); err != nil {
		return err
	}
	*e = signed
	return nil
}

// Verify returns nil if the id is the hash of e and the signature is one of the id by the public
// key. Otherwise it returns ErrID, ErrSignature, or an error for text that is not UTF-8.
func (e *Event) Verify() error {
	read := *e // the key and the id that are hashed must be those that verify
	if err := read.checkID(); err != nil {
		return err
	}
	key, err := koblitz.ParseXOnlyPublicKey(read.PubKey[:])
	if err != nil || !schnorr.Verify(key, read.ID[:], read.Sig[:]) {
		return ErrSignature
	}
	return nil
}

// VerifyIn is like Verify, but the queue verifies the signature. Calls of many goroutines share a
// batch, which takes less time than as many calls of Verify. A relay calls it for each event that
// comes. VerifyIn also returns an error of the context or of the queue, such as [batch.ErrBusy]. If
// the key or the signature is malformed, the error wraps ErrSignature and gives the reason.
func (e *Event) VerifyIn(ctx context.Context, q *batch.Queue) error {
	read := *e
	if err := read.checkID(); err != nil {
		return err
	}
	v, why, err := q.ExplainSchnorr(ctx, read.PubKey[:], read.ID[:], read.Sig[:])
	if err == nil && v != batch.Valid {
		err = signatureError(why)
	}
	return err
}

// signatureError returns ErrSignature, wrapped with the reason if the key or the signature is
// malformed.
func signatureError(why batch.Reason) error {
	if why == batch.WrongSignature {
		return ErrSignature
	}
	return fmt.Errorf("%w: %v", ErrSignature, why)
}

func (e *Event) checkID() error {
	if err := e.checkText(); err != nil {
		return err
	}
	if e.ComputeID() != e.ID {
		return ErrID
	}
	return nil
}
