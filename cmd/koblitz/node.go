package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/node"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// nodeOptions holds the flags that select a node.
type nodeOptions struct {
	url  string
	auth string // name of the file with the user name and password
}

const nodeHelp = `With --node URL blocks are asked of a node, from --from to --to (its last block,
unless it says otherwise):
  Bitcoin   JSON-RPC of Bitcoin Core 23 or later (getblock 3). Name and password, as
            in Core's file .cookie, are read from --rpc-auth FILE
  Ethereum  JSON-RPC (eth_getBlockByNumber)
The node is asked which chain it has (--format bitcoin or ethereum: only that), and
--network, if it is given, has to be the same. A block that is not the one asked for
is an error. A request that gets no answer is sent four times at most. Lines and
bytes in the report are those of an answer.`

func (o *nodeOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.url, "node", "", "ask the node at `URL` for blocks, see 'koblitz help sources'")
	f.StringVar(&o.auth, "rpc-auth", "", "name and password for the node are in `FILE`, one line "+
		"NAME:PASSWORD,\nsuch as Bitcoin Core's .cookie")
}

func (o *nodeOptions) asked() bool { return o.url != "" }

// validate checks the flags in o without regard to other flags.
func (o *nodeOptions) validate() error {
	if !o.asked() {
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

// client returns a client for the node.
func (o *nodeOptions) client(io cli.Streams) (*node.Client, error) {
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

// validateNode returns a usage error if --node is not allowed with the other flags or with the
// inputs.
func (o *checkOptions) validateNode(args []string) error {
	if err := o.node.validate(); err != nil || !o.node.asked() {
		return err
	}
	switch {
	case len(args) > 0:
		return cli.Usagef("--node needs no files, but there is %q", args[0])
	case o.sample || o.spent != "" || o.table.asked():
		return cli.Usagef("--sample, --spent and --columns do not go with --node")
	case o.format != formatAuto && o.format != formatBitcoin && o.format != formatBlockJSON &&
		o.format != formatEthereum && o.format != formatEthereumJSON:
		return cli.Usagef("--node gives blocks: --format bitcoin or ethereum, not %s", o.format)
	case o.state != "":
		return cli.Usagef("--state does not go with --node: check ranges of blocks with --from and --to")
	case o.compression != input.Auto:
		return cli.Usagef("--compression goes with files, not with --node")
	}
	return nil
}

// fromNode yields a reader of the node's blocks.
func (s *sources) fromNode(yield func(rows.Reader, error) bool) {
	r, err := s.openNode()
	if err != nil && s.ctx.Err() != nil {
		return // the error comes from the interruption, not from the node
	}
	s.counted(s.client.Name(), yield)(r, err)
}

// A blockchain describes the chain of a node and opens readers of its blocks.
type blockchain struct {
	format  format
	network string
	tip     int64
	open    func(from, to int64) rows.Reader
}

func (s *sources) openNode() (rows.Reader, error) {
	chain, err := s.askChain()
	if err != nil {
		return nil, err
	}
	from, to := int64(0), chain.tip
	span, err := s.o.blockRange()
	if err != nil {
		return nil, err
	}
	if span.FromHeight >= 0 {
		from = int64(span.FromHeight)
	}
	if span.ToHeight >= 0 {
		to = int64(span.ToHeight)
	}
	if from > chain.tip || to > chain.tip {
		return nil, fmt.Errorf("%s: the node's last block is %d, and %d is asked for",
			s.client.Name(), chain.tip, max(from, to))
	}
	s.report.opened(chain.format, chain.network)
	return chain.open(from, to), nil
}

// askChain asks the node for its chain. It first calls the method of Bitcoin nodes. If the node
// does not know it, askChain calls the method of Ethereum nodes.
func (s *sources) askChain() (*blockchain, error) {
	named, _ := parseNetwork(s.o.network)
	other := func(is string) error {
		return fmt.Errorf("%s: a node of %s, and not of %s, the network that is named (--network %[3]s)",
			s.client.Name(), is, s.o.network)
	}
	if !s.o.format.isEthereum() {
		b, err := s.client.Bitcoin(s.ctx)
		switch {
		case err == nil && s.o.networkNamed && (named.bitcoin == nil || *named.bitcoin != b.Network()):
			return nil, other(b.Network().String())
		case err == nil:
			return &blockchain{formatBlockJSON, "bitcoin " + b.Network().String(), int64(b.Tip()),
				b.Reader}, nil
		case s.o.format.isBitcoin() || !node.LacksMethod(err):
			return nil, err
		}
	}
	e, err := s.client.Ethereum(s.ctx)
	switch {
	case err != nil:
		return nil, err
	case s.o.networkNamed && (named.ethereum == nil || named.ethereum.ID != e.Chain.ID):
		return nil, other("chain " + strconv.FormatUint(e.Chain.ID, 10))
	}
	return &blockchain{formatEthereumJSON, e.Chain.String(), e.Tip, e.Reader}, nil
}
