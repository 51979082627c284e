package pkix_test

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/pkix"
)

// The encodings that openssl writes of the key 0x010203…20.
const (
	number = "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
	x      = "84bf7562262bbd6940085748f3be6afa52ae317155181ece31b66351ccffa4b0"
	y      = "8cc43d63b2859d469fee15f31c9edb5324266e6fd0407e87382d60fc4511acd8"

	ecHex   = "30740201010420" + number + "a00706052b8104000aa144034200" + "04" + x + y
	p8Hex   = "308184020100" + algHex + "046d306b0201010420" + number + "a144034200" + "04" + x + y
	spkiHex = "3056" + algHex + "034200" + "04" + x + y
	algHex  = "301006072a8648ce3d020106052b8104000a"
)

const ecPEM = `-----BEGIN EC PRIVATE KEY-----
MHQCAQEEIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8goAcGBSuBBAAK
oUQDQgAEhL91YiYrvWlACFdI875q+lKuMXFVGB7OMbZjUcz/pLCMxD1jsoWdRp/u
FfMcnttTJCZub9BAfoc4LWD8RRGs2A==
-----END EC PRIVATE KEY-----
`

const p8PEM = `-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgAQIDBAUGBwgJCgsMDQ4P
EBESExQVFhcYGRobHB0eHyChRANCAASEv3ViJiu9aUAIV0jzvmr6Uq4xcVUYHs4x
tmNRzP+ksIzEPWOyhZ1Gn+4V8xye21MkJm5v0EB+hzgtYPxFEazY
-----END PRIVATE KEY-----
`

const spkiPEM = `-----BEGIN PUBLIC KEY-----
MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEhL91YiYrvWlACFdI875q+lKuMXFVGB7O
MbZjUcz/pLCMxD1jsoWdRp/uFfMcnttTJCZub9BAfoc4LWD8RRGs2A==
-----END PUBLIC KEY-----
`

// curveBlock is the block that openssl ecparam writes before a key.
const curveBlock = "-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n"

func testKey() *koblitz.PrivateKey {
	return reference.Must(koblitz.ParsePrivateKey(reference.Hex(number)))
}

// A form is an encoding of private or public keys.
type form struct {
	name     string
	example  string // of testKey
	openssl  string // the arguments with which openssl writes this form of a key
	parse    func([]byte) (*koblitz.PrivateKey, error)
	marshal  func(*koblitz.PrivateKey) ([]byte, error)
	public   func([]byte) (*koblitz.PublicKey, error)
	marshalP func(*koblitz.PublicKey) ([]byte, error)
}

var forms = []form{
	{name: "EC", example: string(reference.Hex(ecHex)), openssl: "pkey -traditional -outform DER",
		parse: pkix.ParseECPrivateKey, marshal: pkix.MarshalECPrivateKey},
	{name: "PKCS #8", example: string(reference.Hex(p8Hex)),
		openssl: "pkcs8 -topk8 -nocrypt -outform DER",
		parse:   pkix.ParsePKCS8PrivateKey, marshal: pkix.MarshalPKCS8PrivateKey},
	{name: "EC PEM", example: ecPEM, openssl: "pkey -traditional",
		parse: pkix.ParsePrivateKeyPEM, marshal: pkix.MarshalECPrivateKeyPEM},
	{name: "PKCS #8 PEM", example: p8PEM, openssl: "pkcs8 -topk8 -nocrypt",
		parse: pkix.ParsePrivateKeyPEM, marshal: pkix.MarshalPrivateKeyPEM},
	{name: "SPKI", example: string(reference.Hex(spkiHex)), openssl: "pkey -pubout -outform DER",
		public: pkix.ParsePublicKey, marshalP: pkix.MarshalPublicKey},
	{name: "SPKI PEM", example: spkiPEM, openssl: "pkey -pubout",
		public: pkix.ParsePublicKeyPEM, marshalP: pkix.MarshalPublicKeyPEM},
}

