// Package nostr signs and verifies events of nostr, and encrypts messages.
package nostr
