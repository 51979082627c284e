package silentpay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// example returns an address of version 0 with the keys 2·G and 3·G.
func example(network Network) *Address {
	return reference.Must(NewAddress(network, number(2).PublicKey(), number(3).PublicKey()))
}

// published is an address of BIP-352's test vectors.
const published = "sp1qqgste7k9hx0qftg6qmwlkqtwuy6cycyavzmzj85c6qdfhjdpdjtdg" +
	"qjuexzk6murw56suy3e0rd2cgqvycxttddwsvgxe2usfpxumr70xc9pkqwv"

func TestAddress(t *testing.T) {
	if a, err := ParseAddress(published); err != nil || a.String() != published {
		t.Errorf("%s is parsed as %v, %v", published, a, err)
	}
	scan, spend := number(2).PublicKey(), number(3).PublicKey()
	for network, prefix := range map[Network]string{
		Mainnet: "sp1q", Testnet: "tsp1q", Regtest: "sprt1q",
	} {
		a := example(network)
		text := a.String()
		if !strings.HasPrefix(text, prefix) || len(text) != len(prefix)+106+6 {
			t.Errorf("%v: %s", network, text)
		}
		for _, s := range []string{text, strings.ToUpper(text)} {
			b := reference.Must(ParseAddress(s))
			if !b.Equal(a) || b.Network() != network || b.Version() != 0 || b.String() != text ||
				!b.ScanKey().Equal(scan) || !b.SpendKey().Equal(spend) {
				t.Errorf("%s is parsed as %v", s, b)
			}
		}
		encoded := reference.Must(json.Marshal(map[string]*Address{"a": a}))
		var decoded map[string]*Address
		if err := json.Unmarshal(encoded, &decoded); err != nil || !decoded["a"].Equal(a) {
			t.Errorf("%s is decoded as %v, %v", encoded, decoded, err)
		}
	}
}

// TestAddressVersions checks that versions 1 to 30 are parsed by their first 66 bytes, and keep
// their encoding.
func TestAddressVersions(t *testing.T) {
	a := example(Mainnet)
	data := a.spend.AppendBytes(a.scan.Bytes())
	for version := range byte(32) {
		for _, extra := range []int{0, 1, 100} {
			text := encodeBech32m("sp", version, append(data[:66:66], make([]byte, extra)...))
			b, err := ParseAddress(text)
			if version == 31 || version == 0 && extra > 0 {
				if err == nil {
					t.Errorf("version %d with %d more bytes: no error", version, extra)
				}
				continue
			}
			if err != nil || b.Version() != int(version) || b.String() != text ||
				!b.ScanKey().Equal(a.scan) || !b.SpendKey().Equal(a.spend) {
				t.Errorf("version %d with %d more bytes: %v, %v", version, extra, b, err)
			}
		}
		if _, err := ParseAddress(encodeBech32m("sp", version, data[:65])); err == nil {
			t.Errorf("version %d with 65 bytes: no error", version)
		}
	}
	longest := encodeBech32m("sp", 1, append(data[:66:66], make([]byte, 567)...))
	if len(longest) != maxAddress {
		t.Fatalf("the longest address has %d characters", len(longest))
	}
	if _, err := ParseAddress(longest); err != nil {
		t.Error(err)
	}
}

// encodeValues returns the encoding of groups of 5 bits, with the checksum constant that is given.
func encodeValues(prefix string, values []byte, constant uint32) string {
	sum := polymod(prefix, append(values[:len(values):len(values)], make([]byte, 6)...)) ^ constant
	text := prefix + "1"
	for _, v := range values {
		text += alphabet[v : v+1]
	}
	for shift := 25; shift >= 0; shift -= 5 {
		text += alphabet[sum>>shift&31:][:1]
	}
	return text
}

