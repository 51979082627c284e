package main

import (
	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/info"
)

func program(koblitz *cobra.Command, io cli.Streams) {
	check := newCheck(io)
	koblitz.AddCommand(check, newStream(io), newTweaks(io), newScan(io), newKeygen(io), newPub(io),
		newSign(io), newVerify(io), newRecover(io), newECDH(io), newMan(io), newVersion(io))
	info.Add(koblitz, io)
	addTopics(koblitz, check)
}
