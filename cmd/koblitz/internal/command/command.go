// Package command is the command koblitz: all its subcommands, the manual and the version.
package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/info"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/keys"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/payments"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/stream"
)

// Add adds all subcommands.
func Add(koblitz *cobra.Command, io cli.Streams) {
	for _, add := range []cli.Program{check.Add, stream.Add, payments.Add, keys.Add, info.Add} {
		add(koblitz, io)
	}
	koblitz.AddCommand(newMan(io), newVersion(io))
}

func newVersion(io cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Long: `Say which version this is, as 'koblitz --version' does. 'koblitz info' says more:
the CPU, and what of it is used.`,
		Args: cli.RefuseArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(io.Out, "koblitz %s\n", cli.Version())
			return err
		},
	}
}
