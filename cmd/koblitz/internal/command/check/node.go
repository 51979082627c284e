package check

import (
	"fmt"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/node"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// validateNode returns a usage error if --node is not allowed with the other flags or with the
// inputs.
func (o *checkOptions) validateNode(args []string) error {
	if err := o.node.Validate(); err != nil || !o.node.Asked() {
		return err
	}
	switch {
	case len(args) > 0:
		return cli.Usagef("--node needs no files, but there is %q", args[0])
	case o.sample || o.spent != "" || o.table.Asked():
		return cli.Usagef("--sample, --spent and --columns do not go with --node")
	case o.format != flags.Auto && o.format != flags.Bitcoin && o.format != flags.BlockJSON &&
		o.format != flags.Ethereum && o.format != flags.EthereumJSON:
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
	format  flags.Format
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
	if !s.o.format.IsEthereum() {
		b, err := s.client.Bitcoin(s.ctx)
		switch {
		case err == nil && s.o.networkNamed && (named.bitcoin == nil || *named.bitcoin != b.Network()):
			return nil, other(b.Network().String())
		case err == nil:
			return &blockchain{flags.BlockJSON, "bitcoin " + b.Network().String(), int64(b.Tip()),
				b.Reader}, nil
		case s.o.format.IsBitcoin() || !node.LacksMethod(err):
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
	return &blockchain{flags.EthereumJSON, e.Chain.String(), e.Tip, e.Reader}, nil
}
