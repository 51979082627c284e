// Package nostr reads signed events (NIP-01), one a line, bare or in the
// envelope in which a client or a relay sends them, and recomputes their ids.
// It counts fields and envelopes that no NIP defines, and does not read them.
//
// The parser is its own because an id is a hash over the exact characters of
// the event: it writes the serialization that is hashed while it reads, and it
// refuses what has no single meaning (a field twice, half a surrogate pair,
// text that is not UTF-8) where a general parser picks one.
package nostr
