package check

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// hostileText returns up to most bytes that try to end a string, a line or a field.
func hostileText(chance *rand.Rand, most int) string {
	parts := []string{evil, "\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f", "\x80\x80", `"`, `""`, `\"`,
		`\`, `\u`, ",", ";", "'", "\r", "\n", "\r\n", "\x00", "\u2028", "\u0085", "\ufeff", "\ufffd",
		"{", "}]", ": ", "\t", "valid", "=1+1", "%s%d", "é", "世", " ", "\U0010ffff", "-", "0x"}
	if part := parts[chance.IntN(len(parts))]; most > 1000 || chance.IntN(20) == 0 {
		return strings.Repeat(part, most/len(part))
	}
	var b strings.Builder
	for range 1 + chance.IntN(12) {
		b.WriteString(parts[chance.IntN(len(parts))])
	}
	return b.String()
}

// hostileFile returns the content of a file with hostile texts as names and values. form selects a
// kind of table, from 0 to 2, or another format, from 3 to 7.
func hostileFile(chance *rand.Rand, form int) string {
	most := 1000
	if chance.IntN(50) == 0 {
		most = 300_000
	}
	text := func() string { return hostileText(chance, most) }
	// NAME stands for one text in the whole file, QUOTED and TEXT each for another text.
	template := []string{
		`note,h,k,s
TEXT,TEXT,02,00
"TEXT",00,,
QUOTED,QUOTED,QUOTED,QUOTED
`,
		`TEXT,h,k,s,TEXT
1,2,3,4,5
`,
		`{NAME:1,NAME:2}
{"h":QUOTED,"k":QUOTED,"s":QUOTED}
{NAME:1,TEXT
{"h":"TEXT"}
`,
		`{"id":QUOTED,"pubkey":1,"sig":2}
{"id":"00",NAME:1,NAME:1}
[NAME,{}]
["EVENT",{NAME:NAME}]
{"sig":"TEXT"}
[TEXT]
`,
		`{"height":1,"hash":QUOTED,"time":1,"tx":[{"txid":QUOTED,QUOTED:1}]}`,
		`{"transactions":[{"hash":QUOTED,"type":QUOTED,QUOTED:1,"input":"0x"},QUOTED]}`,
		`{"result":null,"error":{QUOTED:QUOTED}}`,
		"TEXT",
	}[form]
	quoted := func() string { return string(clitest.Must(json.Marshal(text()))) }
	template = strings.ReplaceAll(template, "NAME", quoted())
	return regexp.MustCompile("QUOTED|TEXT").ReplaceAllStringFunc(template, func(word string) string {
		if word == "TEXT" {
			return text()
		}
		return quoted()
	})
}

// strictJSON decodes text into v. It fails the test unless text is printable, and one JSON value
// without a repeated name and without a name that v lacks.
func strictJSON(t *testing.T, text string, v any) {
	t.Helper()
	printableLines(t, "JSON", text)
	d := jsontext.NewDecoder(strings.NewReader(text))
	_, err := d.ReadValue()
	if _, end := d.ReadToken(); err != nil || end != io.EOF {
		t.Fatalf("%v, %v in %.300q", err, end, text)
	}
	clitest.Decode(t, text, v)
}

// TestHostileReports checks files with hostile names and contents. Reports and verdicts in
// every format must be accepted by strict readers and agree with each other.
func TestHostileReports(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("on windows and darwin: file names are valid Unicode")
	}
	chance := rand.New(rand.NewPCG(5, 6))
	clean := strings.NewReplacer("/", "", "\x00", "")
	tables, others, out := t.TempDir(), t.TempDir(), t.TempDir()
	for i := range 10_000 / oneIn(10) {
		dir, form := tables, i/2%3
		if i%2 == 1 {
			dir, form = others, 3+i/2%5
		}
		name := fmt.Sprint(i) + clean.Replace(hostileText(chance, 200))
		write(t, filepath.Join(dir, name[:min(len(name), 200)]), []byte(hostileFile(chance, form)))
	}
	compareReports(t, out, tables, "--columns", commandtest.TableArgs[reading.ECDSA])
	compareReports(t, out, others)
}

// compareReports runs check on the folder in with every format of reports and verdicts.
func compareReports(t *testing.T, out, in string, args ...string) {
	verdicts := func(ending string, more ...string) (stdout, stderr, file string) {
		file = filepath.Join(out, "v"+ending)
		more = append(append(more, args...), "--max-failures", "10000", "--verdicts", file, in)
		_, stdout, stderr = invoke(t, "", append([]string{"check"}, more...)...)
		return stdout, stderr, file
	}
	stdout, stderr, file := verdicts(".jsonl", "--json")
	var r result
	strictJSON(t, stdout, &r)
	printableLines(t, "messages", stderr)
	if n := strings.Count(stderr, "\n"); n != len(r.Unreadable) || n+int(r.Files) < 500 {
		t.Errorf("%d messages, %d errors, %d files", n, len(r.Unreadable), r.Files)
	}
	texts := r.Unreadable
	var failed []failure
	list := 0
	for line := range strings.Lines(readFile(t, file)) {
		var v failure
		strictJSON(t, line, &v)
		list++
		if v.Verdict != "valid" {
			failed = append(failed, v)
		}
		texts = append(texts, v.Reason)
	}
	listed := min(len(failed), 10_000) // as --max-failures wants
	if int64(list) != r.Rows || list < 200 ||
		cli.JSONLine(failed[:listed]) != cli.JSONLine(r.Failures) ||
		r.Unlisted != int64(len(failed)-listed) {
		t.Errorf("%d verdicts, %d failed; %d rows, %d failures and %d more, or others", list, len(failed),
			r.Rows, len(r.Failures), r.Unlisted)
	}
	for _, text := range texts {
		if len(text) > 2000 {
			t.Errorf("a text of %d bytes: %.200q", len(text), text)
		}
	}

	stdout, _, file = verdicts(".csv")
	printableLines(t, "text", stdout)
	lines := strings.Count("\n"+stdout, "\n"+in)
	if want := len(r.Failures) + len(r.Inputs); lines != want {
		t.Errorf("%d lines begin with a file, want %d", lines, want)
	}
	data := readFile(t, file)
	printableLines(t, "CSV", data)
	records, err := csv.NewReader(strings.NewReader(data)).ReadAll()
	if err != nil || len(records) != list+1 {
		t.Errorf("CSV: %d records, want %d, %v", len(records), list+1, err)
	}
}

// TestMessageLines checks that a message begins a line even if it is written to the same file as a
// report that is longer than the report's buffer.
func TestMessageLines(t *testing.T) {
	file := write(t, "t.csv", []byte("h,k,s\n"+strings.Repeat("x,y,z\n", 500)))
	args := []string{"check", "--max-failures", "-1", "--state", file + ".state", "--columns",
		commandtest.TableArgs[reading.ECDSA], file}
	invoke(t, "", args...)
	var both bytes.Buffer
	program.RunTo(t.Context(), args, strings.NewReader(""), &both, &both)
	messages := strings.Count("\n"+both.String(), "\nkoblitz: ")
	if all := strings.Count(both.String(), "koblitz: "); messages != 1 || all != 1 {
		t.Errorf("%d messages, %d at the beginning of a line", all, messages)
	}
}
