package command

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

var manualDir = flag.String("manual", "", "write the manual and the completions to this `folder`")

// manual returns the manual pages and the completions, keyed by file name.
func manual(t *testing.T) map[string][]byte {
	t.Helper()
	root := cli.Program(program).Command(cli.Streams{})
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
		if err := write(&b); err != nil || !strings.Contains(b.String(), "__complete") {
			t.Errorf("%s: %v, or the completion does not ask the command", shell, err)
		}
		pages[shell] = b.Bytes()
	}
	return pages
}

// TestManual checks that each command has a page, which koblitz man prints, and that help and
// manual of check name the same flags and topics. With -manual it writes the pages and completions
// to a folder, from which releases take them.
func TestManual(t *testing.T) {
	pages := manual(t)
	check, _ := expect(t, cli.ExitOK, nil, "", "man", "check")
	options, _ := expect(t, cli.ExitOK, nil, "", "help", "options")
	help, _ := expect(t, cli.ExitOK, nil, "", "help", "check")
	topics := ""
	for _, cmd := range cli.Program(program).Command(cli.Streams{}).Commands() {
		if !cmd.IsAdditionalHelpTopicCommand() {
			page := string(pages[pageName(cmd)+".1"])
			if stdout, _ := expect(t, cli.ExitOK, []string{roff.Replace(cmd.Short)}, "", "man",
				cmd.Name()); stdout != page {
				t.Errorf("koblitz man %s prints another page than releases have", cmd.Name())
			}
		} else if topics += " " + cmd.Name(); cmd.Name() != "options" {
			topic, _ := expect(t, cli.ExitOK, nil, "", "help", cmd.Name())
			for line := range strings.Lines(topic) {
				if !strings.Contains(check, roff.Replace(strings.TrimSpace(line))) {
					t.Errorf("the page of check has no %q of 'koblitz help %s'", line, cmd.Name())
				}
			}
		}
		if cmd.Name() != "check" {
			continue
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !strings.Contains(options, "--"+f.Name+" ") {
				t.Errorf("--%s is not in 'koblitz help options'", f.Name)
			}
		})
		for _, name := range regexp.MustCompile(`--([a-z0-9-]+)`).FindAllStringSubmatch(help, -1) {
			if cmd.Flags().Lookup(name[1]) == nil {
				t.Errorf("the help of check has --%s, which is no flag", name[1])
			}
		}
	}
	if topics != " checks formats limits options report sources" {
		t.Errorf("the topics of help are%s", topics)
	}
	if *manualDir == "" {
		return
	}
	for name, text := range pages {
		clitest.Must(0, os.WriteFile(filepath.Join(*manualDir, name), text, 0o644))
	}
}

// TestRoff checks that roff prints the characters that are special to it.
func TestRoff(t *testing.T) {
	const text = "Two -lines\n.of text\n  .a  'row'\n    \\b `c` ^~"
	const want = `Two \-lines
\&.of text
  .a  \(aqrow\(aq
    \eb \` + "`c\\` " + `\(ha\(ti`
	if got := escape(text); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := escape(".a"); got != `\&.a` {
		t.Error(got)
	}
}