// encode returns the encoding of a key or its public key.
func (f *form) encode(k *koblitz.PrivateKey) ([]byte, error) {
	if f.public != nil {
		return f.marshalP(k.PublicKey())
	}
	return f.marshal(k)
}

// decode returns the public key that b encodes, or that of the private key, whose number it checks.
func (f *form) decode(b []byte) (*koblitz.PublicKey, error) {
	if f.public != nil {
		return f.public(b)
	}
	k, err := f.parse(b)
	if (k == nil) == (err == nil) {
		return nil, fmt.Errorf("a key %t and the error %v", k != nil, err)
	}
	return k.PublicKey(), err
}

// TestRoundTrip checks the examples, and that random keys are encoded and parsed. Package
// encoding/pem must write the same PEM.
func TestRoundTrip(t *testing.T) {
	for i := range 20 {
		k := koblitz.GenerateKey()
		if i == 0 {
			k = testKey()
		}
		for _, f := range forms {
			b, err := f.encode(k)
			if err != nil || i == 0 && string(b) != f.example {
				t.Fatalf("%s: %x, %v, want %x", f.name, b, err, f.example)
			}
			if got, err := f.decode(b); err != nil || !got.Equal(k.PublicKey()) {
				t.Errorf("%s: %v, %v, want %v", f.name, got, err, k.PublicKey())
			}
			if f.parse != nil && !reference.Must(f.parse(b)).Equal(k) {
				t.Errorf("%s: another key", f.name)
			}
			if block, rest := pem.Decode(b); strings.HasSuffix(f.name, "PEM") &&
				(block == nil || len(rest) != 0 || !bytes.Equal(pem.EncodeToMemory(block), b)) {
				t.Errorf("%s: encoding/pem reads or writes %q in another way", f.name, b)
			}
		}
	}
}

func TestNoKey(t *testing.T) {
	wiped := koblitz.GenerateKey()
	wiped.Zeroize()
	for _, f := range forms {
		for _, k := range []*koblitz.PrivateKey{nil, {}, wiped} {
			if b, err := f.encode(k); b != nil || !errors.Is(err, koblitz.ErrZeroKey) {
				t.Errorf("%s: %x, %v", f.name, b, err)
			}
		}
	}
	if _, err := pkix.MarshalPublicKey(&koblitz.PublicKey{}); !errors.Is(err, koblitz.ErrZeroKey) {
		t.Error(err)
	}
}

// variants returns encodings that openssl accepts but does not write by default.
func variants() map[string][]byte {
	const compressed = "02" + x
	const head = "0201010420" + number // of an ECPrivateKey
	return map[string][]byte{
		"EC, compressed": reference.Hex("3054" + head + "a00706052b8104000aa124032200" + compressed),
		"EC, no public":  reference.Hex("302e" + head + "a00706052b8104000a"),
		"PKCS, compressed": reference.Hex("3064020100" + algHex + "044d304b" + head +
			"a124032200" + compressed),
		"PKCS, no public":   reference.Hex("303e020100" + algHex + "04273025" + head),
		"PKCS, curve twice": reference.Hex("30818d020100" + algHex + "0476" + ecHex),
		"SPKI, compressed":  reference.Hex("3036" + algHex + "032200" + compressed),
	}
}

func TestVariants(t *testing.T) {
	for name, b := range variants() {
		i := slices.IndexFunc(forms, func(f form) bool { return f.name[:2] == name[:2] })
		k, err := forms[i].decode(b)
		if err != nil || !k.Equal(testKey().PublicKey()) {
			t.Errorf("%s: %v, %v", name, k, err)
		}
	}
}

// element returns an element of DER in hexadecimal.
func element(tag, content string) string {
	switch n := len(content) / 2; {
	case n < 0x80:
		return fmt.Sprintf("%s%02x%s", tag, n, content)
	case n < 0x100:
		return fmt.Sprintf("%s81%02x%s", tag, n, content)
	default:
		return fmt.Sprintf("%s82%04x%s", tag, n, content)
	}
}

