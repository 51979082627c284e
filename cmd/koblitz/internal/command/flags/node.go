package flags

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/node"
	"github.com/spf13/cobra"
)

// Node holds the flags that select a node.
type Node struct {
	url  string
	auth string // name of the file with the user name and password
}

// NodeHelp describes nodes in the help of check.
const NodeHelp = `--node URL asks a node for the blocks from --from (or the first) to --to (or the
last when the run begins):
  Bitcoin   JSON-RPC of Bitcoin Core 23 or later (getblock 3). --rpc-auth FILE has
            name and password in one line, NAME:PASSWORD, like Core's .cookie
  Ethereum  JSON-RPC (eth_getBlockByNumber)
The node names its network, and --network, if given, must be the same. --format
bitcoin or ethereum asks for that kind only. A block that is not the requested one is
an error. A request without an answer is sent at most four times. Lines and bytes in
the report are those of one answer.`

// AddTo adds the flags to a command.
func (o *Node) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.url, "node", "", "ask the node at `URL` for blocks, see 'koblitz help sources'")
	f.StringVar(&o.auth, "rpc-auth", "", "name and password for the node are in `FILE`, one line "+
		"NAME:PASSWORD,\nsuch as Bitcoin Core's .cookie")
}

// Asked reports whether the flags name a node.
func (o *Node) Asked() bool { return o.url != "" }

// Validate checks the flags in o without regard to other flags.
func (o *Node) Validate() error {
	if !o.Asked() {
		if o.auth != "" {
			return cli.Usagef("--rpc-auth goes with --node")
		}
		return nil
	}
	if _, err := node.New(o.url, ""); err != nil {
		return cli.Usagef("--node: %w", err)
	}
	return nil
}

// maxAuth limits the length of NAME:PASSWORD in bytes.
const maxAuth = 1024

// Client returns a client for the node.
func (o *Node) Client(io cli.Streams) (*node.Client, error) {
	var auth string
	if o.auth != "" {
		buf := make([]byte, maxAuth+1)
		n, err := cli.ReadSecretFile(io, o.auth, buf)
		if err != nil {
			return nil, err
		}
		auth = strings.TrimRight(string(buf[:n]), "\r\n")
		if auth == "" || strings.ContainsAny(auth, "\r\n") {
			return nil, cli.Unreadable(fmt.Errorf("%s: one line is wanted, NAME:PASSWORD",
				cli.FileName(o.auth)))
		}
	}
	c, err := node.New(o.url, auth)
	if err != nil {
		return nil, cli.Unreadable(fmt.Errorf("%s: %w", cli.FileName(o.auth), err))
	}
	return c, nil
}
