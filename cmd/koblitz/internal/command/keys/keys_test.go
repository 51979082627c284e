package keys

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
)

var (
	program        = clitest.Program(Add)
	expect, invoke = program.Expect, program.Run
	write          = clitest.Write
)

// hexKey returns a file that holds n as a secret key in hex.
func hexKey(t testing.TB, n string) string {
	return write(t, "key", []byte(strings.Repeat("0", 64-len(n))+n+"\n"))
}

const (
	generator  = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	generatorY = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
	bip340Key3 = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
	bip340Sig0 = "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215" +
		"25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"
	satoshiSig = "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
		"2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"
)

func TestPub(t *testing.T) {
	key := hexKey(t, "1")
	raw := write(t, "raw", append(make([]byte, 31), 1))
	for _, test := range []struct{ args, stdin, want string }{
		{"--key " + key, "", generator},
		{"-k " + raw, "", generator},
		{"--key -", strings.Repeat("0", 63) + "1", generator},
		{"--key -", " \n" + strings.Repeat("0", 63) + "1\r\n", generator},
		{"--key - --form xonly", strings.Repeat("0", 63) + "1", generator[2:]},
		{"--key - --form uncompressed", strings.Repeat("0", 63) + "1", "04" + generator[2:] + generatorY},
	} {
		stdout, stderr := expect(t, cli.ExitOK, nil, test.stdin, append([]string{"pub"},
			strings.Fields(test.args)...)...)
		if stdout != test.want+"\n" || stderr != "" {
			t.Errorf("%s: %q, %q", test.args, stdout, stderr)
		}
	}
}

// TestBadKeys checks that an error gives the reason, but no part of the key file's contents.
func TestBadKeys(t *testing.T) {
	order := "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	for _, test := range []struct {
		stdin string
		want  string
	}{
		{"", "0 characters"},
		{"c0ffee", "6 characters"},
		{strings.Repeat("c0ffee", 11)[:64] + "00", "66 characters"},
		{strings.Repeat("c0ffeg", 11)[:64], "not all of them hexadecimal"},
		{strings.Repeat("0", 64), "zero"},
		{order, "below"},
		{strings.Repeat("c0ffee", 100), "too long"},
		{strings.Repeat("c0ffee", 6)[:32], "32 characters"}, // half a key is no key of 32 bytes
		{strings.Repeat("c0ffee", 6)[:31] + "\n", "31 characters"},
		{"c0ffee is no key, but 32 letters", "32 characters"},
	} {
		_, stderr := expect(t, cli.ExitInvalid, []string{test.want, "standard input"}, test.stdin, "pub",
			"--key", "-")
		if strings.Contains(stderr, "c0ffe") || strings.Contains(stderr, "baaedce") {
			t.Errorf("%s", stderr)
		}
	}
	expect(t, cli.ExitUnreadable, []string{"no such file"}, "", "pub", "--key",
		filepath.Join(t.TempDir(), "nobody"))
	expect(t, cli.ExitUnreadable, []string{"is a directory"}, "", "pub", "--key", t.TempDir())
	for _, key := range []string{strings.Repeat("c0ffee", 11)[:63],
		"nsec1" + strings.Repeat("q0ffee", 10), "5J" + strings.Repeat("c0ffee", 9)[:49],
		"xprv9" + strings.Repeat("c0ffee", 17)} {
		_, stderr := expect(t, cli.ExitUsage, []string{"the name of a file is wanted", cli.SecretAdvice},
			"", "pub", "--key", key)
		if strings.Contains(stderr, "0ffee") {
			t.Errorf("%s", stderr)
		}
	}
}

// TestKeyLengths checks that a key of any length but the right one is refused: digits, bytes and
// letters. No part of it is repeated.
func TestKeyLengths(t *testing.T) {
	digits := strings.Repeat("c0ffee11", 20)
	letters := strings.Repeat("koblitzy", 20)
	raw := strings.Repeat("\xc0ffee\x11k", 24)
	for n := range len(digits) {
		for _, text := range []string{digits[:n], digits[:n] + "\r\n", letters[:n], raw[:n]} {
			status, stdout, stderr := invoke(t, text, "pub", "--key", "-")
			right := strings.TrimSpace(text) == digits[:64] || text == raw[:32]
			if right != (status == cli.ExitOK) || !right && (status != cli.ExitInvalid || stdout != "") ||
				strings.Contains(stderr, "ffee") || strings.Contains(stderr, "koblitzy") {
				t.Errorf("%q: status %d, %s%s", text, status, stdout, stderr)
			}
		}
	}
}

