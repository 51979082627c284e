// Package nostr signs and verifies events of nostr (NIP-01). [Batch] verifies many events in one
// call, from their JSON. [Event.VerifyIn] verifies events one by one as they come to a relay, and
// shares batches between goroutines. [Parser] reads the messages of clients and relays. Packages
// nip19 and nip44 below this one write keys as text and encrypt messages.
//
// # JSON
//
// An event's id is the SHA-256 of a serialization that NIP-01 defines to the character. So the
// package has its own parser. While it reads, it writes the serialization. It refuses text with
// more than one meaning, where a general parser picks one meaning:
//
//   - a field of NIP-01 twice, or under a name that differs in upper and lower case only
//   - half of a surrogate pair, and text that is not UTF-8
//   - a created_at or kind with a fraction or an exponent, or out of range (kind: 0 to 65535)
//   - uppercase hexadecimal digits
//
// It skips fields that NIP-01 does not define.
//
// go-nostr v0.52.3 differs. It refuses fields that NIP-01 does not define. It takes the last of two
// values of a field, U+FFFD for half of a surrogate pair, bytes that are not UTF-8, a zero value
// for a missing field or null, any kind that is an int, and signatures in uppercase. It hashes
// control characters other than \n, \r, \t, \b and \f as \u00xx, where NIP-01 hashes the characters
// themselves.
package nostr
