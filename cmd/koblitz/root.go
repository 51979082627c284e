package main

import (
	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/info"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/keys"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/payments"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/stream"
)

func program(koblitz *cobra.Command, io cli.Streams) {
	check := newCheck(io)
	koblitz.AddCommand(check, newMan(io), newVersion(io))
	stream.Add(koblitz, io)
	payments.Add(koblitz, io)
	keys.Add(koblitz, io)
	info.Add(koblitz, io)
	addTopics(koblitz, check)
}