// TestNoMistakenMessage checks that what is easily mistaken for a message is not signed.
func TestNoMistakenMessage(t *testing.T) {
	key := hexKey(t, "1")
	digits := strings.Repeat("c0ffee", 11)[:64]
	none := []string{"sign", "--key", key, "--hash", "none"}
	for _, text := range []string{digits, digits[:40], digits[:40] + "\n", "0x" + digits[:40],
		"AtA2S6Tq5Cv5wXtLwYVyXlXHdVYdS4GDdGYjlVOT4uc="} {
		expect(t, cli.ExitUsage, []string{"this one is text"}, "", append(none, "--text", text)...)
		expect(t, cli.ExitUsage, []string{"this one is text"}, text, append(none, "-")...)
	}
	expect(t, cli.ExitOK, []string{"32 bytes"}, "", append(none, digits)...)
	for _, scheme := range []string{"ecdsa", "bip340"} {
		sign := []string{"sign", "--key", key, "--scheme", scheme}
		expect(t, cli.ExitUsage, []string{"the message is empty"}, "", append(sign, "-")...)
		expect(t, cli.ExitUsage, []string{"the message is empty"}, "", append(sign, "")...)
		expect(t, cli.ExitOK, []string{"0 bytes"}, "", append(sign, "--text", "")...)
	}
	expect(t, cli.ExitUsage, []string{"the file of the secret key"}, "", "sign", "--key", key, "@"+key)
}

func TestKeyFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on windows: files have no such modes")
	}
	key := hexKey(t, "1")
	clitest.Must(0, os.Chmod(key, 0o644))
	expect(t, cli.ExitOK, []string{"warning", "0644", "chmod 600", generator}, "", "pub", "--key", key)
}

// TestSecretPower checks that a secret is durable once its public key is printed, and that a run in
// which power is lost prints none.
func TestSecretPower(t *testing.T) {
	whole := forgetful.New(-1)
	const name = "folder/key"
	keygen := func(disk durable.FS) (status int, out string) {
		var stdout, stderr bytes.Buffer
		status = program.RunOn(t.Context(), disk, []string{"keygen", "-o", name}, nil, &stdout, &stderr)
		return status, stdout.String()
	}
	keygen(whole)
	for n := range whole.Operations() + 1 {
		disk := forgetful.New(n)
		status, out := keygen(disk)
		data, err := disk.Restart(forgetful.Nothing, nil, -1).ReadFile(name)
		if printed := out != ""; printed != (status == cli.ExitOK) ||
			printed != (n == whole.Operations()) || printed && (err != nil || len(data) != 65) {
			t.Errorf("power lost in operation %d: status %d, %s%d bytes, %v", n, status, out, len(data), err)
		}
	}
}

func TestKeygen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.key")
	stdout, _ := expect(t, cli.ExitOK, []string{"secret key  " + path, "public key  0", "x-only key"},
		"", "keygen", "-o", path)
	clitest.WantMode(t, path)
	secret, err := os.ReadFile(path)
	if err != nil || len(secret) != 65 {
		t.Fatalf("%d bytes, %v", len(secret), err)
	}
	if strings.Contains(stdout, strings.TrimSpace(string(secret))) {
		t.Error("the secret was printed")
	}
	pub, _ := expect(t, cli.ExitOK, nil, "", "pub", "--key", path)
	if !strings.Contains(stdout, strings.TrimSpace(pub)) {
		t.Errorf("another public key: %s%s", stdout, pub)
	}

	expect(t, cli.ExitUsage, []string{"exists already"}, "", "keygen", "-o", path)
	if now, err := os.ReadFile(path); err != nil || string(now) != string(secret) {
		t.Error("the file has changed")
	}
	expect(t, cli.ExitUnreadable, []string{"no such file"}, "", "keygen", "-o",
		filepath.Join(path+"-dir", "x"))

	first, stderr := expect(t, cli.ExitOK, nil, "", "keygen", "-o", "-")
	second, _ := expect(t, cli.ExitOK, nil, "", "keygen", "-o", "-")
	if len(first) != 65 || first == second || stderr != "" {
		t.Errorf("%q", stderr)
	}
	expect(t, cli.ExitOK, nil, first, "pub", "--key", "-")
}

