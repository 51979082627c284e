package main

import (
	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/info"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/keys"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/payments"
)

func program(koblitz *cobra.Command, io cli.Streams) {
	check := newCheck(io)
	koblitz.AddCommand(check, newStream(io), newMan(io), newVersion(io))
	payments.Add(koblitz, io)
	keys.Add(koblitz, io)
	info.Add(koblitz, io)
	addTopics(koblitz, check)
}
