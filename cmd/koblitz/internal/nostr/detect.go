package nostr

import (
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/nostr"
)

// Detect reports whether head, the start of a file, has an event or an envelope. An object with the
// fields id, pubkey and sig is an event, whatever their values are: Detect recognizes invalid
// events, and the reader reports them. An object that is cut off is an event if it has two of the
// fields id, pubkey, created_at, kind and sig. If pubkey is not one of the two, all its other
// fields must be fields of events as well.
func Detect(head []byte) bool {
	for o := range reading.Outline(head) {
		if o.Has("id", "pubkey", "sig") || o.Cut && isPart(o) || isEnvelope(o.Text("")) {
			return true
		}
	}
	return false
}

// isPart reports whether o is the first part of an event.
func isPart(o *reading.Object) bool {
	telling, others := 0, false
	for _, f := range o.Fields {
		switch f.Name {
		case "id", "pubkey", "created_at", "kind", "sig":
			telling++
		case "tags", "content":
		default:
			others = true
		}
	}
	return telling >= 2 && (!others || o.Has("pubkey"))
}

// envelopes are the kinds of envelopes (NIP-01, NIP-42, NIP-45, NIP-77).
var envelopes = []string{"EVENT", "AUTH", "REQ", "CLOSE", "CLOSED", "COUNT", "EOSE", "NOTICE", "OK",
	"NEG-OPEN", "NEG-MSG", "NEG-CLOSE", "NEG-ERR"}

// isEnvelope reports whether text begins with an envelope.
func isEnvelope(text []byte) bool {
	var p nostr.Parser
	p.Reset(text)
	p.Next() // an envelope with an error, or a part of one, also has its kind
	kind, _ := p.Envelope()
	return slices.Contains(envelopes, kind)
}
