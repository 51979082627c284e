//ct:public takes public keys

package silentpay

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
)

// A Network is the network of an address. The zero value is no network.
type Network int

const (
	Mainnet Network = 1 + iota // sp1…
	Testnet                    // testnets and signets: tsp1…
	Regtest                    // sprt1…, which wallets use; the BIP has no prefix for regtest
)

// prefix returns the human-readable part of the network's addresses, or "" for no network.
func (n Network) prefix() string {
	switch n {
	case Mainnet:
		return "sp"
	case Testnet:
		return "tsp"
	case Regtest:
		return "sprt"
	}
	return ""
}

// String returns the name of the network in lower case.
func (n Network) String() string {
	switch n {
	case Mainnet:
		return "mainnet"
	case Testnet:
		return "testnet"
	case Regtest:
		return "regtest"
	}
	return fmt.Sprintf("Network(%d)", int(n))
}

// An Address is a silent payment address: the public keys B_scan and B_m, a network and a version.
// The zero value holds no address. An Address never changes, except by UnmarshalText.
type Address struct {
	scan, spend *koblitz.PublicKey
	network     Network
	version     int
	text        string
}

// errZeroAddress is the error of functions that need an address and get nil or a zero value.
var errZeroAddress = errors.New("silentpay: the address is nil or a zero value")

// maxAddress is the largest number of characters of an address ("Address encoding").
const maxAddress = 1023

// addressData is the number of bytes of a version 0 address: two compressed keys.
const addressData = 66

// NewAddress returns the address of version 0 with the keys B_scan and B_m. Receivers get their
// addresses from [Receiver.Address]. There is an error if the network is none of the constants, or
// if a key is nil or a zero value.
func NewAddress(network Network, scan, spend *koblitz.PublicKey) (*Address, error) {
	if network.prefix() == "" {
		return nil, fmt.Errorf("silentpay: address: %v is not a network", network)
	}
	scan, spend = copyPublic(scan), copyPublic(spend) // the text must be of the same keys
	if scan.IsZero() || spend.IsZero() {
		return nil, koblitz.ErrZeroKey
	}
	data := spend.AppendBytes(scan.Bytes())
	text := encodeBech32m(network.prefix(), 0, data)
	return &Address{scan, spend, network, 0, text}, nil
}

// ParseAddress returns the address that text encodes in bech32m (BIP-350), in lower or upper case.
// Text has at most 1023 characters. Versions 1 to 30 are parsed by their first 66 bytes, as the BIP
// specifies for senders of version 0.
//
// The error says what is wrong and where: the characters, the case, the human-readable part, the
// checksum, the version, which may not be 31, the padding, the length, or a key.
func ParseAddress(text string) (*Address, error) {
	a := new(Address)
	if err := a.parse(text); err != nil {
		return nil, fmt.Errorf("silentpay: address: %w", err)
	}
	return a, nil
}

func (a *Address) parse(text string) error {
	if len(text) > maxAddress {
		return fmt.Errorf("%d characters, want at most %d", len(text), maxAddress)
	}
	prefix, values, err := decodeBech32m(text)
	if err != nil {
		return err
	}
	network := Mainnet
	for network.prefix() != prefix {
		if network++; network > Regtest {
			return errors.New("the human-readable part is not sp, tsp or sprt")
		}
	}
	if len(values) == 0 {
		return errors.New("no version")
	}
	version := int(values[0])
	if version == 31 {
		return fmt.Errorf("version 31 (character %d) is not compatible with version 0", len(prefix)+1)
	}
	data, err := bytesOf(values[1:])
	if err != nil {
		return err
	}
	if len(data) < addressData || version == 0 && len(data) > addressData {
		return fmt.Errorf("version %d with %d bytes, want %d", version, len(data), addressData)
	}
	scan, err := koblitz.ParsePublicKey(data[:33])
	if err != nil {
		return fmt.Errorf("scan key (bytes 0 to 32): %w", err)
	}
	spend, err := koblitz.ParsePublicKey(data[33:addressData])
	if err != nil {
		return fmt.Errorf("spend key (bytes 33 to 65): %w", err)
	}
	*a = Address{scan, spend, network, version, lower(text)}
	return nil
}

// ScanKey returns B_scan, or nil if a holds no address.
func (a *Address) ScanKey() *koblitz.PublicKey {
	if a.IsZero() {
		return nil
	}
	return copyPublic(a.scan)
}

// SpendKey returns the spend key in the address, B_m, or nil if a holds no address.
func (a *Address) SpendKey() *koblitz.PublicKey {
	if a.IsZero() {
		return nil
	}
	return copyPublic(a.spend)
}

// Network returns the network of the address, or 0 if a holds no address.
func (a *Address) Network() Network {
	if a == nil {
		return 0
	}
	return a.network
}

// Version returns the version of the address, from 0 to 30.
func (a *Address) Version() int {
	if a == nil {
		return 0
	}
	return a.version
}

// IsZero reports whether a holds no address: it is nil or a zero value.
func (a *Address) IsZero() bool { return a == nil || a.scan == nil }

// Equal reports whether a and b have the same encoding. It returns false if a or b holds no
// address.
func (a *Address) Equal(b *Address) bool { return !a.IsZero() && !b.IsZero() && a.text == b.text }

// String returns the encoding of a, in lower case.
func (a Address) String() string {
	if a.IsZero() {
		return "silentpay.Address(zero)"
	}
	return a.text
}

// MarshalText returns the encoding of a, or an error if a holds no address.
func (a Address) MarshalText() ([]byte, error) {
	if a.IsZero() {
		return nil, errZeroAddress
	}
	return []byte(a.text), nil
}

// UnmarshalText sets a to the address that text encodes, as for ParseAddress. If there is an error,
// a keeps its value.
func (a *Address) UnmarshalText(text []byte) error {
	b, err := ParseAddress(string(text))
	if err != nil {
		return err
	}
	*a = *b
	return nil
}

// copyPublic returns a copy of a key, so that assigning to one does not change the other, or nil.
func copyPublic(k *koblitz.PublicKey) *koblitz.PublicKey {
	if k == nil {
		return nil
	}
	copied := *k
	return &copied
}

// copyAddresses returns copies of addresses, which others cannot change: an output for the scan key
// of one address and the spend key of another is lost. A nil address becomes a zero value.
func copyAddresses(list []*Address) []*Address {
	own := make([]*Address, len(list))
	for i, a := range list {
		own[i] = new(Address)
		if a != nil {
			*own[i] = *a
		}
	}
	return own
}

// groupRecipients returns the indices of the recipients with the same scan key, for every scan key
// in the order of its first recipient.
func groupRecipients(recipients []*Address) (groups [][]int, err error) {
	if len(recipients) == 0 {
		return nil, errors.New("silentpay: no recipients")
	}
	byScan := make(map[[33]byte]int)
	for i, a := range recipients {
		if a.IsZero() {
			return nil, fmt.Errorf("silentpay: recipient %d: %w", i, errZeroAddress)
		}
		if a.network != recipients[0].network {
			return nil, fmt.Errorf("silentpay: recipient %d: an address of %v, and recipient 0 of %v",
				i, a.network, recipients[0].network)
		}
		scan := [33]byte(a.scan.Bytes())
		g, found := byScan[scan]
		if !found {
			g = len(groups)
			byScan[scan] = g
			groups = append(groups, nil)
		}
		if len(groups[g]) == KMax {
			return nil, fmt.Errorf("silentpay: recipient %d: more than %d recipients have its scan key",
				i, KMax)
		}
		groups[g] = append(groups[g], i)
	}
	return groups, nil
}
