package nostr

import (
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/nostr"
)

// Detect reports whether a file that starts with head has an event or an envelope in head. An event
// is recognized by its fields id, pubkey and sig, whatever their values are: Detect recognizes
// invalid events, and the reader reports them. If the event goes on after head, or the file ends
// within it, two of its fields id, pubkey, created_at, kind and sig are enough, provided that
// pubkey is among them or that the part in head has no field that events lack.
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
