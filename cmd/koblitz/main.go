// Koblitz makes keys and signatures on secp256k1, and checks every signature of a block, an event
// log or a file of rows.
package main

import (
	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

func main() { os.Exit(cli.Main(command.Add)) }
