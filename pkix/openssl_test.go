package pkix_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/pkix"
)

// openssl runs openssl with an input and returns its output. The error has what openssl reported.
func openssl(input []byte, args ...string) ([]byte, error) {
	cmd := exec.Command("openssl", args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("openssl %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	return out, err
}

func needOpenSSL(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "darwin" {
		t.Skip("on darwin: its openssl is LibreSSL, which has fewer options")
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("without openssl: it reads and writes keys")
	}
}

// inform returns the options of openssl pkey that name the form of the input.
func (f *form) inform() (args []string) {
	if !strings.HasSuffix(f.name, "PEM") {
		args = []string{"-inform", "DER"}
	}
	if f.public != nil {
		args = append(args, "-pubin")
	}
	return args
}

// TestOpenSSL checks that openssl writes keys as this package does. It parses keys of openssl
// with every option for their encoding.
func TestOpenSSL(t *testing.T) {
	needOpenSSL(t)
	run := func(input []byte, args string) []byte {
		return reference.Must(openssl(input, strings.Fields(args)...))
	}
	// refused checks that a key in PEM and its public key are refused, with the same reason.
	refused := func(text []byte, why string) {
		t.Helper()
		k, err := pkix.ParsePrivateKeyPEM(text)
		if k != nil || err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s\n%s", err, why, text)
		}
		public := run(text, "pkey -pubout")
		p, err := pkix.ParsePublicKeyPEM(public)
		if p != nil || err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s\n%s", err, why, public)
		}
	}
	// parsed checks that a private key is parsed as want.
	parsed := func(
		parse func([]byte) (*koblitz.PrivateKey, error), b []byte, want *koblitz.PrivateKey, args string,
	) {
		t.Helper()
		if k, err := parse(b); err != nil || !k.Equal(want) {
			t.Errorf("%s: %v\n%q", args, err, b)
		}
	}
	for range 2 {
		first := run(nil, "ecparam -name secp256k1 -genkey")
		want := reference.Must(pkix.ParsePrivateKeyPEM(first))
		for _, f := range forms {
			theirs := run(first, f.openssl)
			if strings.HasSuffix(f.name, "PEM") { // on Windows
				theirs = bytes.ReplaceAll(theirs, []byte("\r\n"), []byte("\n"))
			}
			if ours := reference.Must(f.encode(want)); !bytes.Equal(ours, theirs) {
				t.Errorf("%s: %x, openssl writes %x", f.name, ours, theirs)
			}
		}
		for _, args := range []string{
			"pkey", "pkey -traditional", "pkcs8 -topk8 -nocrypt", "ec",
			"ec -conv_form compressed", "ec -no_public", "ec -conv_form compressed -no_public",
			"pkey -ec_conv_form compressed",
		} {
			text := run(first, args)
			parsed(pkix.ParsePrivateKeyPEM, text, want, args)
			public := run(text, "pkey -pubout")
			if k, err := pkix.ParsePublicKeyPEM(public); err != nil || !k.Equal(want.PublicKey()) {
				t.Errorf("%s: %v\n%s", args, err, public)
			}
			for _, f := range forms[:2] {
				parsed(f.parse, run(text, f.openssl), want, args)
			}
		}
		for _, c := range []struct{ args, why string }{
			{"ec -param_enc explicit", onlyNames}, {"ec -conv_form hybrid", "hybrid encodings"},
			{"pkey -ec_param_enc explicit", onlyNames},
		} {
			text := run(first, c.args)
			refused(text, c.why)
			// The package documentation has this command.
			text = run(text, "pkey -ec_param_enc named_curve -ec_conv_form uncompressed")
			parsed(pkix.ParsePrivateKeyPEM, text, want, c.args)
		}
		for _, args := range []string{
			"pkey -aes256 -passout pass:word", "ec -aes256 -passout pass:word",
		} {
			text := run(first, args)
			if k, err := pkix.ParsePrivateKeyPEM(text); k != nil || !errors.Is(err, pkix.ErrEncrypted) {
				t.Errorf("%s: %v", args, err)
			}
			text = run(text, "pkey -passin pass:word") // the command that ErrEncrypted names
			parsed(pkix.ParsePrivateKeyPEM, text, want, args)
		}
	}
	for _, c := range []struct{ args, why string }{
		{"genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", "is not the name of secp256k1"},
		{"ecparam -name secp256r1 -genkey", "is not the name of secp256k1"},
		{"ecparam -name secp256k1 -param_enc explicit -genkey", onlyNames},
		{"genpkey -algorithm ED25519", "is not id-ecPublicKey"},
		{"genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", "is not id-ecPublicKey"},
	} {
		refused(run(nil, c.args), c.why)
	}
}

