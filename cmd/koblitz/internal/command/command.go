// Package command implements the command koblitz: all its subcommands, and the manual.
package command

import (
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
	koblitz.AddCommand(newMan(io))
}
