package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersion(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Long: `Say which version this is, as 'koblitz --version' does. 'koblitz info' says more:
the CPU, and what of it is used.`,
		Args: refuseArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(io.out, "koblitz %s\n", moduleVersion())
			return err
		},
	}
}
