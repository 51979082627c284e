package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A piece is a part of an input, with the text that --keep must write for it.
type piece struct{ text, kept string }

// line returns a piece that consists of one line. If good is set, --keep must write the line
// unchanged; otherwise it must write nothing.
func line(text string, good bool) piece {
	if good {
		return piece{text + "\n", text + "\n"}
	}
	return piece{text + "\n", ""}
}

// A keepCase is an input format, with pieces from which the test makes inputs in that format.
type keepCase struct {
	name   string
	args   []string
	head   string // beginning of the input and of the file that --keep writes
	pieces []piece
}

// nostrPieces returns events in every form that check accepts, and lines that are not valid events.
func nostrPieces(t *testing.T) (list []piece) {
	t.Helper()
	var good []string
	for n := range byte(6) {
		good = append(good, commandtest.SignedEvent(t, n+1, fmt.Sprintf(`note %d \"\\ü`, n)))
	}
	forged := strings.Replace(good[2], "note", "nute", 1)
	good = append(good,
		strings.Replace(good[0], `{"id"`, `{ "seen" : { "on" : [1, 2] }, "id"`, 1),
		strings.Replace(good[0], `{"id"`, `{"quoted":`+forged+`,"id"`, 1),
		strings.ReplaceAll(good[1], `,"`, ` ,	"`))
	bad := []string{
		forged,
		good[3][:len(good[3])-130] + strings.Repeat("0", 128) + `"}`,
		`{"sig":1}`, `[]`, `{`, "\xff",
	}
	for _, e := range bad {
		list = append(list, line(e, false))
	}
	for i, e := range good {
		next := good[(i+1)%len(good)]
		list = append(list,
			line(e, true),
			piece{" \t" + e + " \r\n", e + "\n"},
			piece{"\n" + `["EVENT", ` + e + " ]\n", e + "\n"},
			piece{`["EVENT","x",` + e + "]\n", e + "\n"},
			piece{`["AUTH",` + e + "]\n", e + "\n"},
			piece{`[` + e + `, ` + bad[0] + `,` + next + "]\n", e + "\n" + next + "\n"},
			piece{`["x",{"y":[` + e + "]}]\n", ""},
			piece{`["EVENT",` + e + "] x\n", ""})
	}
	return append(list, piece{"\n \n", ""}, line(`["EOSE","x"]`, false), line(`["NOTICE","x"]`, false))
}

// documentPieces returns events of several lines, which --keep must write without white space.
func documentPieces(t *testing.T) (list []piece) {
	t.Helper()
	for n := range byte(8) {
		e := commandtest.SignedEvent(t, n+1, fmt.Sprintf("note %d, with  space", n))
		if n%3 == 2 {
			e = strings.Replace(e, "note", "nute", 1)
		}
		var b bytes.Buffer
		clitest.Must(0, json.Indent(&b, []byte(e), "", "  "))
		kept := ""
		if n%3 != 2 {
			kept = e + "\n"
		}
		list = append(list, piece{b.String() + "\n", kept}, piece{"[\n\"EVENT\",\n" + b.String() + "]\n",
			kept})
	}
	return list
}

// packedPieces returns packed rows, some of them invalid.
func packedPieces(t *testing.T, row func(testing.TB, byte) []byte) (list []piece) {
	for n := range byte(9) {
		b := row(t, n+1)
		kept := string(b)
		if n%3 == 1 {
			b[int(n)*11] ^= 1
			kept = ""
		}
		list = append(list, piece{string(b), kept})
	}
	return list
}

