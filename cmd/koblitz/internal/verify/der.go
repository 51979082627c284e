package verify

import (
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// ParseDER wraps ecdsa.ParseDER. Its error mentions the hash type byte that follows a signature in
// a Bitcoin script.
func ParseDER(sig []byte) (*ecdsa.Signature, error) {
	parsed, err := ecdsa.ParseDER(sig)
	if err == nil {
		return parsed, nil
	}
	if hint := reading.SighashHint(sig); hint != "" {
		if _, inner := ecdsa.ParseDER(sig[:len(sig)-1]); inner == nil {
			return nil, fmt.Errorf("the DER signature ends before its last byte%s", hint)
		}
	}
	return nil, err
}
