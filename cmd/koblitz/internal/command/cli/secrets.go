package cli

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// SecretAdvice tells the user where secrets belong.
const SecretAdvice = `A secret key never goes on the command line, where other users and the shell's
history see it. Keep it in a file ('--key FILE') or pipe it in ('--key -').`

// secretText matches what could be a secret key or a part of one: PEM, hexadecimal digits in
// groups, the words of a wallet (BIP-39), Base64, Base58 (WIF, BIP-32), and Bech32 (NIP-19). It
// also matches public keys and hashes.
var secretText = regexp.MustCompile(`(?s)BEGIN .+|^[0-9A-Fa-fx\s.,:;\\%\[\]-]{32,}$|` +
	`^\s*(?:[^\s,]+[\s,]+){11,}[^\s,]+\s*$|^[0-9A-Za-z+/_:%-]{42,}={0,2}$|[0-9A-Za-z]{21,}`)

// secretsOf returns the parts of a command's arguments that could be secrets, which a user may have
// typed in the wrong place. Names of files are not secrets.
func secretsOf(args []string) (words []string) {
	for _, arg := range args {
		for _, part := range argumentParts(arg) {
			if !isPath(part) {
				words = append(words, secretText.FindAllString(part, -1)...)
			}
		}
	}
	return words
}

// argumentParts returns arg, or its flag and its value. In an argument such as -kVALUE a value may
// follow the letter.
func argumentParts(arg string) []string {
	flag, value, _ := strings.Cut(arg, "=")
	switch {
	case !strings.HasPrefix(arg, "-"):
		return []string{strings.TrimPrefix(arg, "@")}
	case len(arg) > 2 && arg[1] != '-':
		return []string{arg[1:], strings.TrimPrefix(arg[2:], "@")}
	}
	return []string{strings.TrimLeft(flag, "-"), strings.TrimPrefix(value, "@")}
}

// extension matches the end of a file's name, but not the last group of hexadecimal digits.
var extension = regexp.MustCompile(`\.[a-z]*[g-z][a-z]*[0-9]?$`)

// isPath reports whether name ends like a file's name, names an existing file, or begins with the
// name of an existing folder other than "." and "/".
func isPath(name string) bool {
	if extension.MatchString(name) {
		return true
	}
	_, err := os.Stat(name)
	for dir := filepath.Dir(name); err != nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err = os.Stat(dir); dir == "." {
			return false
		}
	}
	return err == nil
}

// A discreetWriter writes text, such as a message that could be logged, without secrets.
type discreetWriter struct {
	w    io.Writer
	hide *strings.Replacer
}

func newDiscreetWriter(w io.Writer, secrets []string) *discreetWriter {
	const quoted = 40 // messages cut long text after so many bytes
	const short = 9   // names that short stay readable
	var parts []string
	for _, s := range secrets {
		parts = append(parts, s, s[:min(len(s), quoted)])
		for _, name := range strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r < ' ' }) {
			if len(name) >= short { // s may be taken for a file, or for several lines
				parts = append(parts, name)
			}
		}
	}
	slices.SortFunc(parts, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, s := range parts {
		escaped := strconv.QuoteToASCII(s)
		pairs = append(pairs, s, "…", escaped[1:len(escaped)-1], "…")
	}
	return &discreetWriter{w, strings.NewReplacer(pairs...)}
}

func (d *discreetWriter) Write(b []byte) (int, error) {
	if _, err := d.hide.WriteString(d.w, string(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// flagError returns a usage error for an error of the command line's parser.
func flagError(err error) error {
	for _, word := range []string{"secret", "priv", "seckey"} {
		if strings.Contains(strings.ToLower(err.Error()), word) {
			return Usagef("%w\n%s", err, SecretAdvice)
		}
	}
	return Usagef("%w", err)
}

// ReadSecretFile reads a whole file, or standard input, into buf and returns the number of bytes. A
// file that fills buf is refused as too long.
func ReadSecretFile(s Streams, name string, buf []byte) (int, error) {
	r, err := Open(s, name)
	if err != nil {
		if !isPath(name) && (secretText.MatchString(name) || strings.Contains(name, ":")) {
			err = Usagef("the name of a file is wanted.\n%s", SecretAdvice)
		}
		return 0, err
	}
	defer r.Close()
	if f, isFile := r.(*os.File); isFile && runtime.GOOS != "windows" {
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			s.Note("warning: other users can read or change %s (mode %04o); 'chmod 600' it",
				reading.Printable(name), info.Mode().Perm())
		}
	}
	n, err := io.ReadFull(r, buf)
	switch {
	case err == nil:
		return n, Invalidf("%s: too long for a secret key", FileName(name))
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return n, Unreadable(fmt.Errorf("%s: %w", FileName(name), reading.Bare(err)))
	}
	return n, nil
}

// ParseSecretKey parses a secret key of 64 hexadecimal digits with optional white space around
// them. Its errors reveal only the length of b.
func ParseSecretKey(b []byte) (*koblitz.PrivateKey, error) {
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
