package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

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