// tablePieces returns lines of a table in CSV or JSONL.
func tablePieces(t *testing.T, scheme reading.Scheme, jsonl bool) (list []piece) {
	t.Helper()
	table := columnstest.Signed(t, scheme, 12)
	for i := range 12 {
		good := i%4 != 3
		if !good {
			table[3].Values[i][40] ^= 1
		}
		h, k, s := table[1].Values[i], table[2].Values[i], table[3].Values[i]
		if jsonl {
			list = append(list, line(fmt.Sprintf(`{"n":{"x":[%d, "\n"]},"h":"%x","%s":"%x" , "s":"%x"}`, i,
				h, table[2].Name, k, s), good))
			continue
		}
		note := []string{"plain", "", `"with "" and , in it"`}[i%3]
		list = append(list, line(fmt.Sprintf("%s,%x,%x,%x", note, h, k, s), good),
			piece{"\r\n\n" + fmt.Sprintf("%s,%x,%x,0x%x\r\n", note, h, k, s), ""})
		if good {
			p := &list[len(list)-1]
			p.kept = strings.TrimPrefix(p.text, "\r\n\n")
		}
	}
	if jsonl {
		return append(list, piece{"\n \r\n", ""}, line(`{"h":1}`, false), line("x", false),
			line(`{"h":"00"} {}`, false))
	}
	return append(list, line("a,b", false), line(`x"y,1,2,3`, false), line(`"x"y,1,2,3`, false),
		line(`"x,1,2,3`, false))
}

func keepCases(t *testing.T) []keepCase {
	cases := []keepCase{
		{"nostr", nil, "", nostrPieces(t)},
		{"nostr by name", []string{"--format", "nostr"}, "", nostrPieces(t)},
		{"documents", nil, "", documentPieces(t)},
		{"packed-bip340", []string{"--format", "packed-bip340"}, "",
			packedPieces(t, commandtest.BIP340Row)},
		{"packed-ecdsa", []string{"--format", "packed-ecdsa"}, "",
			packedPieces(t, commandtest.ECDSARow)},
	}
	for scheme, columns := range commandtest.TableArgs {
		args := []string{"--columns", columns}
		header := "note,h,k,s\n"
		if scheme == reading.Recover {
			header = "note,h,a,s\n"
		}
		cases = append(cases,
			keepCase{"csv of " + columns, args, header, tablePieces(t, scheme, false)},
			keepCase{"csv with a mark of " + columns, args, "\xef\xbb\xbf" + strings.Replace(header, "\n",
				"\r\n", 1), tablePieces(t, scheme, false)},
			keepCase{"jsonl of " + columns, args, "", tablePieces(t, scheme, true)})
	}
	return cases
}

// mix returns an input that is made of n of the pieces in c, and the text that --keep must write
// for it. The first piece of c stays first so that the format is detected. The others are chosen at
// random.
func (c *keepCase) mix(n int) (text, kept string) {
	var in, out strings.Builder
	in.WriteString(c.head)
	out.WriteString(c.head)
	for i := range n {
		p := c.pieces[0]
		if i > 0 {
			p = c.pieces[rand.IntN(len(c.pieces))]
		}
		in.WriteString(p.text)
		out.WriteString(p.kept)
	}
	return in.String(), out.String()
}

// TestKeep checks inputs that mix valid and invalid rows, in every format. The file must hold the
// valid rows byte for byte, and another check must find all of them valid.
func TestKeep(t *testing.T) {
	for n, c := range keepCases(t) {
		for i, how := range [][]string{{"-w", "1"}, {"-w", "4", "--compression", "gzip"},
			{"--one-by-one"}, {"--verdicts", "VERDICTS", "--verdicts-only", "failures"}} {
			if (n+i)%oneIn(4) != 0 {
				continue
			}
			t.Run(fmt.Sprint(c.name, how), func(t *testing.T) {
				dir := t.TempDir()
				for k := range how {
					if how[k] == "VERDICTS" {
						how[k] = filepath.Join(dir, "v.csv")
					}
				}
				text, want := c.mix([]int{40, 3000, 300, 700}[i])
				out := filepath.Join(dir, "out")
				stdin, file := "", "-"
				switch i {
				case 0:
					stdin = text
				case 1:
					file = write(t, filepath.Join(dir, "in.gz"), commandtest.Gzipped(t, []byte(text)))
				default:
					file = write(t, filepath.Join(dir, "in"), []byte(text))
				}
				plain := checkJSON(t, stdin, append(append(how, c.args...), file)...)
				r := checkJSON(t, stdin, append(append(how, c.args...), "--keep", out, file)...)
				if r.numbers() != plain.numbers() || r.Exit != plain.Exit || len(r.Unreadable) > 0 {
					t.Fatalf("with --keep %+v, without %+v", r, plain)
				}
				if got := readFile(t, out); got != want {
					at := 0
					for at < min(len(got), len(want)) && got[at] == want[at] {
						at++
					}
					t.Fatalf("%d bytes, want %d; from byte %d on %.300q, want %.300q", len(got), len(want), at,
						got[at:], want[at:])
				}
				if r.Kept == nil || *r.Kept != r.Valid {
					t.Fatalf("%+v", r)
				}
				again := checkJSON(t, "", append(c.args, out)...)
				if again.Exit != cli.ExitOK || again.Rows != *r.Kept || again.Valid != *r.Kept {
					t.Fatalf("%d rows were kept, and checked again: %+v", *r.Kept, again)
				}
			})
		}
	}
}

