package ecdsa

import (
	"errors"

	"github.com/koblitz-go/koblitz/internal/hash"
)

var (
	errNotEncoded    = errors.New("ecdsa: an option is not encoded, since it may hold a secret")
	errUnknownOption = errors.New(
		"ecdsa: an option is of a type that WithEntropy and Checked do not return")
)

// A SignOption is one of [Sign], [AppendSign], [SignRecoverable] and
// [AppendSignRecoverable]: WithEntropy, Checked.
type SignOption interface{ signOption() }

type options struct {
	entropy hash.Pieces // nil: none was given
	checked bool
}

// gather returns the settings of all options together. A nil option sets nothing.
// There is an error if an option has another type, which a pointer to an option and
// a struct that embeds one have: to ignore a Checked there would be wrong.
//
// The types are told apart by a switch, since an option whose method is called through
// the interface escapes to the heap, and so does one that is stored through a pointer.
func gather(opts []SignOption) (o options, err error) {
	for _, opt := range opts {
		switch opt := opt.(type) {
		case nil:
		case EntropyOption:
			if opt.entropy != nil {
				o.entropy = opt.entropy
			}
		case CheckedOption:
			o.checked = o.checked || opt.checked
		default:
			return options{}, errUnknownOption
		}
	}
	return o, nil
}

// An EntropyOption is what [WithEntropy] returns. The zero value is no option.
//
// An EntropyOption prints as an address, and encoders get an error: the entropy may
// be secret.
type EntropyOption struct {
	entropy hash.Pieces // nil: none was given
}

// WithEntropy mixes extra into the derivation of the nonce, as the additional
// data of RFC 6979, section 3.6. Fresh random bytes, 32 of them as a rule, make
// signing harder to attack with faults and side channels; a constant separates
// one use of a key from another. Any length is good, and an empty one is the
// same as no option; of several such options the last one counts. extra is not
// copied: it is read when a signature is made, so overwrite it after that.
func WithEntropy(extra []byte) EntropyOption { return EntropyOption{hash.PiecesOf(extra)} }

// MarshalText returns an error: entropy is not for storing.
func (EntropyOption) MarshalText() ([]byte, error) { return nil, errNotEncoded }

func (EntropyOption) signOption() {}

// A CheckedOption is what [Checked] returns. The zero value is no option.
type CheckedOption struct{ checked bool }

// Checked verifies the signature before it is returned, against the key's public
// key: a fault in the computation becomes an error, and no faulty signature gets
// out, from which the key could be found. Of a recoverable signature it verifies the
// recovery id too, so that Recover finds the key's public key.
//
// Signing takes as long as Sign and Verify together then, and one inversion more if
// the signature is recoverable.
func Checked() CheckedOption { return CheckedOption{true} }

func (CheckedOption) signOption() {}