// TestParseAddressErrors checks that every error says what is wrong and where.
func TestParseAddressErrors(t *testing.T) {
	text := example(Mainnet).String()
	data := example(Mainnet).spend.AppendBytes(example(Mainnet).scan.Bytes())
	values := append([]byte{0}, valuesOf(data)...)
	padded := append([]byte{}, values...)
	padded[len(padded)-1] |= 1
	replaced := func(at int, b byte) []byte {
		c := bytes.Clone(data)
		c[at] = b
		return c
	}
	noPoint := bytes.Clone(data)
	copy(noPoint[1:33], append(make([]byte, 31), 5)) // x = 5 is on no point
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "no separator"},
		{"no separator", strings.Replace(text, "1", "q", 1), "no separator"},
		{"no prefix", text[2:], "no human-readable part"},
		{"too long", "sp1" + strings.Repeat("q", 1021), "1024 characters, want at most 1023"},
		{"a space", text[:10] + " " + text[10:], "character 10 is byte 0x20"},
		{"a byte above ASCII", text[:10] + "\xff" + text[10:], "character 10 is byte 0xff"},
		{"mixed case", text[:10] + "Q" + text[11:], "character 10, 'Q', and the first letter, 's'"},
		{"mixed case of the prefix", "Sp" + text[2:], "character 1, 'p'"},
		{"outside of the alphabet", text[:10] + "b" + text[11:], "character 10, 'b', is not in"},
		{"short checksum", "sp1qqqqq", "5 characters after the separator"},
		{"checksum", text[:20] + flip(text[20]) + text[21:], "the checksum is wrong"},
		{"bech32", encodeValues("sp", values, bech32Constant), "bech32, want bech32m"},
		{"another prefix", encodeBech32m("bc", 0, data), "not sp, tsp or sprt"},
		{"a longer prefix", encodeBech32m("sp1sp", 0, data), "not sp, tsp or sprt"},
		{"no version", encodeValues("sp", nil, bech32mConstant), "no version"},
		{"version 31", encodeBech32m("sp", 31, data), "version 31 (character 3)"},
		{"padding", encodeValues("sp", padded, bech32mConstant), "the last byte are not zeros"},
		{"more padding", encodeValues("sp", append(values, 0), bech32mConstant), "want at most 4"},
		{"65 bytes", encodeBech32m("sp", 0, data[:65]), "version 0 with 65 bytes, want 66"},
		{"67 bytes", encodeBech32m("sp", 0, append(data[:66:66], 0)), "with 67 bytes, want 66"},
		{"scan key's first byte", encodeBech32m("sp", 0, replaced(0, 4)), "scan key (bytes 0 to 32)"},
		{"spend key's first byte", encodeBech32m("sp", 0, replaced(33, 0)), "spend key (bytes 33 to 65)"},
		{"scan key without a point", encodeBech32m("sp", 0, noPoint), "scan key (bytes 0 to 32)"},
	} {
		a, err := ParseAddress(test.text)
		if err == nil || a != nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "silentpay: address: ") {
			t.Errorf("%s: %v, %v, want an error with %q", test.name, a, err, test.want)
		}
		kept := *example(Testnet)
		if err := kept.UnmarshalText([]byte(test.text)); err == nil || !kept.Equal(example(Testnet)) {
			t.Errorf("%s: UnmarshalText: %v, and the value is %v", test.name, err, kept)
		}
	}
}

// flip returns another character of the alphabet than c.
func flip(c byte) string {
	if c == 'q' {
		return "p"
	}
	return "q"
}

func TestNewAddressErrors(t *testing.T) {
	key := number(2).PublicKey()
	for _, network := range []Network{-1, 0, Regtest + 1} {
		if a, err := NewAddress(network, key, key); err == nil || a != nil {
			t.Errorf("%v: %v, %v", network, a, err)
		}
	}
	for _, none := range []*koblitz.PublicKey{nil, {}} {
		for _, keys := range [][2]*koblitz.PublicKey{{none, key}, {key, none}} {
			if a, err := NewAddress(Mainnet, keys[0], keys[1]); !errors.Is(err, koblitz.ErrZeroKey) {
				t.Errorf("%v: %v, %v", keys, a, err)
			}
		}
	}
}