// explicit returns the numbers of secp256k1, as openssl writes them with -param_enc explicit.
func explicit() string {
	p := strings.Repeat("ff", 27) + "fefffffc2f"
	g := "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" +
		"483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
	zero := strings.Repeat("00", 32)
	return element("30", "020101"+element("30", "06072a8648ce3d0101"+"022100"+p)+
		element("30", "0420"+zero+"0420"+zero[2:]+"07")+element("04", g)+"022100"+order+"020101")
}

const (
	order     = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	onlyNames = "gives the numbers of a curve: only its name is accepted"
)

// replace replaces old, which must occur, by new.
func replace(t *testing.T, s, old, new string) string {
	t.Helper()
	if strings.Count(s, old) != 1 {
		t.Fatalf("%d times %s in %s", strings.Count(s, old), old, s)
	}
	return strings.Replace(s, old, new, 1)
}

func TestRefuseDER(t *testing.T) {
	curve, p256 := "06052b8104000a", "06082a8648ce3d030107"
	ec := func(old, new string) string { return replace(t, ecHex, old, new) }
	p8 := func(old, new string) string { return replace(t, p8Hex, old, new) }
	spki := func(old, new string) string { return replace(t, spkiHex, old, new) }
	point := "034200" + "04" + x + y
	ecNumbers := "020101" + "0420" + number + element("a0", explicit()) + element("a1", point)
	algNumbers := element("30", "06072a8648ce3d0201"+explicit())
	for _, test := range []struct {
		form int
		hex  string
		want string
	}{
		{0, "", "pkix: EC private key: byte 0: the end, want ECPrivateKey"},
		{0, "30", "byte 0: the end, want ECPrivateKey"},
		{0, p8Hex, "byte 5: version is not 1"},
		{0, spkiHex, "byte 2: want version with the tag 0x02"},
		{0, ecHex + "00", "byte 118: more bytes in the encoding"},
		{0, ecHex[:len(ecHex)-2], "byte 1: ECPrivateKey is longer than the remaining bytes"},
		{0, ec("3074", "308174"), "byte 1: the length of ECPrivateKey has more bytes than it needs"},
		{0, ec("3074", "30820074"), "byte 1: the length of ECPrivateKey has more bytes than it needs"},
		{0, ec("3074", "3083000074"), "byte 1: the length of ECPrivateKey is over 65535"},
		{0, ec("3074", "3080"), "byte 1: the length of ECPrivateKey is over 65535 or not that of DER"},
		{0, "3081", "byte 1: the length of ECPrivateKey is over 65535 or not that of DER"},
		{0, "308201", "byte 1: the length of ECPrivateKey is over 65535 or not that of DER"},
		{0, ec("0420", "048120"), "byte 6: privateKey has more than 127 bytes, want 32"},
		{0, ec("30740201010420", "3075020200010420"), "byte 4: version is not 1"},
		{0, "302d" + "020101" + "041f" + number[2:] + "a00706052b8104000a",
			"byte 7: privateKey has 31 bytes, want 32"},
		{0, "302f" + "020101" + "042100" + number + "a00706052b8104000a",
			"byte 7: privateKey has 33 bytes, want 32"},
		{0, "302e" + "020101" + "0420" + order + "a00706052b8104000a",
			"byte 7: privateKey is zero, or not below the group order n"},
		{0, "302e" + "020101" + "0420" + strings.Repeat("00", 32) + "a00706052b8104000a",
			"byte 7: privateKey is zero, or not below the group order n"},
		{0, ec(number, number[:62]+"21"), "byte 50: publicKey is not the public key of privateKey"},
		{0, "3025" + "020101" + "0420" + number, "byte 39: no parameters, which name the curve"},
		{0, "3031" + "020101" + "0420" + number + "a00a" + p256,
			"byte 43: parameters is not the name of secp256k1 (1.3.132.0.10)"},
		{0, "3029" + "020101" + "0420" + number + "a0023000", "byte 41: parameters " + onlyNames},
		{0, element("30", ecNumbers), "byte 44: parameters " + onlyNames}, // 341 bytes
		{0, "3030" + "020101" + "0420" + number + "a009" + curve + "0500",
			"byte 48: more bytes in parameters"},
		{0, "3030" + "020101" + "0420" + number + "a007" + curve + "0500",
			"byte 48: more bytes in ECPrivateKey"},
		{0, ec("a144034200", "a144034201"), "byte 52: publicKey has not a whole number of bytes"},
		{0, "3032" + "020101" + "0420" + number + "a007" + curve + "a1020300",
			"byte 52: publicKey has not a whole number of bytes"},
		{0, replace(t, "3076"+ecHex[4:], "a144", "a146") + "0500", "byte 118: more bytes in publicKey"},
		{0, ec("034200"+"04"+x+y, "034200"+"06"+x+y), "byte 53: publicKey: koblitz: public key: byte 0 " +
			"is 0x06: hybrid encodings are not accepted"},
		{0, ec("a144034200"+"04"+x+y, "a144034200"+"04"+y+x), "is not a point of the curve"},

		{1, ecHex, "pkix: PKCS #8 private key: byte 4: version is not 0"},
		{1, p8("308184", "30820084"), "byte 1: the length of PrivateKeyInfo has more bytes"},
		{1, p8("308184020100", "308184020101"), "byte 5: version is not 0"},
		{1, p8(algHex, "301006072a8648ce3d020206052b8104000a"),
			"byte 10: privateKeyAlgorithm.algorithm is not id-ecPublicKey"},
		{1, p8(algHex, "301006072a8648ce3d020106052b81040022"),
			"byte 19: privateKeyAlgorithm.parameters is not the name of secp256k1"},
		{1, element("30", "020100"+algNumbers+element("04", element("30", ecNumbers))),
			"byte 19: privateKeyAlgorithm.parameters " + onlyNames},
		{1, "3037" + "020100" + "3009" + "06072a8648ce3d0201" + "0427" + "3025" + "0201010420" + number,
			"byte 16: the end, want privateKeyAlgorithm.parameters"},
		{1, "3040020100" + algHex + "042930270201010420" + number + "a000", "want parameters"},
		{1, "3040020100" + algHex + "042730250201010420" + number + "a000",
			"byte 64: attributes are not accepted"},
		{1, "3040020100" + algHex + "042730250201010420" + number + "8100",
			"byte 64: more bytes in PrivateKeyInfo"},
		{1, "3040020100" + algHex + "042930250201010420" + number + "0500",
			"byte 64: more bytes in privateKey"},

		{4, "", "pkix: public key: byte 0: the end, want SubjectPublicKeyInfo"},
		{4, spkiHex + "00", "byte 88: more bytes in the encoding"},
		{4, element("30", algNumbers+point), "byte 16: algorithm.parameters " + onlyNames}, // 311 bytes
		{4, spki("3056", "305603"), "byte 2: want algorithm with the tag 0x30"},
		{4, spki(algHex, "301006072a8648ce3d020106052b81040022"),
			"byte 15: algorithm.parameters is not the name of secp256k1"},
		{4, spki("034200", "034204"), "byte 22: subjectPublicKey has not a whole number of bytes"},
		{4, "3058" + "3012" + algHex[4:] + "0500" + spkiHex[4+len(algHex):],
			"byte 20: more bytes in algorithm"},
		{4, "3058" + spkiHex[4:] + "0500", "byte 88: more bytes in SubjectPublicKeyInfo"},
		{4, "3014" + algHex + "0300", "byte 22: subjectPublicKey has not a whole number of bytes"},
		{4, "3015" + algHex + "030100", "byte 23: subjectPublicKey: koblitz: public key: 0 bytes"},
		{4, spki("034200"+"04"+x, "034200"+"04"+strings.Repeat("ff", 32)),
			"byte 23: subjectPublicKey: koblitz: public key: x (bytes 1 to 32) is not below"},
	} {
		f := forms[test.form]
		if k, err := f.decode(reference.Hex(test.hex)); k != nil || err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %s: %v, %v, want %s", f.name, test.hex, k, err, test.want)
		}
	}
}