func TestSignaturesWithOpenSSL(t *testing.T) {
	needOpenSSL(t)
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	message := []byte("the message")
	hash := sha256.Sum256(message)
	for range 4 {
		key := koblitz.GenerateKey()
		private := reference.Must(pkix.MarshalPrivateKeyPEM(key))
		public := reference.Must(pkix.MarshalPublicKeyPEM(key.PublicKey()))
		ours := reference.Must(reference.Must(ecdsa.NewSigner(key)).Sign(nil, hash[:], nil))
		publicFile, ourFile := file("public", public), file("signature", ours)
		verify := []string{"dgst", "-sha256", "-verify", publicFile, "-signature", ourFile}
		out, err := openssl(message, verify...)
		if err != nil || !bytes.HasPrefix(out, []byte("Verified OK")) {
			t.Errorf("openssl refuses our signature: %s, %v", out, err)
		}
		if _, err := openssl([]byte("another message"), verify...); err == nil {
			t.Error("openssl accepts our signature of another message")
		}
		theirs := reference.Must(openssl(message, "dgst", "-sha256", "-sign", file("private", private)))
		sig, err := ecdsa.ParseDER(theirs)
		if err != nil || !ecdsa.Verify(key.PublicKey(), hash[:], sig) {
			t.Errorf("we refuse openssl's signature %x: %v", theirs, err)
		}
	}
}

// TestRefusedWithOpenSSL replaces, inserts and removes bytes of encodings, and checks that openssl
// accepts each result that the parsers accept, with the same public key.
func TestRefusedWithOpenSSL(t *testing.T) {
	needOpenSSL(t)
	r := rand.New(rand.NewPCG(1, 2))
	tried, accepted := 0, 0
	for i := range forms {
		f := &forms[i]
		bases := [][]byte{[]byte(f.example)}
		for name, b := range variants() {
			if f.name[:2] == name[:2] && !strings.HasSuffix(f.name, "PEM") {
				bases = append(bases, b)
			}
		}
		if f.name == "EC PEM" {
			bases = append(bases, []byte(curveBlock+ecPEM), []byte(strings.ReplaceAll(ecPEM, "\n", "\r\n")))
		}
		slices.SortFunc(bases, bytes.Compare)
		left := 25 // each call of openssl takes milliseconds
		for left > 0 {
			for range 400 {
				base := bases[r.IntN(len(bases))]
				b := mutate(r, base)
				tried++
				k, err := f.decode(b)
				if err != nil || left == 0 || bytes.Equal(b, base) {
					continue
				}
				left--
				accepted++
				args := append([]string{"pkey", "-pubout", "-outform", "DER"}, f.inform()...)
				if f.public == nil {
					if _, err := openssl(b, append(args, "-check")...); err != nil {
						t.Errorf("%s: %q: %v", f.name, b, err)
					}
				}
				out, err := openssl(b, args...)
				if err != nil {
					t.Fatalf("%s: %q: %v", f.name, b, err)
				}
				same, err := pkix.ParsePublicKey(out)
				if err != nil || !same.Equal(k) {
					t.Errorf("%s: %q: openssl has the public key %v, %v, want %v", f.name, b, same, err, k)
				}
			}
		}
	}
	t.Logf("tried %d encodings; the parsers and openssl accept %d", tried, accepted)
}

// mutate returns a copy of b with one to three changes.
func mutate(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(3) {
		i := r.IntN(len(b))
		switch r.IntN(5) {
		case 0:
			b[i] = byte(r.Uint32())
		case 1:
			b[i] ^= 1 << r.IntN(8)
		case 2:
			b = slices.Insert(b, i, "\x00\x01\x02\x30\x81\n\r =A"[r.IntN(10)])
		case 3:
			b = slices.Delete(b, i, i+1)
		case 4:
			b = append(b, "\x00\n\r\x05"[r.IntN(4)])
		}
	}
	return b
}
