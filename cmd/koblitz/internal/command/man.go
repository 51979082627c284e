package command

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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
				return cli.NoArgs(cmd, args[1:])
			}
			of := cmd.Root()
			for _, c := range of.Commands() {
				if len(args) == 1 && c.Name() == args[0] && c.IsAvailableCommand() {
					of = c
				}
			}
			if len(args) == 1 && of == cmd.Root() {
				return cli.NoArgs(of, args)
			}
			_, err := io.Out.Write(manualPage(of))
			return err
		},
	}
}

// manualPage returns the manual page of a command in section 1, with the macros of man(7). Help
// text has its line ends and columns already, so roff does not fill it.
func manualPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	var p bytes.Buffer
	name := pageName(cmd)
	fmt.Fprintf(&p, ".TH \"%s\" \"1\" \"\" \"koblitz %s\" \"koblitz\"\n",
		roff.Replace(strings.ToUpper(name)), roff.Replace(cli.Version()))
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&p, ".SH \"%s\"\n.nf\n%s\n.fi\n", title, escape(text))
		}
	}
	// NAME is filled: programs that index pages read it.
	fmt.Fprintf(&p, ".SH \"NAME\"\n%s\n", escape(name+" - "+cmd.Short))
	section("SYNOPSIS", cmd.UseLine())
	section("DESCRIPTION", cmd.Long)
	section("OPTIONS", strings.TrimSuffix(cmd.LocalFlags().FlagUsages(), "\n"))
	section("EXAMPLES", cmd.Example)
	var others []string
	if cmd.HasParent() {
		others = append(others, pageName(cmd.Root())+"(1)")
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			others = append(others, pageName(c)+"(1)")
		}
	}
	fmt.Fprintf(&p, ".SH \"SEE ALSO\"\n%s\n", escape(strings.Join(others, ", ")))
	return p.Bytes()
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff escapes the characters that are special in roff.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\`", "^", `\(ha`,
	"~", `\(ti`)

// escape escapes text for roff, and leading dots of lines, which would begin a macro.
func escape(text string) string {
	text = strings.ReplaceAll("\n"+roff.Replace(text), "\n.", "\n\\&.")
	return strings.TrimPrefix(text, "\n")
}
