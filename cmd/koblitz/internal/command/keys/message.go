package keys

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const (
	schemeECDSA  = "ecdsa"
	schemeBIP340 = "bip340"

	hashSHA256 = "sha256"
	hashKeccak = "keccak256"
	hashNone   = "none"
)

const messageHelp = "What is signed: with --scheme ecdsa the hash of MESSAGE, by default its " +
	`SHA-256;
with --scheme bip340 by default MESSAGE itself, of any length (BIP-340 does its own
hashing). --hash changes that: sha256, keccak256 (as Ethereum means it), or none,
which takes MESSAGE as it is; for ECDSA it then is the hash, 32 bytes, or 20 to 64
by the rule of SEC 1. What was hashed and how is said in every answer.

MESSAGE is hexadecimal digits, @FILE for the bytes of a file, '-' for those of
standard input, or --text 'some text'.`

// A message holds the flags that say which message is signed and how it is hashed.
type message struct {
	scheme string
	hash   string
	text   string
	isText bool
}

func (m *message) addFlags(cmd *cobra.Command, withScheme bool) {
	m.scheme = schemeECDSA
	if withScheme {
		cli.Choice(cmd, &m.scheme, "scheme", "s", "ecdsa or bip340", schemeECDSA, schemeBIP340)
	}
	cli.Choice(cmd, &m.hash, "hash", "", "sha256 (the default for ECDSA), keccak256 or none",
		hashSHA256, hashKeccak, hashNone)
	cmd.Flags().StringVarP(&m.text, "text", "t", "", "the message is this `TEXT`, in UTF-8")
}

// oneMessage returns an error for more than one argument.
func oneMessage(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 2:
		return cli.Usagef("one message, please, not %q", args)
	case len(args) > 2: // maybe the words of a wallet, which are not repeated
		return cli.Usagef("one message, please, not %d arguments", len(args))
	}
	return nil
}

// argument returns the argument that names the message, or "" if --text gives it. It also sets
// the default hash.
func (m *message) argument(cmd *cobra.Command, args []string) (arg string, err error) {
	m.isText = cmd.Flags().Changed("text")
	switch {
	case m.isText && len(args) > 0:
		return "", cli.Usagef("the message is given twice: by --text and as an argument")
	case !m.isText && len(args) == 0:
		return "", cli.Usagef("which message? (hexadecimal digits, @FILE, '-' for standard input, or " +
			"--text)")
	case !m.isText:
		arg = args[0]
	}
	if m.hash == "" {
		m.hash = hashSHA256
		if m.scheme == schemeBIP340 {
			m.hash = hashNone
		}
	}
	return arg, nil
}

// maxUnhashed is the maximum size in bytes of a message that is not hashed. Such a message is held
// in memory.
const maxUnhashed = 256 << 20

// A digest is the input of the signature scheme: the hash of a message, or the message itself.
type digest struct {
	bytes []byte
	size  int64 // size of the message in bytes before hashing
	m     *message
}

// read reads the message and hashes it in the way that the flags say. A message that is hashed may
// have any length.
func (m *message) read(s cli.Streams, arg string) (*digest, error) {
	var r io.ReadCloser
	name := "message"
	var err error
	switch {
	case m.isText:
		r = io.NopCloser(strings.NewReader(m.text))
	case isStream(arg):
		r, name, err = open(s, arg)
	default:
		var b []byte
		b, err = fromHex(name, arg)
		r = io.NopCloser(bytes.NewReader(b))
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d := &digest{m: m}
	var h hash.Hash
	switch m.hash {
	case hashSHA256:
		h = sha256.New()
	case hashKeccak:
		h = sha3.NewLegacyKeccak256()
	}
	if h == nil {
		d.bytes, err = io.ReadAll(io.LimitReader(r, maxUnhashed+1))
		d.size = int64(len(d.bytes))
	} else {
		d.size, err = io.Copy(h, r)
		d.bytes = h.Sum(nil)
	}
	isHash := h == nil && m.scheme == schemeECDSA
	switch {
	case err != nil:
		return nil, cli.Unreadable(fmt.Errorf("%s: %w", name, reading.Bare(err)))
	case h == nil && d.size > maxUnhashed:
		return nil, cli.Usagef("%s: more than %d MiB, and not hashed first (see --hash)",
			reading.Printable(name), maxUnhashed>>20)
	case isHash && (d.size < 20 || d.size > 64):
		return nil, cli.Usagef("with --hash none ECDSA signs a hash, 32 bytes (or 20 to 64), and this "+
			"message has %d; leave --hash out to hash it", d.size)
	case isHash && isText(d.bytes):
		return nil, cli.Usagef("with --hash none the message is the hash itself, and this one is text, "+
			"%d characters; give hexadecimal digits as the argument MESSAGE", d.size)
	case d.size == 0 && !m.isText: // an empty file or pipe is more often a mistake
		return nil, cli.Usagef("the message is empty; --text '' is the empty message")
	}
	return d, nil
}

// String describes what was signed.
func (d *digest) String() string {
	what := map[string]string{
		"ecdsa" + hashSHA256:  "ECDSA over the SHA-256 of the message",
		"ecdsa" + hashKeccak:  "ECDSA over the Keccak-256 of the message",
		"ecdsa" + hashNone:    "ECDSA over the message itself, taken as the hash",
		"bip340" + hashSHA256: "BIP-340 over the SHA-256 of the message",
		"bip340" + hashKeccak: "BIP-340 over the Keccak-256 of the message",
		"bip340" + hashNone:   "BIP-340 over the message itself, not hashed before",
	}[d.m.scheme+d.m.hash]
	return fmt.Sprintf("%s (%d bytes)", what, d.size)
}