func TestSignVectors(t *testing.T) {
	one := hexKey(t, "1")
	message := write(t, "message", []byte("Satoshi Nakamoto"))
	der := "3045022100" + satoshiSig[:64] + "0220" + satoshiSig[64:]
	for _, test := range []struct{ args, stdin, want, said string }{
		{"--form compact -", "Satoshi Nakamoto", satoshiSig,
			"ECDSA over the SHA-256 of the message (16 bytes), compact form"},
		{"--form compact --hash sha256 @" + message, "", satoshiSig, "SHA-256"},
		{"--form compact 5361746f736869204e616b616d6f746f", "", satoshiSig, "16 bytes"},
		{"--form compact --hash none " +
			"a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e", "", satoshiSig,
			"the message itself, taken as the hash (32 bytes)"},
		{"-", "Satoshi Nakamoto", der, "der form"},
	} {
		stdout, stderr := expect(t, cli.ExitOK, []string{test.said}, test.stdin,
			strings.Fields("sign --key "+one+" "+test.args)...)
		if stdout != test.want+"\n" || !strings.HasPrefix(stderr, "koblitz: ") {
			t.Errorf("%s: %s, want %s; %q", test.args, stdout, test.want, stderr)
		}
	}
	const emptyKeccak = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
	sig, _ := expect(t, cli.ExitOK, nil, "", "sign", "--key", one, "--hash", "none", emptyKeccak)
	expect(t, cli.ExitOK, []string{"ECDSA over the Keccak-256 of the message (0 bytes), der form",
		sig}, "", "sign", "--key", one, "--hash", "keccak256", "--text", "")
	expect(t, cli.ExitOK, []string{"BIP-340 over the message itself, not hashed before (1 bytes), " +
		"compact form"}, "", "sign", "--key", one, "--scheme", "bip340", "00")
}