// splitElsewhere returns text with "\n" in place of every other character at which some program
// ends a line.
func splitElsewhere(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029\x00", r) {
			return '\n'
		}
		return r
	}, text)
}

// TestKeepHidden checks lines of JSON with a forged row hidden in them, after each character that
// may divide lines or fields. A program that divides lines elsewhere must not find the forged row
// in an input that is valid, nor in the file of --keep. Another check must find this file valid and
// write the same file. The tests of package columns hide rows in CSV.
func TestKeepHidden(t *testing.T) {
	hides := []string{"", "\u0085", "\u2028", "\u2029", "\ufeff", "\u200b", "\xff", "\x85", "\r\n",
		"\r\r", "\r\r\n", "\n\r", `""`, "\"\n", "\"\r", `"",`, "\"\n\"", "\r\"", `\"`, "\\\n",
		"PAR1", "{"}
	for r := range rune(0x80) {
		if r <= ' ' || strings.ContainsRune("\"'\\,;\x7f", r) {
			hides = append(hides, string(r))
		}
	}
	table := columnstest.AsText(columnstest.Signed(t, reading.ECDSA, 1), columnstest.Forms["hex"])
	row := fmt.Sprintf(`{"h":"%s","k":"%s","s":"%s"}`, table[1].Values[0], table[2].Values[0],
		table[3].Values[0])
	dir := t.TempDir()
	first, second := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	tried, kept, found := 0, 0, 0
	for good, args := range map[string][]string{commandtest.SignedEvent(t, 1, "x"): {"-q"},
		row: {"-q", "--columns", commandtest.TableArgs[reading.ECDSA]}} {
		forged := strings.Repeat("0", 128) + `"}`
		bad := good[:len(good)-len(forged)] + forged
		finds := func(text string) bool {
			for line := range strings.Lines(splitElsewhere(text)) {
				if json.Valid([]byte(line)) && strings.HasSuffix(strings.TrimSpace(line), forged) {
					return true
				}
			}
			return false
		}
		for _, hide := range hides {
			for _, line := range []string{
				`{"x":[` + hide + bad + hide + `],` + good[1:], `{"x":"` + hide + bad + `",` + good[1:],
				`{"x":"` + hide + `",` + good[1:], good + hide + bad, bad + hide + good,
				hide + good, good + hide, "{" + hide + good[1:],
			} {
				if tried++; tried%oneIn(4) != 0 {
					continue
				}
				text := good + "\n" + line + "\n" + good + "\n"
				os.Remove(first)
				status, _, _ := invoke(t, text, append([]string{"check", "--keep", first, "-"}, args...)...)
				if finds(text) {
					found++
					if status == cli.ExitOK {
						t.Errorf("%q: valid, with a row that other programs find", line)
					}
				}
				out, err := os.ReadFile(first)
				if err != nil || len(out) == 0 {
					continue
				}
				kept++
				if finds(string(out)) {
					t.Errorf("%q: a hidden row is kept", line)
				}
				status, _, _ = invoke(t, "", append([]string{"check", "--keep", second, first}, args...)...)
				if status != cli.ExitOK || readFile(t, second) != string(out) {
					t.Errorf("%q: kept\n%q\nand then %q, status %d", line, out, readFile(t, second), status)
				}
			}
		}
	}
	t.Logf("%d texts, %d with valid rows, %d with a row that other programs find", tried, kept, found)
	if found == 0 || kept == 0 {
		t.Error("too few")
	}
}

