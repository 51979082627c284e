// Package nostr reads signed events (NIP-01), one a line, bare or in the envelope in which a client
// or a relay sends them, and recomputes their ids. It skips and counts fields and envelopes that no
// NIP defines.
//
// The package has its own parser because an id is a hash over the exact characters of the event.
// While it reads, the parser writes the serialization that is hashed. It refuses text with more
// than one meaning (a field twice, half a surrogate pair, text that is not UTF-8), where a general
// parser picks one meaning.
package nostr
