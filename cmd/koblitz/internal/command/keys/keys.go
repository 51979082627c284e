// Package keys has the subcommands on keys and on single signatures: keygen, pub, ecdh, sign,
// verify and recover.
package keys

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdh"
)

// Add adds the subcommands.
func Add(koblitz *cobra.Command, io cli.Streams) {
	koblitz.AddCommand(newKeygen(io), newPub(io), newECDH(io), newSign(io), newVerify(io),
		newRecover(io))
}

func newKeygen(io cli.Streams) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "keygen -o FILE",
		Short: "Make a secret key",
		Long: `Make a secret key from the system's randomness and write it, as 64 hexadecimal
digits, to a new file that only you can read (mode 0600). A file that exists is
never overwritten. The public key is printed. With '-o -' the secret goes to
standard output instead, and nothing else does.`,
		Example: `  koblitz keygen -o alice.key
  koblitz keygen -o - | gpg --encrypt -r me > alice.key.gpg`,
		Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			key := koblitz.GenerateKey()
			defer key.Zeroize()
			secret := key.Bytes()
			defer clear(secret)
			if err := writeSecret(io, out, secret); err != nil || out == reading.Stdin {
				return err
			}
			fmt.Fprintf(io.Out, "%-11s %s\n", "secret key", out)
			fmt.Fprintf(io.Out, "%-11s %x\n", "public key", key.PublicKey().Bytes())
			fmt.Fprintf(io.Out, "%-11s %x\n", "x-only key", key.PublicKey().XOnlyPublicKey().Bytes())
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the secret to this new `FILE`, '-' for "+
		"standard output")
	cmd.MarkFlagRequired("out")
	return cmd
}

func newPub(io cli.Streams) *cobra.Command {
	var keyFile, form string
	cmd := &cobra.Command{
		Use:   "pub --key FILE",
		Short: "Print the public key of a secret key",
		Long: `Print the public key of a secret key: compressed (33 bytes, SEC 1), uncompressed
(65 bytes) or x-only (32 bytes, BIP-340), in hexadecimal digits.

` + keyFileHelp,
		Example: `  koblitz pub --key alice.key
  koblitz pub --key alice.key --form xonly
  gpg --decrypt alice.key.gpg | koblitz pub --key -`,
		Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			key, err := readKey(io, keyFile)
			if err != nil {
				return err
			}
			defer key.Zeroize()
			return printKey(io, key.PublicKey(), form)
		},
	}
	addKeyFlag(cmd, &keyFile)
	addKeyForm(cmd, &form)
	return cmd
}

func newECDH(io cli.Streams) *cobra.Command {
	var keyFile, peer, form, out string
	cmd := &cobra.Command{
		Use:   "ecdh --key FILE --peer KEY",
		Short: "Agree on a shared secret",
		Long: `Agree on a shared secret with the owner of another key. What comes out:

  --form sha256  the SHA-256 of the shared point in compressed form, as
                 libsecp256k1 has it (the default)
  --form x       the x coordinate of the shared point itself, not hashed, as
                 nostr (NIP-04, NIP-44) and dcrec mean it

32 bytes in hexadecimal digits, on standard output or in a new file that only you
can read (-o). The peer's key has 33 or 65 bytes (SEC 1) or 32 (x-only: the point
with an even y). ` + operandHelp + `

` + keyFileHelp,
		Example: `  koblitz ecdh --key alice.key --peer 02c6…
  koblitz ecdh --key alice.key --peer @bob.pub --form x -o shared.key`,
		Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkStdin(keyFile, peer); err != nil {
				return err
			}
			other, err := readPublicKey(io, "--peer", peer)
			if err != nil {
				return err
			}
			key, err := readKey(io, keyFile)
			if err != nil {
				return err
			}
			defer key.Zeroize()
			agree, what := ecdh.SharedSHA256, "the SHA-256 of the compressed shared point"
			if form == "x" {
				agree, what = ecdh.SharedX, "the x coordinate of the shared point, not hashed"
			}
			shared, err := agree(key, other)
			if err != nil {
				return cli.Invalidf("%s", reading.Reason(err))
			}
			defer clear(shared)
			if err := writeSecret(io, out, shared); err != nil {
				return err
			}
			io.Note("%s", what)
			return nil
		},
	}
	addKeyFlag(cmd, &keyFile)
	cmd.Flags().StringVarP(&peer, "peer", "p", "", "the other public `KEY`")
	cmd.MarkFlagRequired("peer")
	form = "sha256"
	cli.Choice(cmd, &form, "form", "", "sha256 or x", "sha256", "x")
	cmd.Flags().StringVarP(&out, "out", "o", reading.Stdin,
		"write to this new `FILE`, '-' for standard output")
	return cmd
}
