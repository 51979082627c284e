package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--help"}, {"help"}, {"help", "check"},
		{"check", "--help"}, {"stream", "--help"}, {"tweaks", "--help"}, {"scan", "--help"},
		{"help", "formats"}, {"help", "checks"},
		{"help", "sources"}, {"help", "report"}, {"help", "limits"}, {"help", "options"},
		{"formats"}, {"man"}, {"man", "check"}, {"man", "--help"},
		{"keygen", "--help"}, {"pub", "--help"}, {"sign", "--help"},
		{"verify", "--help"}, {"recover", "--help"}, {"ecdh", "--help"}, {"info", "--help"},
		{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"},
		{"completion", "powershell"},
	} {
		stdout, stderr := wantCLI(t, exitOK, nil, "", args...)
		if len(stdout) < 200 || stderr != "" {
			t.Errorf("%v: %d characters of help, and %q", args, len(stdout), stderr)
		}
		if _, flags, _ := strings.Cut(stdout, "\nFlags:\n"); strings.Contains(flags, "below") {
			t.Errorf("%v: the flags are the last of the help, and point below", args)
		}
		for _, line := range strings.Split(stdout, "\n") {
			if len([]rune(line)) > 120 && args[0] != "completion" && args[0] != "man" {
				t.Errorf("%v: a line of %d characters: %s", args, len([]rune(line)), line)
			}
		}
	}
	wantCLI(t, exitOK, []string{"koblitz "}, "", "--version")
	wantCLI(t, exitOK, []string{"sha256", "keccak256", "none", "BIP-340", "bip340"}, "", "sign",
		"--help")
	wantCLI(t, exitOK, []string{"nostr", "packed-ecdsa", "getblock"}, "", "help", "formats")
	wantCLI(t, exitOK, []string{"130, 2, 1, 3, 4", "engine-checked"}, "", "help", "report")
}

// TestCheckHelp checks that the help of check fits on a screen of 40 lines and 80 columns, and that
// it says where the rest is documented.
func TestCheckHelp(t *testing.T) {
	stdout, _ := wantCLI(t, exitOK, []string{"Exit status", "--format", "--columns", "--node",
		"--relay", "--json", "--senders", "--state", "koblitz help options", "koblitz help formats",
		"koblitz man check"}, "", "check", "--help")
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(lines) > 40 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if again, _ := wantCLI(t, exitOK, nil, "", "help", "check"); again != stdout {
		t.Error("'koblitz help check' prints other help")
	}
}

func TestCompletion(t *testing.T) {
	wantCLI(t, exitOK, []string{"check", "keygen", "recover"}, "", "__complete", "")
	wantCLI(t, exitOK, []string{"packed-bip340", "nostr"}, "", "__complete", "check", "--format", "")
	wantCLI(t, exitOK, []string{"hash=", "signature="}, "", "__complete", "check", "--columns", "")
	wantCLI(t, exitOK, []string{"base64"}, "", "__complete", "stream", "--encoding", "")
	wantCLI(t, exitOK, []string{"failures"}, "", "__complete", "check", "--verdicts-only", "")
	wantCLI(t, exitOK, []string{"keccak256"}, "", "__complete", "sign", "--hash", "")
	wantCLI(t, exitOK, []string{"auto", "all", "cpu"}, "", "__complete", "check", "--device", "")
}