// TestRoundTrips checks that signatures of all kinds can be verified, and recovered from.
func TestRoundTrips(t *testing.T) {
	key := write(t, "key", []byte(strings.Repeat("17", 32)))
	pub, _ := expect(t, cli.ExitOK, nil, "", "pub", "--key", key)
	pub = strings.TrimSpace(pub)
	good, bad := strings.Repeat("a5", 32), strings.Repeat("a4", 32)
	for _, form := range []string{"bip340", "der", "compact", "recoverable"} {
		for _, hash := range []string{"", "--hash=sha256", "--hash=keccak256", "--hash=none"} {
			common := strings.Fields("--scheme bip340 " + hash)
			sign := []string{"sign", "--key", key}
			if form != "bip340" {
				common = strings.Fields(hash)
				sign = append(sign, "--form", form)
			}
			sig, _ := expect(t, cli.ExitOK, nil, "", slices.Concat(sign, common, []string{good})...)
			sig = strings.TrimSpace(sig)
			keys := []string{pub, "@" + write(t, "pub", []byte(pub+"\n"))}
			if form == "bip340" || pub[1] == '2' { // the x-only key means an even y
				keys = append(keys, pub[2:])
			}
			for _, p := range keys {
				verify := append([]string{"verify", "--pub", p, "--sig", sig}, common...)
				expect(t, cli.ExitOK, []string{"valid: "}, "", append(verify, good)...)
				expect(t, cli.ExitInvalid, []string{"invalid: "}, "", append(verify, bad)...)
			}
			if form == "recoverable" {
				expect(t, cli.ExitOK, []string{"the key of ECDSA over", pub + "\n"}, "",
					slices.Concat([]string{"recover", "--sig", sig}, common, []string{good})...)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	const high = "dbbd3162d46e9f9bef7feb87c16dc13b4f6568a87f4e83f728e2443ba586675c" // n-s
	other := satoshiSig[:64] + high
	der := "3045022100" + satoshiSig[:64] + "0220" + satoshiSig[64:]
	file := write(t, "sig", []byte(satoshiSig+"\n"))
	for _, test := range []struct {
		sig    string // and further flags
		status int
		want   string
	}{
		{satoshiSig, cli.ExitOK,
			"valid: ECDSA over the SHA-256 of the message (16 bytes), compact form"},
		{"0x" + satoshiSig, cli.ExitOK, "valid: "},
		{"@" + file, cli.ExitOK, "valid: "},
		{"-", cli.ExitOK, "valid: "},
		{der, cli.ExitOK, "der form"},
		{der + " --low-s", cli.ExitOK, "valid: "},
		{other, cli.ExitOK, "valid: "},
		{other + " --low-s", cli.ExitInvalid, "s is in the upper half"},
		{satoshiSig + " --form der", cli.ExitInvalid, "malformed: "},
		{der + " --form compact", cli.ExitInvalid, "malformed: "},
		{der + " --form recoverable", cli.ExitInvalid, "instead of 65"},
		{satoshiSig + "04 --form recoverable", cli.ExitInvalid, "v names another key"},
		{"00", cli.ExitInvalid, "malformed: "},
		{der + "01", cli.ExitInvalid, "01 looks like the hash type (sighash) of a Bitcoin script: strip"},
		{satoshiSig + "01 --scheme bip340", cli.ExitInvalid, "strip it"},
		{satoshiSig + " --scheme bip340", cli.ExitInvalid, "invalid: BIP-340"},
		{"00 --scheme bip340", cli.ExitInvalid, "1 bytes instead of 64"},
		{satoshiSig + " --pub 05" + generator[2:], cli.ExitInvalid, "--pub: public key: byte 0"},
		{satoshiSig + " --pub 0x" + generator, cli.ExitOK, "valid: "},
		{satoshiSig + " --pub @nobody", cli.ExitUnreadable, "nobody: no such file"},
	} {
		args := strings.Fields("verify --text= --pub " + generator + " --sig " + test.sig)
		args[1] += "Satoshi Nakamoto"
		expect(t, test.status, []string{test.want}, satoshiSig, args...)
	}
	expect(t, cli.ExitOK, []string{"valid: BIP-340"}, "", "verify", "--scheme", "bip340", "--pub",
		bip340Key3, "--sig", bip340Sig0, strings.Repeat("00", 32))
}

func TestRecover(t *testing.T) {
	key := hexKey(t, "1")
	sig, _ := expect(t, cli.ExitOK, nil, "", "sign", "--key", key, "--form", "recoverable", "--text",
		"Satoshi Nakamoto")
	sig = strings.TrimSpace(sig)
	v := sig[129] - '0'
	for _, test := range []struct {
		sig    string
		status int
		want   string
	}{
		{sig, cli.ExitOK, generator},
		{sig[:128] + map[byte]string{0: "1b", 1: "1c"}[v], cli.ExitOK, generator}, // v is 27 or 28
		{sig[:128] + "04", cli.ExitInvalid, "is 4 instead of 0 to 3"},
		{sig[:128] + "1f", cli.ExitInvalid, "is 31 instead of 0 to 3"},
		{sig[:128], cli.ExitInvalid, "64 bytes instead of 65"},
		{strings.Repeat("00", 65), cli.ExitInvalid, ""},
	} {
		expect(t, test.status, []string{test.want}, "", "recover", "--sig", test.sig, "--text",
			"Satoshi Nakamoto")
	}
	expect(t, cli.ExitUsage, []string{"known are compressed"}, "", "recover", "--sig", sig,
		"--form", "x", "00")
}

func TestECDH(t *testing.T) {
	a, b := hexKey(t, "2a"), hexKey(t, "17")
	pubA, _ := expect(t, cli.ExitOK, nil, "", "pub", "--key", a)
	pubB, _ := expect(t, cli.ExitOK, nil, "", "pub", "--key", b)
	pubA, pubB = strings.TrimSpace(pubA), strings.TrimSpace(pubB)
	seen := map[string]bool{}
	for form, what := range map[string]string{"sha256": "the SHA-256 of the compressed shared point",
		"x": "x coordinate of the shared point, not hashed"} {
		one, _ := expect(t, cli.ExitOK, []string{what}, "", "ecdh", "--key", a, "--peer", pubB, "--form",
			form)
		two, _ := expect(t, cli.ExitOK, []string{what}, "", "ecdh", "--key", b, "--peer", pubA, "--form",
			form)
		if one != two || len(one) != 65 || seen[one] {
			t.Errorf("%s: %s and %s", form, one, two)
		}
		seen[one] = true
		path := filepath.Join(t.TempDir(), "shared")
		stdout, _ := expect(t, cli.ExitOK, nil, "", "ecdh", "--key", a, "--peer", pubB, "--form", form,
			"-o", path)
		if got, err := os.ReadFile(path); err != nil || string(got) != one || stdout != "" {
			t.Errorf("%s: %q, %v", form, got, err)
		}
		expect(t, cli.ExitUsage, []string{"exists already"}, "", "ecdh", "--key", a, "--peer", pubB, "-o",
			path)
	}
	x1, _ := expect(t, cli.ExitOK, nil, "", "ecdh", "--key", a, "--peer", pubB[2:], "--form", "x")
	if !seen[x1] {
		t.Errorf("an x-only peer gives another x: %s", x1)
	}
	expect(t, cli.ExitInvalid, []string{"--peer: public key"}, "", "ecdh", "--key", a, "--peer", "05"+
		pubB[2:])
}
