package ethereum

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/koblitz-go/koblitz"
)

// Address returns the address of a key: the last 20 bytes of the Keccak-256 of its coordinates
// (Yellow Paper, appendix F). The methods of [common.Address] print it with a checksum (ERC-55).
// The error is [koblitz.ErrZeroKey] if the key is nil or a zero value.
func Address(key *koblitz.PublicKey) (common.Address, error) {
	var buf [65]byte
	b := key.AppendUncompressedBytes(buf[:0])
	if len(b) == 0 {
		return common.Address{}, koblitz.ErrZeroKey
	}
	return common.Address(crypto.Keccak256(b[1:])[12:]), nil
}

// PersonalHash returns the hash that personal_sign signs for a message: EIP-191, version 0x45,
// "\x19Ethereum Signed Message:\n", the length of the message in decimal, and the message. The
// length is that in bytes. A message that is a hash of 32 bytes is treated like every other.
func PersonalHash(message []byte) common.Hash {
	return crypto.Keccak256Hash(
		fmt.Appendf(nil, "\x19Ethereum Signed Message:\n%d", len(message)), message)
}

// ValidatorHash returns the hash of data for an intended validator, such as a wallet contract:
// EIP-191, version 0x00, the address of the validator, and the data.
func ValidatorHash(validator common.Address, data []byte) common.Hash {
	return crypto.Keccak256Hash([]byte{0x19, 0x00}, validator[:], data)
}

// DomainHash returns the hash that is signed for a struct with the hash message in the domain with
// the hash domainSeparator (EIP-712; EIP-191, version 0x01). [TypedDataHash] computes all three.
func DomainHash(domainSeparator, message common.Hash) common.Hash {
	return crypto.Keccak256Hash([]byte{0x19, 0x01}, domainSeparator[:], message[:])
}
