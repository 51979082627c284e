package schnorr

import "errors"

var errUnknownOption = errors.New("schnorr: an option is of a type that Unchecked does not return")

// A SignOption is one of [Sign] and [AppendSign]: Unchecked.
type SignOption interface{ signOption() }

type options struct{ unchecked bool }

// gather returns the settings of all options together. A nil option sets nothing.
// There is an error if an option has another type, which a pointer to an option and
// a struct that embeds one have.
//
// The types are told apart by a switch, since an option whose method is called through
// the interface escapes to the heap, and so does one that is stored through a pointer.
func gather(opts []SignOption) (o options, err error) {
	for _, opt := range opts {
		switch opt := opt.(type) {
		case nil:
		case UncheckedOption:
			o.unchecked = o.unchecked || opt.unchecked
		default:
			return options{}, errUnknownOption
		}
	}
	return o, nil
}

// An UncheckedOption is what [Unchecked] returns. The zero value is no option.
type UncheckedOption struct{ unchecked bool }

// Unchecked leaves out the verification at the end, which takes more than half of
// Sign's time. If the machine makes a mistake while it signs, the faulty signature
// gets out, and the private key may be found from it, all the more easily if aux is
// constant and the same message is signed twice. Use it where something else checks
// the signature before anyone sees it, or where such faults are not feared.
func Unchecked() UncheckedOption { return UncheckedOption{true} }

func (UncheckedOption) signOption() {}
