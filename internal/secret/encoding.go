//ct:public returns the same error for every value

package secret

import "errors"

// NoEncoding is embedded in structs that may hold a secret. Its methods, which encoders call,
// return an error. Without these methods, encoding/json would write the exported fields, which may
// be secret, and omit the others.
type NoEncoding struct{}

var errNotEncoded = errors.New("koblitz: a value that may hold a secret cannot be encoded")

// MarshalText returns an error.
func (NoEncoding) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error.
func (NoEncoding) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error.
func (NoEncoding) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error.
func (NoEncoding) GobEncode() ([]byte, error) { return nil, errNotEncoded }
