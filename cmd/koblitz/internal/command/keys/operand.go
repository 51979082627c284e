package keys

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const operandHelp = `Each public input is hexadecimal digits, @FILE, or '-' for standard input.`

// checkStdin returns an error if more than one of the names means standard input.
func checkStdin(names ...string) error {
	names = slices.DeleteFunc(names, func(name string) bool {
		return strings.TrimPrefix(name, "@") != reading.Stdin
	})
	if len(names) > 1 {
		return cli.Usagef("standard input can be read once only, and here it is wanted %d times",
			len(names))
	}
	return nil
}

// open opens the file that arg, "@" and its name, or standard input, names.
func open(s cli.Streams, arg string) (r io.ReadCloser, name string, err error) {
	name = strings.TrimPrefix(arg, "@")
	r, err = cli.Open(s, name)
	return r, cli.FileName(name), err
}

func isStream(arg string) bool { return arg == reading.Stdin || strings.HasPrefix(arg, "@") }

// fromHex decodes arg, an argument in hexadecimal. label names the argument in errors.
func fromHex(label, arg string) ([]byte, error) {
	digits := strings.TrimPrefix(strings.TrimPrefix(arg, "0x"), "0X")
	b, err := hex.DecodeString(digits)
	if err == nil {
		return b, nil
	}
	if errors.Is(err, hex.ErrLength) {
		return nil, cli.Usagef("%s: an odd number of hexadecimal digits (@FILE reads a file)", label)
	}
	return nil, cli.Usagef("%s: not hexadecimal digits (@FILE reads a file, and --text is a message)",
		label)
}

// maxSmall is larger than the size in bytes of any key or signature in hexadecimal with white
// space.
const maxSmall = 4096

// readSmall reads a key or a signature. A file may hold it as bytes or in hexadecimal digits.
func readSmall(s cli.Streams, label, arg string) ([]byte, error) {
	if !isStream(arg) {
		return fromHex(label, arg)
	}
	r, name, err := open(s, arg)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxSmall+1))
	if err != nil {
		return nil, cli.Unreadable(fmt.Errorf("%s: %w", name, reading.Bare(err)))
	}
	if len(b) > maxSmall {
		return nil, cli.Invalidf("%s: too long for %s", name, label)
	}
	if text := bytes.TrimSpace(b); len(text) > 0 {
		digits := bytes.TrimPrefix(text, []byte("0x"))
		if decoded, err := hex.DecodeString(string(digits)); err == nil {
			return decoded, nil
		}
	}
	return b, nil
}

// readPublicKey reads a public key. It accepts the encodings of SEC 1 (33 or 65 bytes) and an
// x-only key (32 bytes), which means the point with that x and an even y.
func readPublicKey(s cli.Streams, label, arg string) (*koblitz.PublicKey, error) {
	b, err := readSmall(s, label, arg)
	if err != nil {
		return nil, err
	}
	if len(b) == 32 {
		b = append([]byte{2}, b...)
	}
	k, err := koblitz.ParsePublicKey(b)
	if err != nil {
		return nil, cli.Invalidf("%s: %s", label, reading.Reason(err))
	}
	return k, nil
}

func addKeyForm(cmd *cobra.Command, form *string) {
	*form = "compressed"
	cli.Choice(cmd, form, "form", "", "compressed, uncompressed or xonly", "compressed",
		"uncompressed", "xonly")
}

// printKey prints k in a form that addKeyForm knows.
func printKey(io cli.Streams, k *koblitz.PublicKey, form string) error {
	b := k.Bytes()
	switch form {
	case "uncompressed":
		b = k.UncompressedBytes()
	case "xonly":
		b = k.XOnlyPublicKey().Bytes()
	}
	_, err := fmt.Fprintf(io.Out, "%x\n", b)
	return err
}

const keyFileHelp = "A secret key comes from a file ('--key FILE') or from standard input " +
	`('--key -'),
never from an argument: 64 hexadecimal digits, or the 32 bytes themselves.`

// addKeyFlag adds --key, the only flag that selects a secret key.
func addKeyFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVarP(name, "key", "k", "", "`FILE` of the secret key, '-' for standard input")
	cmd.MarkFlagRequired("key")
}

// readKey reads a secret key. The caller must call its Zeroize method.
func readKey(io cli.Streams, name string) (*koblitz.PrivateKey, error) {
	var buf [256]byte
	defer clear(buf[:])
	n, err := cli.ReadSecretFile(io, name, buf[:])
	if err != nil {
		return nil, err
	}
	parse := cli.ParseSecretKey
	if n == 32 && !isText(buf[:n]) {
		parse = koblitz.ParsePrivateKey
	}
	key, err := parse(buf[:n])
	if err != nil {
		return nil, cli.Invalidf("%s: %s", cli.FileName(name), reading.Reason(err))
	}
	return key, nil
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
	if name == reading.Stdin {
		_, err := s.Out.Write(text)
		return err
	}
	f, err := s.Disk.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return cli.Usagef("%s exists already, and a secret is never overwritten", reading.Printable(name))
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
