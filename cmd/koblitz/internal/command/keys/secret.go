package keys

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const keyFileHelp = "A secret key comes from a file ('--key FILE') or from standard input " +
	`('--key -'),
never from an argument: 64 hexadecimal digits, or the 32 bytes themselves.`

// addKeyFlag adds --key, the only flag that selects a secret key.
func addKeyFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVarP(name, "key", "k", "", "`FILE` of the secret key, '-' for standard input")
}

// readKey reads a secret key. The caller must call its Zeroize method.
func readKey(io cli.Streams, name string) (*koblitz.PrivateKey, error) {
	if name == "" {
		return nil, cli.Usagef("whose key? Name its file with --key FILE, or '--key -' for standard " +
			"input")
	}
	var buf [256]byte
	defer clear(buf[:])
	n, err := cli.ReadSecretFile(io, name, buf[:])
	if err != nil {
		return nil, err
	}
	key, err := parseSecret(buf[:n])
	if err != nil {
		return nil, cli.Invalidf("%s: %s", cli.FileName(name), rows.Reason(err))
	}
	return key, nil
}

// parseSecret parses a secret key: 32 bytes that are not all text, or the text that
// cli.ParseSecretKey parses.
func parseSecret(b []byte) (*koblitz.PrivateKey, error) {
	if len(b) == 32 && !isText(b) {
		return koblitz.ParsePrivateKey(b)
	}
	return cli.ParseSecretKey(b)
}

// isText reports whether b consists of printable characters of ASCII and white space, as no hash or
// key of 20 bytes or more does that was made at random.
func isText(b []byte) bool {
	return !bytes.ContainsFunc(b, func(r rune) bool {
		return r > '~' || r < ' ' && r != '\t' && r != '\n' && r != '\r'
	})
}

// writeSecret writes secret in hexadecimal to a new file that only its owner can read. If name is
// "-", it writes to standard output.
func writeSecret(s cli.Streams, name string, secret []byte) error {
	text := make([]byte, hex.EncodedLen(len(secret))+1)
	defer clear(text)
	hex.Encode(text, secret)
	text[len(text)-1] = '\n'
	if name == input.Stdin {
		_, err := s.Out.Write(text)
		return err
	}
	f, err := s.Disk.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return cli.Usagef("%s exists already, and a secret is never overwritten", printable.Text(name))
	}
	if err != nil {
		return cli.Unreadable(err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close(), s.Disk.SyncDir(filepath.Dir(name)))
	if err != nil {
		s.Disk.Remove(name) // removes the incomplete file, which was created above
		return cli.Unreadable(err)
	}
	return nil
}
