package command

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

var manualDir = flag.String("manual", "", "write the manual and the completions to this `folder`")

// manual returns the manual pages of all commands and the completions of all shells, keyed by file
// name.
func manual(t *testing.T) map[string][]byte {
	t.Helper()
	root := cli.Program(program).Command(cli.Streams{In: strings.NewReader(""), Out: io.Discard,
		Err: io.Discard, Screen: io.Discard})
	pages := map[string][]byte{pageName(root) + ".1": manualPage(root)}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			pages[pageName(c)+".1"] = manualPage(c)
		}
	}
	for shell, write := range map[string]func(io.Writer) error{
		"koblitz.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"koblitz.zsh":  root.GenZshCompletion,
		"koblitz.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"koblitz.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		pages[shell] = b.Bytes()
	}
	return pages
}

// TestManual checks that the manual pages mention every command, flag and help topic. With -manual
// it writes the pages and completions to a folder, from which releases take them.
func TestManual(t *testing.T) {
	pages := manual(t)
	root := cli.Program(program).Command(cli.Streams{})
	var topics []string
	for _, cmd := range append(root.Commands(), root) {
		if cmd.IsAdditionalHelpTopicCommand() {
			topics = append(topics, cmd.Name())
			continue
		}
		page := string(pages[pageName(cmd)+".1"])
		words := []string{".SH \"NAME\"", ".SH \"SYNOPSIS\"", cmd.Short}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { words = append(words, "--"+f.Name) })
		if cmd == root {
			words = []string{".SH \"SEE ALSO\""}
			for _, c := range root.Commands() {
				if c.IsAvailableCommand() {
					words = append(words, "koblitz-"+c.Name()+"(1)")
				}
			}
		}
		for _, w := range words {
			if !strings.Contains(page, roff.Replace(w)) {
				t.Errorf("%s: no %q in its page of %d bytes", cmd.CommandPath(), w, len(page))
			}
		}
		args := []string{"man", cmd.Name()}
		if cmd == root {
			args = args[:1]
		}
		if stdout, _ := expect(t, cli.ExitOK, nil, "", args...); cmd != root && stdout != page {
			t.Errorf("%v prints another page than releases have", args)
		}
	}
	if want := []string{"checks", "formats", "limits", "options", "report", "sources"}; !slices.Equal(
		topics, want) {
		t.Errorf("the topics of help are %v, want %v", topics, want)
	}
	page := string(pages["koblitz-check.1"])
	for _, topic := range topics {
		stdout, _ := expect(t, cli.ExitOK, nil, "", "help", topic)
		for line := range strings.Lines(stdout) {
			line = strings.TrimSpace(line)
			if topic != "options" && !strings.Contains(page, strings.TrimSuffix(roff.Replace(line),
				":")) {
				t.Errorf("the page of check has no %q of 'koblitz help %s'", line, topic)
			}
		}
	}
	check, _, err := root.Find([]string{"check"})
	if err != nil {
		t.Fatal(err)
	}
	checkHelp, _ := expect(t, cli.ExitOK, nil, "", "help", "check")
	options, _ := expect(t, cli.ExitOK, nil, "", "help", "options")
	check.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !strings.Contains(options, "--"+f.Name+" ") {
			t.Errorf("--%s is not in 'koblitz help options'", f.Name)
		}
	})
	for _, name := range regexp.MustCompile(`--([a-z0-9-]+)`).FindAllStringSubmatch(checkHelp, -1) {
		if check.Flags().Lookup(name[1]) == nil {
			t.Errorf("the help of check has --%s, which is no flag", name[1])
		}
	}
	for _, words := range []string{"Exit status", "packed-bip340", "the number of CPUs",
		"koblitz check --sample"} {
		if !strings.Contains(page, roff.Replace(words)) {
			t.Errorf("no %q in the page of check", words)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "ps1"} {
		if !bytes.Contains(pages["koblitz."+shell], []byte("__complete")) {
			t.Errorf("the completion for %s does not ask the command", shell)
		}
	}
	if *manualDir == "" {
		return
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(*manualDir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRoff checks that help text passes through roff unchanged, whatever characters it contains.
func TestRoff(t *testing.T) {
	var p page
	p.text("Two -lines\n.of text\n\nA heading:\n  .a  'row'\n    \\b `c`\nBehind it.\n" +
		"No heading:\nhere")
	const want = `.PP
Two \-lines
\&.of text
.SS "A heading"
.nf
  .a  \(aqrow\(aq
    \eb \` + "`c\\`" + `
.fi
.PP
Behind it.
No heading:
here
`
	if p.String() != want {
		t.Errorf("the page is\n%s\nwant\n%s", p.String(), want)
	}
	var q page
	q.macro("SH", `a "b" -c`)
	if q.String() != ".SH \"a \\(dqb\\(dq \\-c\"\n" {
		t.Errorf("the macro is %s", q.String())
	}
}
