package check

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
)

// evil is a text that would deceive a user if it were written to a terminal unescaped: it would
// erase the screen, set its title, imitate a summary, and reverse the direction of the rest of the
// line.
const evil = "\x1b[2J\x1b]0;title\a\x9b1A\r\n\nrows           1\nvalid          " +
	"1\r\x1b[K\b\x7f\u0085\u009b31m\u202e\u2066\u200b\u2028\ufeff\U000e0041\xff\xfe\t\x00 "

// inJSON holds evil as a JSON string in two forms: with escapes, and with the characters that JSON
// allows unescaped.
var inJSON = []string{
	`"\u001b[2J\u001b]0;title\u0007\u009b1A\r\n\nrows           1\nvalid          ` +
		`1\r\u001b[K\b\u007f\u0085\u202e\u2066\u200b\u2028\ufeff\udb40\udc41\ud800\t\u0000 "`,
	`"` + strings.NewReplacer("\x1b", "", "\a", "", "\r", "", "\n", "", "\b", "", "\t", "", "\x00",
		"").Replace(evil) + `"`,
}

var summaryLine = regexp.MustCompile(`^(rows|valid|invalid|malformed|engine-checked|not ` +
	`checkable|recovered|unsigned|passed over|time|rate) +[0-9.e+-]+( s|/s)?$`)

// evidenceLine matches a line of the summary that describes the checked files or this program.
var evidenceLine = regexp.MustCompile(`^(file|files|with|chain|run|uncovered) {5,12}\S`)

// checkText runs check on an input, with a text report and a JSON report. It fails the test if the
// outputs contain unprintable characters or lines that do not belong to the report.
func checkText(t *testing.T, what, stdin string, args ...string) {
	t.Helper()
	summary := 0 // number of lines that look like a part of the summary
	evidence := map[string]int{}
	for _, more := range [][]string{nil, {"--json"}} {
		all := append([]string{"check", "--workers", "1", "--max-failures", "10000"}, more...)
		_, stdout, stderr := invoke(t, stdin, append(all, args...)...)
		printableLines(t, what, stdout)
		printableLines(t, what, stderr)
		if more != nil {
			var r result
			if err := json.Unmarshal([]byte(stdout), &r); err != nil {
				t.Errorf("%s: %v in %s", what, err, stdout)
			}
			want := 3 // the lines rows, time and rate
			for i, n := range r.numbers() {
				if i > 0 && n != 0 {
					want++
				}
			}
			if summary != want && len(args) > 0 {
				t.Errorf("%s: %d lines look like a summary, want %d", what, summary, want)
			}
			continue
		}
		for line := range strings.Lines(stdout) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case summaryLine.MatchString(line):
				summary++
			case evidenceLine.MatchString(line):
				evidence[strings.Fields(line)[0]]++
			case summary > 0:
				t.Errorf("%s: %q in the summary", what, line)
			case !regexp.MustCompile(`^(block \d+: )?(tx|[^ ]*(stdin|\\n)|/)`).MatchString(line):
				t.Errorf("%s: a line that begins with no name: %q", what, line)
			}
		}
		if evidence["run"] != 1 || evidence["file"] > 1 || evidence["files"] > 1 ||
			evidence["chain"] > 1 {
			t.Errorf("%s: lines of evidence: %v", what, evidence)
		}
		for line := range strings.Lines(stderr) {
			if !strings.HasPrefix(line, "koblitz: ") {
				t.Errorf("%s: %q among the errors", what, line)
			}
		}
	}
}

func printableLines(t *testing.T, what, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%s: not UTF-8: %q", what, s)
	}
	for i, r := range s {
		if !strconv.IsPrint(r) && r != '\n' {
			t.Errorf("%s: %q in %.300q", what, r, s[max(0, i-100):])
			return
		}
	}
}

// TestEvilNames checks that file names with control characters are escaped in all outputs.
func TestEvilNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on windows: file names have no control characters")
	}
	name := strings.NewReplacer("/", "", "\x00", "").Replace(evil)
	dir := filepath.Join(t.TempDir(), name)
	file := dir + ".file"
	write(t, file, []byte("{}\n{broken\n"))
	rows := write(t, file+".rows", corruptRows(t))
	checkText(t, "a good file", "", file)
	checkText(t, "rows", "", "--format", "packed-bip340", rows)
	checkText(t, "rows of another width", "", "--format", "packed-ecdsa", rows)
	checkText(t, "no format", "", write(t, file+".text", []byte("text")))
	checkText(t, "a missing file", "", dir)
	checkText(t, "a folder", "", filepath.Dir(dir))
	checkText(t, "spent outputs", "", "--format", "bitcoin-block", "--spent", file, file)
	checkText(t, "missing spent outputs", "", "--format", "bitcoin-block", "--spent", dir, file)
	for _, args := range [][]string{
		{"check", "--format", evil, "x"}, {"check", "--network", evil, "x"}, {"check", "--compression",
			evil, "x"}, {evil}, {"check", "--" + evil}, {"check", "--workers", evil, "x"},
	} {
		status, stdout, stderr := invoke(t, "", args...)
		printableLines(t, args[0], stdout)
		printableLines(t, args[0], stderr)
		lines := strings.Split(stderr, "\n")
		if status == cli.ExitOK || !strings.HasPrefix(stderr, "koblitz: ") || status != cli.ExitUsage &&
			len(lines) > 2 || strings.Contains(stderr, "\nrows ") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
}

// formatArgs returns the arguments to check standard input in the given format.
func formatArgs(name string) []string {
	args := []string{"--format", name, "-"}
	switch flags.Format(name) {
	case flags.ColumnsECDSA:
		args = append(args, "--columns", "hash,key,signature")
	case flags.ColumnsBIP340:
		args = append(args, "--columns", "message,key,signature")
	case flags.ColumnsRecover:
		args = append(args, "--columns", "hash,signature")
	}
	return args
}

// FuzzReport checks that for any input the outputs consist of printable lines of the report.
func FuzzReport(f *testing.F) {
	for i := range flags.Formats {
		f.Add(uint8(i), []byte(evil))
	}
	for i, format := range flags.Formats {
		switch format.Name {
		case flags.BlockJSON:
			f.Add(uint8(i), []byte(`{"height":1,"time":1,"tx":[{"txid":`+inJSON[0]+`}]}`))
		case flags.EthereumJSON:
			f.Add(uint8(i), []byte(`{"transactions":[{"hash":`+inJSON[1]+`}]}`))
		case flags.Nostr:
			f.Add(uint8(i), []byte(`["EVENT",{"id":`+inJSON[0]+`}]`))
		case flags.ColumnsECDSA:
			f.Add(uint8(i), []byte(`{"hash":`+inJSON[0]+`,"key":"00","signature":`+inJSON[1]+`}`))
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		name := flags.Formats[int(n)%len(flags.Formats)].Name
		checkText(t, "fuzzed", string(data), formatArgs(string(name))...)
	})
}
