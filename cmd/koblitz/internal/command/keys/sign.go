package keys

import (
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

func newSign(io cli.Streams) *cobra.Command {
	var m message
	var keyFile, form string
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
		Args: oneMessage,
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, err := m.argument(cmd, args)
			if err != nil {
				return err
			}
			if m.scheme == schemeBIP340 && cmd.Flags().Changed("form") {
				return cli.Usagef("a BIP-340 signature has one form only; --form is for ECDSA")
			}
			if err := checkStdin(keyFile, arg); err != nil {
				return err
			}
			name, isName := strings.CutPrefix(arg, "@")
			if info, err := os.Stat(keyFile); err == nil && isName && cli.IsFile(name, info) {
				return cli.Usagef("the message is the file of the secret key")
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
			if m.scheme == schemeBIP340 {
				form = formCompact
			}
			sig, err := signDigest(key, d, form)
			if err != nil {
				return cli.Invalidf("%s", reading.Reason(err))
			}
			io.Note("%s, %s form", d, form)
			_, err = fmt.Fprintf(io.Out, "%x\n", sig)
			return err
		},
	}
	addKeyFlag(cmd, &keyFile)
	m.addFlags(cmd, true)
	form = formDER
	cli.Choice(cmd, &form, "form", "", "der, compact or recoverable", formDER, formCompact,
		formRecoverable)
	return cmd
}

// signDigest signs d and returns the signature in the given form.
func signDigest(key *koblitz.PrivateKey, d *digest, form string) ([]byte, error) {
	switch {
	case d.m.scheme == schemeBIP340:
		return schnorr.Sign(key, d.bytes, nil)
	case form == formRecoverable:
		return ecdsa.SignRecoverable(key, d.bytes, nil)
	}
	sig, err := ecdsa.Sign(key, d.bytes, nil)
	switch {
	case err != nil:
		return nil, err
	case form == formCompact:
		return sig.Bytes(), nil
	}
	return sig.DER(), nil
}
