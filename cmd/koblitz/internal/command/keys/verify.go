package keys

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

func newVerify(io cli.Streams) *cobra.Command {
	var m message
	var pub, sig, form string
	var lowS bool
	cmd := &cobra.Command{
		Use:   "verify --pub KEY --sig SIGNATURE MESSAGE",
		Short: "Verify a signature",
		Long: `Verify one signature, print the answer, and exit with 0 if it is valid and 1 if it
is not. For many at once see 'koblitz check'.

` + messageHelp + `

` + operandHelp + ` A key has 33
or 65 bytes (SEC 1) or 32 (x-only). The form of an ECDSA signature is known by its
length (64 bytes: compact; 65 with 0 to 3, or 27 to 30, at the end: recoverable;
otherwise DER) unless --form names it. The v of a recoverable signature is checked too.`,
		Example: `  koblitz verify --pub 02c6… --sig 3044… --text "hello"
  koblitz verify --pub @alice.pub --sig @contract.sig @contract.pdf
  koblitz verify --scheme bip340 --pub f930… --sig e907… 0000…`,
		Args: oneMessage,
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, err := m.argument(cmd, args)
			if err != nil {
				return err
			}
			switch {
			case m.scheme == schemeBIP340 && form != formAuto:
				return cli.Usagef("a BIP-340 signature has one form only; --form is for ECDSA")
			case m.scheme == schemeBIP340 && lowS:
				return cli.Usagef("--low-s is for ECDSA only")
			}
			if err := checkStdin(pub, sig, arg); err != nil {
				return err
			}
			key, err := readPublicKey(io, "--pub", pub)
			if err != nil {
				return err
			}
			sigBytes, err := readSmall(io, "--sig", sig)
			if err != nil {
				return err
			}
			d, err := m.read(io, arg)
			if err != nil {
				return err
			}
			verdict, reason := verifyDigest(key, d, sigBytes, &form, lowS)
			if reason != "" {
				reason = ": " + reason
			}
			_, err = fmt.Fprintf(io.Out, "%s: %s, %s form%s\n", verdict, d, form, reason)
			if err == nil && verdict != "valid" {
				err = cli.Exit(cli.ExitInvalid)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&pub, "pub", "p", "", "the public `KEY`")
	f.StringVar(&sig, "sig", "", "the `SIGNATURE`")
	m.addFlags(cmd, true)
	cmd.MarkFlagRequired("pub")
	cmd.MarkFlagRequired("sig")
	form = formAuto
	cli.Choice(cmd, &form, "form", "", "auto, der, compact or recoverable", formAuto, formDER,
		formCompact, formRecoverable)
	f.BoolVar(&lowS, "low-s", false, "ECDSA: refuse an s in the upper half, as new Bitcoin and "+
		"Ethereum transactions must")
	return cmd
}

// detectForm guesses the form of a signature from its length. For 65 bytes it also uses the last
// byte.
func detectForm(sig []byte) string {
	switch {
	case len(sig) == 64:
		return formCompact
	case len(sig) == 65 && recoveryID(sig[64]) <= 3:
		return formRecoverable
	}
	return formDER
}

// recoveryID returns the recovery id, 0 to 3. The argument v may be the id itself, as this program
// writes it, or the id plus 27, as Bitcoin and Ethereum write it. Other values are out of range and
// returned unchanged.
func recoveryID(v byte) byte {
	if v >= 27 && v <= 30 {
		return v - 27
	}
	return v
}

// verifyDigest returns a verdict. If it is not "valid", reason says why. If *form is formAuto,
// verifyDigest sets *form to the detected form.
func verifyDigest(key *koblitz.PublicKey, d *digest, sig []byte, form *string, lowS bool) (verdict,
	reason string) {
	const valid, invalid, malformed = "valid", "invalid", "malformed"
	if d.m.scheme == schemeBIP340 {
		*form = formCompact
		switch {
		case len(sig) != 64:
			hint := ""
			if len(sig) == 65 {
				hint = reading.SighashHint(sig)
			}
			return malformed, fmt.Sprintf("the signature has %d bytes instead of 64%s", len(sig), hint)
		case !schnorr.Verify(key.XOnlyPublicKey(), d.bytes, sig):
			return invalid, "it does not fit the message and the key"
		}
		return valid, ""
	}
	if *form == formAuto {
		*form = detectForm(sig)
	}
	parsed, err := parseForm(*form, sig)
	switch {
	case err != nil:
		return malformed, reading.Reason(err)
	case lowS && !parsed.IsLowS():
		return invalid, "s is in the upper half"
	case !ecdsa.Verify(key, d.bytes, parsed):
		return invalid, "it does not fit the message and the key"
	}
	if *form == formRecoverable {
		recovered, err := recoverKey(d, sig)
		if err != nil || !recovered.Equal(key) {
			return invalid, "r and s fit, but v names another key"
		}
	}
	return valid, ""
}

func parseForm(form string, sig []byte) (*ecdsa.Signature, error) {
	switch form {
	case formCompact:
		return ecdsa.ParseSignature(sig)
	case formRecoverable:
		if len(sig) != 65 {
			return nil, fmt.Errorf("the signature has %d bytes instead of 65", len(sig))
		}
		return ecdsa.ParseSignature(sig[:64])
	}
	return verify.ParseDER(sig)
}

func recoverKey(d *digest, sig []byte) (*koblitz.PublicKey, error) {
	if len(sig) != 65 {
		return nil, fmt.Errorf("the signature has %d bytes instead of 65", len(sig))
	}
	if v := recoveryID(sig[64]); v > 3 {
		return nil, fmt.Errorf("the last byte of the signature is %d instead of 0 to 3 (or 27 to 30)",
			sig[64])
	}
	plain := append(slices.Clone(sig[:64]), recoveryID(sig[64]))
	return ecdsa.Recover(d.bytes, plain)
}

func newRecover(io cli.Streams) *cobra.Command {
	var m message
	var sig, form string
	cmd := &cobra.Command{
		Use:   "recover --sig SIGNATURE MESSAGE",
		Short: "Find the public key that made a recoverable signature",
		Long: `Find the public key that made a recoverable ECDSA signature, 65 bytes r‖s‖v with v
from 0 to 3 (or 27 to 30). Every such signature of a message has some key: that it
is the one you expect is for you to compare.

What was signed: the hash of MESSAGE, by default its SHA-256. --hash changes that:
keccak256 (as Ethereum means it), or none if MESSAGE itself is the hash.

MESSAGE is hexadecimal digits, @FILE for the bytes of a file, '-' for those of
standard input, or --text 'some text'. ` + operandHelp,
		Example: `  koblitz recover --sig 1b2c… --text "hello"
  koblitz recover --hash keccak256 --sig @tx.sig @tx.rlp`,
		Args: oneMessage,
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, err := m.argument(cmd, args)
			if err != nil {
				return err
			}
			if err := checkStdin(sig, arg); err != nil {
				return err
			}
			sigBytes, err := readSmall(io, "--sig", sig)
			if err != nil {
				return err
			}
			d, err := m.read(io, arg)
			if err != nil {
				return err
			}
			key, err := recoverKey(d, sigBytes)
			if err != nil {
				return cli.Invalidf("%s", reading.Reason(err))
			}
			io.Note("the key of %s", d)
			return printKey(io, key, form)
		},
	}
	cmd.Flags().StringVar(&sig, "sig", "", "the recoverable `SIGNATURE`")
	cmd.MarkFlagRequired("sig")
	m.addFlags(cmd, false)
	addKeyForm(cmd, &form)
	return cmd
}
