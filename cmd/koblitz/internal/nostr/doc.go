// Package nostr reads signed events (NIP-01), one a line, bare or in the envelope in which a client
// or a relay sends them, and recomputes their ids. Fields that NIP-01 does not define are ignored.
//
// Module nostr has the parser. This package reads the lines and values of files, and compares ids.
package nostr