// TestAddressKeepsKeys checks that assigning to a key does not change an address that was made of
// it, or that returned it.
func TestAddressKeepsKeys(t *testing.T) {
	scan, spend := number(2).PublicKey(), number(3).PublicKey()
	a := reference.Must(NewAddress(Mainnet, scan, spend))
	*scan, *spend = koblitz.PublicKey{}, koblitz.PublicKey{}
	*a.ScanKey(), *a.SpendKey() = koblitz.PublicKey{}, koblitz.PublicKey{}
	if a.ScanKey().IsZero() || a.SpendKey().IsZero() {
		t.Error("the address has lost its keys")
	}
}

func TestZeroAddress(t *testing.T) {
	for _, a := range []*Address{nil, {}} {
		if !a.IsZero() || a.ScanKey() != nil || a.SpendKey() != nil || a.Network() != 0 ||
			a.Version() != 0 || a.Equal(a) || a.Equal(example(Mainnet)) || example(Mainnet).Equal(a) {
			t.Errorf("%v is an address", a)
		}
	}
	if got := fmt.Sprint(Address{}, Network(0)); got != "silentpay.Address(zero) Network(0)" {
		t.Errorf("zero values print as %s", got)
	}
}

// FuzzParseAddress checks that a text that is parsed has one encoding in lower case, and that
// addresses of version 0 are encoded again as they were.
func FuzzParseAddress(f *testing.F) {
	for _, network := range []Network{Mainnet, Testnet, Regtest} {
		f.Add(example(network).String())
	}
	f.Add(strings.ToUpper(example(Mainnet).String()))
	f.Add("sp1" + strings.Repeat("q", 1020))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			if a != nil {
				t.Errorf("%v, %v", a, err)
			}
			return
		}
		if a.String() != strings.ToLower(text) {
			t.Errorf("%q is parsed as %v", text, a)
		}
		if a.Version() != 0 {
			return
		}
		b, err := NewAddress(a.Network(), a.ScanKey(), a.SpendKey())
		if err != nil || !b.Equal(a) {
			t.Errorf("%v is encoded again as %v, %v", a, b, err)
		}
	})
}

// FuzzBytesOf checks that bytes have one encoding in groups of 5 bits.
func FuzzBytesOf(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{31, 31, 31, 16})
	f.Fuzz(func(t *testing.T, input []byte) {
		values := bytes.Clone(input)
		for i := range values {
			values[i] &= 31
		}
		if data, err := bytesOf(values); err == nil && !bytes.Equal(valuesOf(data), values) {
			t.Errorf("%x is decoded as %x", values, data)
		}
		data, err := bytesOf(valuesOf(values))
		if err != nil || !bytes.Equal(data, values) {
			t.Errorf("the groups of %x are decoded as %x, %v", values, data, err)
		}
	})
}

// TestChangingAddress makes an address of a key that changes when it is read again, and pays an
// address that changes. The results are those for the first content: an address whose text has
// another key, or an output for the scan key of one address and the spend key of another, loses
// money.
func TestChangingAddress(t *testing.T) {
	scan, spend := number(2).PublicKey(), number(3).PublicKey()
	first, second := example(Mainnet), reference.Must(NewAddress(Mainnet, spend, scan))
	changing.Each(t, content(scan), content(spend), func(b []byte) {
		a := reference.Must(NewAddress(Mainnet, (*koblitz.PublicKey)(unsafe.Pointer(&b[0])), spend))
		if !a.Equal(first) || !a.ScanKey().Equal(number(2).PublicKey()) {
			t.Errorf("%v has the scan key %v", a, a.ScanKey())
		}
	})
	outputs := func(a *Address) [32]byte {
		return reference.Must(Outputs([]Input{{Key: number(5)}}, make([]Outpoint, 1), []*Address{a}))[0]
	}
	want := outputs(first)
	changing.Each(t, content(first), content(second), func(b []byte) {
		if got := outputs((*Address)(unsafe.Pointer(&b[0]))); got != want {
			t.Errorf("an address that changes gets %x, want %x", got, want)
		}
	})
	runtime.KeepAlive([]*Address{first, second}) // bytes keep no keys alive
}

// content returns the bytes of *p.
func content[T any](p *T) []byte {
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
}
