package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

func newMan(io cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "Print the manual page of a command",
		Long: `Print the manual page of this program, or of one of its commands, in the form that
man reads.`,
		Example: `  koblitz man | man -l -
  koblitz man check | man -l -
  koblitz man check >~/.local/share/man/man1/koblitz-check.1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.RefuseArgs(cmd, args[1:])
			}
			of := cmd.Root()
			for _, c := range of.Commands() {
				if len(args) == 1 && c.Name() == args[0] && c.IsAvailableCommand() {
					of = c
				}
			}
			if len(args) == 1 && of == cmd.Root() {
				return cli.RefuseArgs(of, args)
			}
			_, err := io.Out.Write(manualPage(of))
			return err
		},
	}
}

// manualPage returns the manual page of a command in section 1, with the macros of man(7).
func manualPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	var p page
	name := pageName(cmd)
	p.macro("TH", strings.ToUpper(name), "1", "", "koblitz "+cli.Version(), "koblitz")
	p.macro("SH", "NAME")
	p.line(name + " - " + cmd.Short)
	p.macro("SH", "SYNOPSIS")
	p.line(cmd.UseLine())
	p.macro("SH", "DESCRIPTION")
	p.text(cmd.Long)
	if cmd.HasAvailableLocalFlags() {
		p.macro("SH", "OPTIONS")
		cmd.LocalFlags().VisitAll(p.option)
	}
	if cmd.HasExample() {
		p.macro("SH", "EXAMPLES")
		p.asIs(strings.Split(cmd.Example, "\n"))
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, pageName(cmd.Root())+"(1)")
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			others = append(others, pageName(c)+"(1)")
		}
	}
	p.macro("SH", "SEE ALSO")
	p.line(strings.Join(others, ", "))
	return []byte(p.String())
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// A page builds the text of a manual page.
type page struct{ strings.Builder }

// roff escapes the characters that are special in roff.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\`", "^", `\(ha`,
	"~", `\(ti`)

// line writes a line of text. It escapes a leading dot, which would begin a macro.
func (p *page) line(text string) {
	text = roff.Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	p.WriteString(text + "\n")
}

func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(roff.Replace(a), `"`, `\(dq`) + `"`)
	}
	p.WriteString("\n")
}

// asIs writes lines that contain columns of text, in a way that keeps roff from joining or wrapping
// them.
func (p *page) asIs(lines []string) {
	p.macro("nf")
	for _, l := range lines {
		p.line(l)
	}
	p.macro("fi")
}

// text writes help text, which consists of paragraphs and indented lines with columns. A line that
// follows a blank line, ends with a colon and precedes indented lines is a heading.
func (p *page) text(text string) {
	lines := strings.Split(text, "\n")
	indented := func(i int) bool { return i < len(lines) && strings.HasPrefix(lines[i], "  ") }
	for i := 0; i < len(lines); i++ {
		switch begins := i == 0 || lines[i-1] == ""; {
		case lines[i] == "":
		case indented(i):
			end := i
			for indented(end) {
				end++
			}
			p.asIs(lines[i:end])
			i = end - 1
		case begins && strings.HasSuffix(lines[i], ":") && indented(i+1):
			p.macro("SS", strings.TrimSuffix(lines[i], ":"))
		default:
			if begins || indented(i-1) {
				p.macro("PP")
			}
			p.line(lines[i])
		}
	}
}

// option writes the description of a flag.
func (p *page) option(f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	if d := f.DefValue; d != "" && d != "false" && d != "[]" && d != "0" {
		usage += fmt.Sprintf(" (default %s)", d)
	}
	p.macro("TP")
	p.line(name)
	for line := range strings.SplitSeq(usage, "\n") {
		p.line(line)
	}
}
