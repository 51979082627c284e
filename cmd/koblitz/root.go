package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
)

// run runs the whole program and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Run(ctx, program, durable.OS{}, args, stdin, stdout, stderr)
}

func program(koblitz *cobra.Command, io cli.Streams) {
	check := newCheck(io)
	koblitz.AddCommand(check, newStream(io), newTweaks(io), newScan(io), newKeygen(io), newPub(io),
		newSign(io), newVerify(io), newRecover(io), newECDH(io), newInfo(io), newMan(io), newVersion(io))
	addTopics(koblitz, check)
}
