package keys

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// These are the forms of a signature.
const (
	formAuto        = "auto"
	formDER         = "der"
	formCompact     = "compact"
	formRecoverable = "recoverable"
)

var signForms = []string{formDER, formCompact, formRecoverable}

func newSign(io cli.Streams) *cobra.Command {
	var m message
	var keyFile, form, aux string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sign --key FILE MESSAGE",
		Short: "Sign a message",
		Long: `Sign a message with ECDSA (RFC 6979, low s) or BIP-340, and print the signature in
hexadecimal digits. What was signed is said on standard error.

` + messageHelp + `

Forms of an ECDSA signature (--form):
  der          ASN.1 DER, as in Bitcoin's scripts and X.509
  compact      64 bytes r‖s
  recoverable  65 bytes r‖s‖v with v from 0 to 3, see 'koblitz recover'
A BIP-340 signature has one form, 64 bytes.

` + keyFileHelp,
		Example: `  koblitz sign --key alice.key --text "hello"
  koblitz sign --key alice.key @contract.pdf --form compact
  koblitz sign --key alice.key --scheme bip340 00112233
  tar c docs | koblitz sign --key alice.key -
  koblitz sign --key alice.key --hash keccak256 --form recoverable --text "hello"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, err := m.argument(cmd, args)
			if err != nil {
				return err
			}
			if err := cli.Known("form %q of a signature", form, signForms...); err != nil {
				return err
			}
			if m.scheme == schemeBIP340 && cmd.Flags().Changed("form") {
				return cli.Usagef("a BIP-340 signature has one form only; --form is for ECDSA")
			}
			if m.scheme == schemeECDSA && aux != "" {
				return cli.Usagef("--aux is for BIP-340 only")
			}
			if err := checkStdin(keyFile, arg); err != nil {
				return err
			}
			name, isName := strings.CutPrefix(arg, "@")
			if info, err := os.Stat(keyFile); err == nil && isName && cli.IsFile(name, info) {
				return cli.Usagef("the message is the file of the secret key")
			}
			var auxBytes []byte
			if aux != "" {
				if auxBytes, err = fromHex("aux", aux); err != nil {
					return err
				}
				if len(auxBytes) != 32 {
					return cli.Usagef("--aux has %d bytes instead of 32", len(auxBytes))
				}
			}
			key, err := readKey(io, keyFile)
			if err != nil {
				return err
			}
			defer key.Zeroize()
			d, err := m.read(io, arg)
			if err != nil {
				return err
			}
			sig, err := signDigest(key, d, &form, auxBytes)
			if err != nil {
				return cli.Invalidf("%s", reading.Reason(err))
			}
			if asJSON {
				return cli.WriteJSON(io.Out, struct {
					statement
					Form      string `json:"form"`
					Signature string `json:"signature"`
				}{d.statement(), form, hex.EncodeToString(sig)})
			}
			io.Note("%s, %s form", d, form)
			_, err = fmt.Fprintf(io.Out, "%x\n", sig)
			return err
		},
	}
	addKeyFlag(cmd, &keyFile)
	m.addFlags(cmd, true)
	f := cmd.Flags()
	f.StringVar(&form, "form", formDER, "der, compact or recoverable")
	f.StringVar(&aux, "aux", "", "BIP-340: these 32 bytes of auxiliary randomness (`HEX`) instead "+
		"of fresh ones")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	cli.Complete(cmd, "form", signForms)
	return cmd
}

// signDigest signs d and returns the signature. It sets *form to the form of the signature.
func signDigest(key *koblitz.PrivateKey, d *digest, form *string, aux []byte) ([]byte, error) {
	if d.m.scheme == schemeBIP340 {
		*form = formCompact
		return schnorr.Sign(key, d.bytes, &schnorr.SignOptions{Aux: aux})
	}
	if *form == formRecoverable {
		return ecdsa.SignRecoverable(key, d.bytes, nil)
	}
	sig, err := ecdsa.Sign(key, d.bytes, nil)
	if err != nil {
		return nil, err
	}
	if *form == formCompact {
		return sig.Bytes(), nil
	}
	return sig.DER(), nil
}
