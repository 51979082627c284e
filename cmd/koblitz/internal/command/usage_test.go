package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

func TestHelp(t *testing.T) {
	for _, args := range []string{"", "--help", "help", "help check", "help formats", "help checks",
		"help sources", "help report", "help limits", "help options", "formats",
		"check --help", "stream --help", "tweaks --help", "scan --help", "keygen --help",
		"pub --help", "sign --help", "verify --help", "recover --help", "ecdh --help", "info --help",
		"completion bash", "completion zsh", "completion fish", "completion powershell"} {
		stdout, stderr := expect(t, cli.ExitOK, nil, "", strings.Fields(args)...)
		if len(stdout) < 200 || stderr != "" {
			t.Errorf("%s: %d characters of help, and %q", args, len(stdout), stderr)
		}
		for line := range strings.Lines(stdout) {
			n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
			if n > 120 && !strings.Contains(args, "completion") {
				t.Errorf("%s: a line of %d characters: %s", args, n, line)
			}
		}
	}
}

// TestCheckHelp checks that the help of check fits on a screen of 40 lines and 80 columns, and that
// it says where the rest is documented. TestManual compares its flags.
func TestCheckHelp(t *testing.T) {
	stdout, _ := expect(t, cli.ExitOK, []string{"Exit status", "koblitz help options",
		"koblitz help formats"}, "", "check", "--help")
	if n := strings.Count(stdout, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	for line := range strings.Lines(stdout) {
		if n := utf8.RuneCountInString(line); n > 81 {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
	if again, _ := expect(t, cli.ExitOK, nil, "", "help", "check"); again != stdout {
		t.Error("'koblitz help check' prints other help")
	}
}

func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{"": "keygen", "check --format ": "packed-bip340",
		"stream --encoding ": "base64", "check --verdicts-only ": "failures",
		"sign --hash ": "keccak256"} {
		expect(t, cli.ExitOK, []string{want}, "", strings.Split("__complete "+args, " ")...)
	}
}

func TestUsage(t *testing.T) {
	key := write(t, "key", []byte(strings.Repeat("01", 32)))
	for _, test := range []struct {
		args string
		want string
	}{
		{"chekc", `unknown command "chekc" for "koblitz"`},
		{"check", "which files?"},
		{"check --nonsense x", "unknown flag: --nonsense"},
		{"check --sample x", "--sample and --node need no files"},
		{"check --sample --format nostr", "--format does not go with --sample"},
		{"check --sample --workers 0", "at least one"},
		{"check --sample --workers 1000000000", "at most 1024"},
		{"check --workers -1 x", "at least one"},
		{"check --workers many x", `invalid argument "many" for "-w, --workers" flag`},
		{"check --json --senders x", "--senders does not go with --json"},
		{"check --json --max-failures -1 x", "with --json from 0 to 10000; --verdicts FILE has all"},
		{"check --json --max-failures 10001 x", "from 0 to 10000; --verdicts FILE has all failures"},
		{"check --format csv x", `"csv" for "-f, --format" flag: known are auto, bitcoin, `},
		{"check --encoding hex x", "--encoding goes with --columns"},
		{"check --compression rar x", `"rar" for "--compression" flag: known are `},
		{"check --network dogecoin x", `unknown network "dogecoin"; known are mainnet, testnet3, ` +
			`testnet4, signet, regtest, simnet, sepolia, holesky, hoodi, or a chain id`},
		{"check --max-failures x y", `invalid argument "x" for "--max-failures" flag`},
		{"check --workers 99999999999999999999 y", "value out of range\n"},
		{"check --json=x y", `invalid argument "x" for "--json" flag`},
		{"check --workers d/abcdefghijklmnopqrstuvwxyz0123456789abcdefghi x",
			`invalid argument "…" for "-w, --workers" flag`},
		{"check --verdicts transactionsofethereum.txt x", `"transactionsofethereum.txt" ends in neither`},
		{"check --from 3 ../bitcoin/testdata/core/blk00000.dat",
			`there is none in "../bitcoin/testdata/core/blk00000.dat"`},
		{"check --device gpu x", `unknown device "gpu"`},
		{"check --device cuda: x", `unknown device "cuda:"`},
		{"check --device opencl:01 x", `unknown device "opencl:01"`},
		{"check --device opencl:0 --one-by-one x", "--one-by-one does not go with --device"},
		{"check --device opencl:999 x", "--device opencl:999: "},
		{"check --device-from 100 x", "--device-from goes with"},
		{"check --device auto --device-from -1 x", `"-1" for "--device-from" flag`},
		{"check --spent a x y", "--spent goes with one file"},
		{"check --spent - -", "once only"},
		{"check - -", "once only"},
		{"keygen", `required flag(s) "out" not set`},
		{"keygen x", `unexpected argument "x"`},
		{"pub", `required flag(s) "key"`},
		{"pub --key KEY --form long", `"long" for "--form" flag: known are compressed`},
		{"sign --key KEY", "which message?"},
		{"sign --key KEY 00 11", "one message"},
		{"sign --key KEY --text a 00", "given twice"},
		{"sign --key KEY --scheme rsa 00", `"rsa" for "-s, --scheme" flag: known are ecdsa`},
		{"sign --key KEY --scheme bip340 --form der 00", "one form only"},
		{"sign --key KEY hello", "not hexadecimal digits"},
		{"sign --key KEY 001", "odd number"},
		{"sign --key KEY --hash none 00", "ECDSA signs a hash"},
		{"sign --key - -", "once only"},
		{"sign 00", `required flag(s) "key"`},
		{"verify 00", `required flag(s) "pub", "sig"`},
		{"verify --pub zz --sig 00 00", "--pub: not hexadecimal"},
		{"verify --pub - --sig - 00", "once only"},
		{"verify --pub 00 --sig 00 --scheme bip340 --low-s 00", "for ECDSA only"},
		{"verify --pub 00 --sig 00 --scheme bip340 --form der 00", "one form only"},
		{"recover 00", `required flag(s) "sig"`},
		{"recover --sig 00 --scheme bip340 00", "unknown flag"},
		{"ecdh --key KEY", `required flag(s) "peer"`},
		{"ecdh --key - --peer -", "once only"},
		{"info x", "unexpected argument"},
		{"check --no-senders x", "unknown flag: --no-senders"},
	} {
		args := strings.Fields(strings.ReplaceAll(test.args, "KEY", key))
		stdout, stderr := expect(t, cli.ExitUsage, []string{test.want}, "", args...)
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
	for _, test := range []string{"pub KEY", "pub --key KEY", "pub --key=KEY", "pub -k KEY",
		"pub --secret KEY", "pub --private-key=KEY", "pub -xKEY", "sign --key 0xKEY 00",
		"sign --secret-key KEY 00", "sign KEY 00", "ecdh --seckey KEY --peer 00", "keygen KEY", "KEY"} {
		args := strings.Fields(strings.ReplaceAll(test, "KEY", secret))
		status, stdout, stderr := invoke(t, "", args...)
		if status != cli.ExitUsage || stdout != "" || strings.Contains(stderr, "c0ffee") ||
			!strings.Contains(stderr, "never goes on the command line") {
			t.Errorf("%v: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}

// secretTexts returns secrets in the formats in which people keep them, such as hexadecimal,
// base64, nsec, WIF, xprv, words and PEM. It also returns parts of a secret.
func secretTexts() []string {
	key := sha256.Sum256([]byte("secret"))
	digits := hex.EncodeToString(key[:])
	words := strings.Repeat("abandon ability able about above absent ", 2)
	return []string{digits, digits[:32], "0x" + strings.ToUpper(digits), digits[:63],
		base64.StdEncoding.EncodeToString(key[:]), base64.RawURLEncoding.EncodeToString(key[:]),
		"nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5",
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "S4b3N3oGqDqR5jNuxEvDwf",
		"xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNN" +
			"U3TGtRBeJgk33yuGBxrMPHi",
		strings.TrimSpace(words), strings.TrimSuffix(strings.Repeat("c0:ff:ee:", 11)[:96], ":"),
		strings.TrimSuffix(strings.Repeat("c0ffee00 ", 8), " "), words, "\n" + strings.ReplaceAll(words,
			" ", "\n"), "-----BEGIN EC PRIVATE KEY-----\nMHQCAQEE/Io4vRqkW5Vt+Kq8n/oAcGBSuBBAAK\n-----"}
}

// TestNoSecretRepeated checks that no subcommand repeats an argument on standard error that may be
// a secret: not as an argument, not as the value of any flag, and not as a flag.
func TestNoSecretRepeated(t *testing.T) {
	t.Chdir(t.TempDir())
	tries := 0
	try := func(secret string, args ...string) {
		tries++
		_, _, stderr := invoke(t, "", args...)
		files := clitest.Must(os.ReadDir("."))
		for _, f := range files { // a file of that name was written: then it is no secret
			os.RemoveAll(f.Name())
		}
		for _, at := range []int{0, len(secret) / 2, len(secret) - 9} {
			part := strconv.Quote(secret[at : at+9])
			if len(files) == 0 && strings.Contains(stderr, part[1:len(part)-1]) {
				t.Errorf("%q: %s", args, stderr)
				return
			}
		}
	}
	var visit func(path []string, cmd *cobra.Command)
	visit = func(path []string, cmd *cobra.Command) {
		for i, secret := range secretTexts() {
			with := func(args ...string) { try(secret, slices.Concat(path, args)...) }
			with("00", secret)
			with("--unknown", secret)
			for _, prefix := range []string{"", "@", "--", "-", "-x", "--unknown="} {
				with(prefix + secret)
			}
			flag := 0
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if flag++; !deep() && flag%4 != i%4 {
					return
				}
				with("--"+f.Name, secret)
				with("--"+f.Name+"="+secret, "00")
				if f.Shorthand != "" {
					with("-"+f.Shorthand+secret, "00")
				}
			})
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "info" || deep() { // takes long
				visit(append(slices.Clip(path), sub.Name()), sub)
			}
		}
	}
	visit(nil, cli.Program(program).Command(cli.Streams{In: strings.NewReader(""), Out: io.Discard,
		Err: io.Discard}))
	visit([]string{"help"}, &cobra.Command{})
	t.Logf("%d command lines", tries)
	for _, command := range []string{"sign", "keygen", "scan", "help", "verify"} {
		words := strings.Fields(secretTexts()[10])
		_, _, stderr := invoke(t, "", append([]string{command}, words...)...)
		if strings.Contains(stderr, words[1]) || strings.Count(stderr, words[0]) > 1 {
			t.Errorf("%s %v: %s", command, words, stderr)
		}
	}
}

// TestOutputFails checks that a run whose report cannot be written does not end with status 0.
func TestOutputFails(t *testing.T) {
	full := clitest.WriterFunc(func([]byte) (int, error) { return 0, errors.New("no space left") })
	for _, args := range []string{"check --sample", "info", "keygen -o -"} {
		var stderr bytes.Buffer
		if status := program.RunTo(t.Context(), strings.Fields(args), nil, full,
			&stderr); status != cli.ExitUnreadable || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: status %d, %s", args, status, stderr.String())
		}
	}
}

func TestVersion(t *testing.T) {
	if said, _ := expect(t, cli.ExitOK, []string{"koblitz "}, "", "--version"); strings.Count(said,
		"\n") != 1 {
		t.Errorf("%q", said)
	}
}
