// Package nostr reads signed events (NIP-01), one a line, bare or in the envelope in which a client
// or a relay sends them, and recomputes their ids. Fields that NIP-01 does not define are ignored.
//
// Module nostr has the parser. This package finds the events in lines, lists and envelopes.
package nostr