func TestPEM(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	line, base := "", strings.Split(ecPEM, "\n")
	for _, l := range base[1:4] {
		line += l
	}
	uneven := base[0] + "\n" + line[:1] + "\n" + line[1:10] + "\n" + line[10:] + "\n" + base[4]
	one := base[0] + "\n" + line + "\n" + base[4]
	for _, text := range []string{
		ecPEM, p8PEM, crlf(ecPEM), crlf(p8PEM), uneven, one, curveBlock + ecPEM, curveBlock + p8PEM,
		crlf(curveBlock + ecPEM), "\n\r\n" + ecPEM + "\n\r\n", ecPEM[:len(ecPEM)-1],
		curveBlock + "\n" + ecPEM,
	} {
		if k, err := pkix.ParsePrivateKeyPEM([]byte(text)); err != nil || !k.Equal(testKey()) {
			t.Errorf("%q: %v", text, err)
		}
	}
	const head, foot = "-----BEGIN EC PRIVATE KEY-----\n", "-----END EC PRIVATE KEY-----\n"
	for _, test := range []struct{ text, want string }{
		{"", "pkix: PEM: byte 0: want the line -----BEGIN EC PRIVATE KEY----- or " +
			"-----BEGIN PRIVATE KEY-----"},
		{spkiPEM, "byte 0: want the line"},
		{" " + ecPEM, "byte 0: want the line"},
		{"\r" + ecPEM, "byte 0: want the line"},
		{ecPEM + "text", "byte 223: text after the block"},
		{ecPEM + ecPEM, "byte 223: text after the block"},
		{curveBlock, "byte 71: want the line"},
		{curveBlock + curveBlock + ecPEM, "byte 71: want the line"},
		{strings.Replace(curveBlock, "ACg", "ACw", 1) + ecPEM,
			"pkix: EC PARAMETERS: byte 2: the content is not the name of secp256k1"},
		{strings.Replace(curveBlock, "ACg==", "ACgA=", 1) + ecPEM,
			"pkix: EC PARAMETERS: byte 7: more bytes in the encoding"},
		{strings.Replace(curveBlock, "ACg==", "AC", 1) + ecPEM, "byte 40: the digits of base64"},
		{strings.Replace(ecPEM, "END EC", "END", 1),
			"byte 194: want the line -----END EC PRIVATE KEY-----"},
		{strings.TrimSuffix(ecPEM, foot), "byte 194: the end, want a line that begins with -----END"},
		{head, "byte 31: the end"},
		{head + "\n" + foot, "byte 31: not a digit of base64"},
		{head + foot, "EC private key: byte 0: the end, want ECPrivateKey"},
		{strings.Replace(ecPEM, "MHQC", "MHQC ", 1), "byte 35: not a digit of base64"},
		{strings.Replace(ecPEM, "MHQC", "MH-C", 1), "byte 33: not a digit of base64"},
		{strings.Replace(ecPEM, "MHQC", "MHQC\rA", 1),
			"byte 36: a carriage return that no newline follows"},
		{strings.Replace(ecPEM, "MHQC", "MHQC\n\nA", 1), "byte 36: not a digit of base64"},
		{strings.Replace(ecPEM, "MHQC", "MHQC\n\r\n", 1), "byte 36: not a digit of base64"},
		{strings.Replace(ecPEM, "2A==", "2A=", 1), "are not a multiple of 4"},
		{strings.Replace(ecPEM, "2A==", "2A", 1), "are not a multiple of 4"},
		{strings.Replace(ecPEM, "2A==", "2===", 1), "are not a multiple of 4"},
		{strings.Replace(ecPEM, "2A==", "2A\n==", 1), "byte 192: not a digit of base64"},
		{strings.Replace(ecPEM, "2A==", "2A==2A==", 1), "a digit of base64 after the padding"},
		{strings.Replace(ecPEM, "2A==", "2B==", 1), "unused bits that are not zero"},
		{head + strings.Repeat("AAAA", 1000) + "\n" + foot, "EC private key: byte 0: want ECPrivateKey"},
		{"-----BEGIN EC PARAMETERS-----\n" +
			base64.StdEncoding.EncodeToString(reference.Hex(explicit())) +
			"\n-----END EC PARAMETERS-----\n", "pkix: EC PARAMETERS: byte 0: the content " + onlyNames},
	} {
		k, err := pkix.ParsePrivateKeyPEM([]byte(test.text))
		if k != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
	for _, text := range []string{ecPEM, spkiPEM + "-", curveBlock + spkiPEM} {
		if k, err := pkix.ParsePublicKeyPEM([]byte(text)); k != nil || err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	for _, text := range []string{
		"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIHs\n-----END ENCRYPTED PRIVATE KEY-----\n",
		head + "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMIHs\n" + foot,
	} {
		k, err := pkix.ParsePrivateKeyPEM([]byte(text))
		if k != nil || !errors.Is(err, pkix.ErrEncrypted) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestErrorsWithoutSecrets checks that errors do not depend on the bytes of a private key.
func TestErrorsWithoutSecrets(t *testing.T) {
	a := reference.Hex(ecHex)
	b := reference.Must(pkix.MarshalECPrivateKey(koblitz.GenerateKey()))
	refused := 0
	for i := range len(a) - 65 {
		if i >= 7 && i < 39 { // the private key
			continue
		}
		for v := range 256 {
			a, b := bytes.Clone(a), bytes.Clone(b)
			a[i], b[i] = byte(v), byte(v)
			_, errA := pkix.ParseECPrivateKey(a)
			_, errB := pkix.ParseECPrivateKey(b)
			if fmt.Sprint(errA) != fmt.Sprint(errB) {
				t.Errorf("byte %d is %#02x: %v, %v", i, v, errA, errB)
			}
			if errA != nil {
				refused++
			}
		}
	}
	if refused < 20*255 {
		t.Errorf("only %d encodings were refused", refused)
	}
}

// fuzz checks that a parser does not panic, returns a key or an error, and takes only encodings
// that are also accepted, with the same key, after it was encoded again.
func fuzz(f *testing.F, which ...int) {
	f.Add([]byte{})
	for _, form := range forms {
		f.Add([]byte(form.example))
	}
	for _, b := range variants() {
		f.Add(b)
	}
	f.Add([]byte(curveBlock + ecPEM))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		for _, i := range which {
			form := forms[i]
			k, err := form.decode(b)
			if !bytes.Equal(b, before) {
				t.Fatal("the input has changed")
			}
			if (k == nil) == (err == nil) {
				t.Fatal(k, err)
			}
			if err != nil || form.public == nil {
				continue
			}
			again := reference.Must(form.marshalP(k))
			if same, err := form.decode(again); err != nil || !same.Equal(k) {
				t.Fatal(same, err)
			}
		}
	})
}

func FuzzParseECPrivateKey(f *testing.F)    { fuzz(f, 0) }
func FuzzParsePKCS8PrivateKey(f *testing.F) { fuzz(f, 1) }
func FuzzParsePrivateKeyPEM(f *testing.F)   { fuzz(f, 2, 3) }
func FuzzParsePublicKey(f *testing.F)       { fuzz(f, 4) }
func FuzzParsePublicKeyPEM(f *testing.F)    { fuzz(f, 5) }
