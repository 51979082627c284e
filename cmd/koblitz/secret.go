package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz"
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
func readKey(io streams, name string) (*koblitz.PrivateKey, error) {
	if name == "" {
		return nil, usagef("whose key? Name its file with --key FILE, or '--key -' for standard input")
	}
	var buf [256]byte
	defer clear(buf[:])
	n, err := readSecretFile(io, name, buf[:])
	if err != nil {
		return nil, err
	}
	key, err := parseSecret(buf[:n])
	if err != nil {
		return nil, invalidf("%s: %s", secretName(name), rows.Reason(err))
	}
	return key, nil
}

func secretName(name string) string {
	if name == input.Stdin {
		return "standard input"
	}
	return name
}

// readSecretFile reads a whole file into buf and returns the number of bytes. A file that fills buf
// is refused as too long.
func readSecretFile(s streams, name string, buf []byte) (int, error) {
	r := s.in
	if name != input.Stdin {
		f, err := os.Open(name)
		if err != nil {
			if !isPath(name) && (secretText.MatchString(name) || strings.Contains(name, ":")) {
				return 0, usagef("the name of a file is wanted.\n%s", secretAdvice)
			}
			return 0, unreadable(fmt.Errorf("%s: %w", name, input.Bare(err)))
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			if info.IsDir() {
				return 0, unreadable(fmt.Errorf("%s: is a directory, not a file", name))
			}
			if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
				fmt.Fprintf(s.err, "koblitz: warning: other users can read or change %s (mode %04o); 'chmod "+
					"600' it\n", printable.Text(name), info.Mode().Perm())
			}
		}
		r = f
	} else {
		hintStdin(s)
	}
	n, err := io.ReadFull(r, buf)
	switch {
	case err == nil:
		return n, invalidf("%s: too long for a secret key", secretName(name))
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return n, unreadable(fmt.Errorf("%s: %w", secretName(name), err))
	}
	return n, nil
}

// parseSecret parses a secret key: 32 bytes that are not all text, or the text that
// parseSecretDigits parses.
func parseSecret(b []byte) (*koblitz.PrivateKey, error) {
	if len(b) == 32 && !isText(b) {
		return koblitz.ParsePrivateKey(b)
	}
	return parseSecretDigits(b)
}

// isText reports whether b consists of printable characters of ASCII and white space, as no hash or
// key of 20 bytes or more does that was made at random.
func isText(b []byte) bool {
	return !bytes.ContainsFunc(b, func(r rune) bool {
		return r > '~' || r < ' ' && r != '\t' && r != '\n' && r != '\r'
	})
}

// parseSecretDigits parses a secret key of 64 hexadecimal digits with optional white space around
// them. Its errors reveal only the length of b.
func parseSecretDigits(b []byte) (*koblitz.PrivateKey, error) {
	digits := bytes.TrimSpace(b)
	if len(digits) != 64 {
		return nil, fmt.Errorf("%d characters where a secret key has 64 hexadecimal digits or 32 bytes",
			len(digits))
	}
	var k [32]byte
	defer clear(k[:])
	if _, err := hex.Decode(k[:], digits); err != nil {
		return nil, errors.New("64 characters, but not all of them hexadecimal digits")
	}
	return koblitz.ParsePrivateKey(k[:])
}

// writeSecret writes secret in hexadecimal to a new file that only its owner can read. If name is
// "-", it writes to standard output.
func writeSecret(s streams, name string, secret []byte) error {
	text := make([]byte, hex.EncodedLen(len(secret))+1)
	defer clear(text)
	hex.Encode(text, secret)
	text[len(text)-1] = '\n'
	if name == input.Stdin {
		_, err := s.out.Write(text)
		return err
	}
	f, err := s.disk.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s exists already, and a secret is never overwritten", printable.Text(name))
	}
	if err != nil {
		return unreadable(err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close(), s.disk.SyncDir(filepath.Dir(name)))
	if err != nil {
		s.disk.Remove(name) // removes the incomplete file, which was created above
		return unreadable(err)
	}
	return nil
}