func TestUsage(t *testing.T) {
	key := write(t, "key", []byte(strings.Repeat("01", 32)))
	for _, test := range []struct {
		args string
		want string
	}{
		{"chekc", "no command \"chekc\"; did you mean check?"},
		{"frobnicate", "no command \"frobnicate\"\n"},
		{"check", "which files?"},
		{"check --nonsense x", "unknown flag: --nonsense"},
		{"check --sample x", "--sample needs no files"},
		{"check --sample --format nostr", "--sample"},
		{"check --sample --workers 0", "at least one"},
		{"check --sample --workers 1000000000", "at most 1024"},
		{"check --workers -1 x", "at least one"},
		{"check --workers many x", "invalid argument"},
		{"check --max-failures -2 x", "-1 for all"},
		{"check --format csv x", `unknown format "csv"`},
		{"check --compression rar x", `unknown compression "rar"`},
		{"check --network dogecoin x", `unknown network "dogecoin"`},
		{"check --device gpu x", `unknown device "gpu"`},
		{"check --device cuda: x", `unknown device "cuda:"`},
		{"check --device opencl:01 x", `unknown device "opencl:01"`},
		{"check --device opencl:0 --one-by-one x", "--one-by-one is done by the CPU"},
		{"check --device auto --one-by-one x", "--one-by-one is done by the CPU"},
		{"check --device opencl:999 x", "--device opencl:999: "},
		{"check --device-from 100 x", "--device-from goes with"},
		{"check --device auto --device-from -1 x", "--device-from -1"},
		{"check --spent a x y", "--spent goes with one file"},
		{"check --spent a --format nostr x", "--spent goes with a serialized block"},
		{"check --spent - -", "cannot both"},
		{"check - -", "once only"},
		{"keygen", "where to?"},
		{"keygen x", "unexpected argument"},
		{"pub", "whose key?"},
		{"pub --key KEY --form long", `unknown form "long"`},
		{"sign --key KEY", "which message?"},
		{"sign --key KEY 00 11", "one message"},
		{"sign --key KEY --text a 00", "given twice"},
		{"sign --key KEY --scheme rsa 00", `unknown scheme "rsa"`},
		{"sign --key KEY --hash md5 00", `unknown hash "md5"`},
		{"sign --key KEY --form pem 00", `unknown form "pem"`},
		{"sign --key KEY --scheme bip340 --form der 00", "one form only"},
		{"sign --key KEY --aux 00 00", "--aux is for BIP-340"},
		{"sign --key KEY --scheme bip340 --aux 00 00", "1 bytes instead of 32"},
		{"sign --key KEY hello", "not hexadecimal digits"},
		{"sign --key KEY 001", "odd number"},
		{"sign --key KEY --hash none 00", "ECDSA signs a hash"},
		{"sign --key - -", "once only"},
		{"sign 00", "whose key?"},
		{"verify --sig 00 00", "whose signature?"},
		{"verify --pub 00 00", "which signature?"},
		{"verify --pub zz --sig 00 00", "--pub: not hexadecimal"},
		{"verify --pub - --sig - 00", "once only"},
		{"verify --pub 00 --sig 00 --form pem 00", `unknown form "pem"`},
		{"verify --pub 00 --sig 00 --scheme bip340 --low-s 00", "for ECDSA only"},
		{"verify --pub 00 --sig 00 --scheme bip340 --form der 00", "one form only"},
		{"recover 00", "which signature?"},
		{"recover --sig 00 --scheme bip340 00", "unknown flag"},
		{"ecdh --key KEY", "with whom?"},
		{"ecdh --key KEY --peer 00 --form y", `unknown form "y"`},
		{"ecdh --key - --peer -", "once only"},
		{"info x", "unexpected argument"},
		{"man frobnicate", `no command "frobnicate"`},
		{"man formats", `no command "formats"`},
		{"man check x", `unexpected argument "x"`},
		{"check --no-senders x", "unknown flag: --no-senders"},
	} {
		args := strings.Fields(strings.ReplaceAll(test.args, "KEY", key))
		stdout, stderr := wantCLI(t, exitUsage, []string{test.want}, "", args...)
		if stdout != "" || !strings.HasPrefix(stderr, "koblitz: ") || !strings.Contains(stderr,
			"--help'.") {
			t.Errorf("%s: stdout %q, stderr %q", test.args, stdout, stderr)
		}
	}
}

// TestSecretArgument checks that a secret key cannot be given on the command line. The error must
// tell the user why, without repeating the key.
func TestSecretArgument(t *testing.T) {
	const secret = "c0ffee0000000000000000000000000000000000000000000000000000c0ffee"
	for _, args := range [][]string{
		{"pub", secret},
		{"pub", "--key", secret},
		{"pub", "--key=" + secret},
		{"pub", "-k", secret},
		{"pub", "--secret", secret},
		{"pub", "--private-key=" + secret},
		{"pub", "-x" + secret},
		{"sign", "--key", "0x" + secret, "00"},
		{"sign", "--secret-key", secret, "00"},
		{"sign", secret, "00"},
		{"sign", "00", secret},
		{"ecdh", "--seckey", secret, "--peer", "00"},
		{"keygen", secret},
		{secret},
	} {
		status, stdout, stderr := cli(t, "", args...)
		if status != exitUsage || stdout != "" || strings.Contains(stderr, "c0ffee") ||
			!strings.Contains(stderr, "never goes on the command line") {
			t.Errorf("%v: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}

// A fullWriter is a writer that fails as if its disk were full.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestOutputFails checks that a run whose report cannot be written does not end with status 0.
func TestOutputFails(t *testing.T) {
	for _, args := range [][]string{{"check", "--sample"}, {"info"}, {"info", "--json"},
		{"keygen", "-o", "-"}} {
		var stderr bytes.Buffer
		if status := run(t.Context(), args, strings.NewReader(""), fullWriter{},
			&stderr); status != exitUnreadable || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: status %d, %s", args, status, stderr.String())
		}
	}
}

func TestInfo(t *testing.T) {
	wantCLI(t, exitOK, []string{"portable", "platform", "features"}, "", "info")
	wantCLI(t, exitOK, []string{`"portable"`, `"go": "go1.`}, "", "info", "--json")
}