// TestKeepNothing checks inputs without a valid row. The file must be empty except for a CSV
// header, and the run must say so. If nothing was checked, no file may be written.
func TestKeepNothing(t *testing.T) {
	for _, c := range keepCases(t) {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		c.pieces = slices.DeleteFunc(c.pieces, func(p piece) bool { return p.kept != "" })
		text, _ := c.mix(20)
		file := write(t, filepath.Join(dir, "in"), []byte(text))
		expect(t, cli.ExitInvalid, []string{"no row is valid", "kept           0\n"}, "",
			append(append([]string{"check", "--keep", out}, c.args...), file)...)
		if got := readFile(t, out); got != c.head {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	dir := t.TempDir()
	old := write(t, filepath.Join(dir, "old"), []byte("old"))
	expect(t, cli.ExitUnreadable, []string{"old is not written"}, "", "check", "--keep", old,
		write(t, "empty", nil), filepath.Join(dir, "nobody"))
	if readFile(t, old) != "old" {
		t.Errorf("%q is left", readFile(t, old))
	}
}

// TestKeepFiles checks that the valid rows of several files are written to one file. The last line
// of an input may lack a line end.
func TestKeepFiles(t *testing.T) {
	a, b := commandtest.SignedEvent(t, 1, "a"), commandtest.SignedEvent(t, 2, "b")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	in := filepath.Join(dir, "in")
	clitest.Must(0, os.Mkdir(in, 0o700))
	write(t, filepath.Join(in, "1"), []byte(a))
	write(t, filepath.Join(in, "2.gz"), commandtest.Gzipped(t, []byte(b+"\n"+a)))
	expect(t, cli.ExitOK, []string{"kept           3\n"}, "", "check", "--keep", out, in)
	if got := readFile(t, out); got != a+"\n"+b+"\n"+a+"\n" {
		t.Errorf("%q", got)
	}

	header, row := "note,h,k,s", strings.TrimSuffix(tablePieces(t, reading.ECDSA, false)[0].text, "\n")
	columns := []string{"check", "--keep", out, "--columns", commandtest.TableArgs[reading.ECDSA]}
	one := write(t, filepath.Join(dir, "1.csv"), []byte(header+"\n"+row))
	other := write(t, filepath.Join(dir, "2.csv"), []byte("\r\n\n"+header+"\n"+row))
	expect(t, cli.ExitOK, []string{"kept           2\n"}, "", append(columns, one, other)...)
	want := header + "\n" + row + "\n" + row + "\n"
	if got := readFile(t, out); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	wider := write(t, filepath.Join(dir, "3.csv"), []byte(header+",x\n"+row+",y\n"))
	jsonl := write(t, filepath.Join(dir, "4.jsonl"), []byte(tablePieces(t, reading.ECDSA,
		true)[0].text))
	parquet := write(t, filepath.Join(dir, "5.parquet"), parquettest.Write(t,
		columnstest.Signed(t, reading.ECDSA, 3), parquettest.Layout{}))
	for file, words := range map[string]string{wider: "does not begin as " + one + " does",
		jsonl: "does not begin as " + one + " does", parquet: "--keep does not go with Parquet"} {
		verdicts := write(t, filepath.Join(dir, "v.jsonl"), []byte("old"))
		expect(t, cli.ExitUsage, []string{words, "out is not written", "v.jsonl is not written"}, "",
			append(columns, "--verdicts", verdicts, one, file)...)
		if got := readFile(t, out); got != want || readFile(t, verdicts) != "old" {
			t.Errorf("%s: %q, want %q; %q", file, got, want, readFile(t, verdicts))
		}
	}
}

// TestKeepRefused checks that --keep refuses unsupported inputs and flags, and changes no file.
func TestKeepRefused(t *testing.T) {
	dir := t.TempDir()
	in := write(t, filepath.Join(dir, "in.jsonl"), []byte(commandtest.SignedEvent(t, 1, "a")+"\n"))
	clitest.Must(0, os.Link(in, filepath.Join(dir, "link")))
	rel := clitest.Must(filepath.Rel(clitest.Must(os.Getwd()), dir))
	block, _ := sampleFiles(t)
	for _, c := range []struct {
		args string
		want string
	}{
		{"--keep DIR/in.jsonl DIR/in.jsonl", "the file is read too"},
		{"--keep DIR/link DIR", "the file is read too"},
		{"--keep DIR DIR/in.jsonl", "is not a file"},
		{"--keep - DIR/in.jsonl", "--keep needs the name of a file"},
		{"--keep DIR/x --state DIR/s DIR/in.jsonl", "--keep does not go with --state"},
		{"--keep DIR/x.csv --verdicts DIR/./x.csv DIR/in.jsonl", "--keep and --verdicts name the same"},
		{"--keep REL/x.csv --verdicts DIR/x.csv DIR/in.jsonl", "--keep and --verdicts name the same"},
		{"--keep DIR/x --sample", "--keep does not go with --sample"},
		{"--keep DIR/x --node http://127.0.0.1:1", "--keep does not go with --node"},
		{"--keep DIR/x --format ethereum DIR/in.jsonl", "a row is a part of a transaction"},
		{"--keep DIR/x --format bitcoin-core DIR", "a row is a part of a transaction"},
		{"--keep DIR/x BLOCK", "--keep does not go with bitcoin-block: "},
		{"--keep DIR/x DIR/in.jsonl BLOCK DIR/in.jsonl", "--keep does not go with bitcoin-block: "},
		{"--keep DIR/x --columns hash,signature DIR/in.jsonl", "rows are recovered at best"},
	} {
		args := strings.Fields(strings.NewReplacer("DIR", dir, "REL", rel, "BLOCK",
			block).Replace(c.args))
		expect(t, cli.ExitUsage, []string{c.want}, "", append([]string{"check"}, args...)...)
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 2 || readFile(t, in) != commandtest.SignedEvent(t, 1, "a")+"\n" {
			t.Fatalf("%s: %v is left: %q", c.args, left, readFile(t, in))
		}
	}
	expect(t, cli.ExitUnreadable, []string{"--keep: "}, "", "check", "--keep", filepath.Join(dir, "no",
		"x"), "--verdicts", filepath.Join(dir, "v.csv"), in)
	if left := clitest.Must(os.ReadDir(dir)); len(left) != 2 {
		t.Errorf("%v is left", left)
	}
	// The test passes the file as standard input, as the shell does in a redirection.
	f, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := clitest.Command("check", "--keep", in, "-")
	cmd.Stdin = f
	if text, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != cli.ExitUsage ||
		!strings.Contains(string(text), "the file is read too") {
		t.Errorf("%v: %s", cmd.ProcessState, text)
	}
}

// TestInterrupted checks that a run interrupted after some rows replaces no file.
func TestInterrupted(t *testing.T) {
	event := commandtest.SignedEvent(t, 1, "a")
	events := event + "\n" + strings.Replace(event, `"a"`, `"b"`, 1) + "\n"
	for _, flag := range []string{"--keep", "--verdicts"} {
		dir := t.TempDir()
		old := write(t, filepath.Join(dir, "old.csv"), []byte("old"))
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		go io.WriteString(out, events)
		report := clitest.WriterFunc(func(b []byte) (int, error) {
			cancel() // the second row is in the report
			return len(b), nil
		})
		status := program.RunTo(ctx, []string{"check", flag, old, "-"}, in, report, io.Discard)
		in.Close()
		left, _ := os.ReadDir(dir)
		if status != cli.ExitInterrupted || readFile(t, old) != "old" || len(left) != 1 {
			t.Errorf("%s: status %d, %q, %d files", flag, status, readFile(t, old), len(left))
		}
	}
}
