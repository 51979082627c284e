package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// spentOptions holds the flags of koblitz spent.
type spentOptions struct {
	network string
	out     string
	block   string
	node    nodeOptions

	networkNamed bool // the user gave --network
}

func newSpent(io streams) *cobra.Command {
	var o spentOptions
	cmd := &cobra.Command{
		Use:   "spent (FOLDER BLOCK | FILE | --node URL BLOCK) -o FILE",
		Short: "Write down what a Bitcoin block spends, so that the block can be checked",
		Long: `Write the file of spent outputs that 'koblitz check' wants beside a serialized
block: its form is in docs/spent-outputs.md. They come from

  FOLDER BLOCK  the folder blocks of Bitcoin Core (or its data directory), with its
                rev*.dat files. BLOCK is a height in the chain with the most work,
                or a hash. --block writes the serialized block as well
  FILE          one block as 'bitcoin-cli getblock HASH 3' prints it, or as the node
                answers; '-' is standard input
  --node URL BLOCK
                a node of Bitcoin: JSON-RPC (getblock 3), or REST if URL ends in /rest.
                It says itself which network it is on. --block writes the serialized
                block as well

What is written comes from the source alone: a checksum was right, or the fields of
the JSON agree, and no signature has been looked at.

` + exitStatusSpent,
		Example: `  koblitz spent ~/.bitcoin/blocks 800000 -o 800000.bin.spent --block 800000.bin
  koblitz check 800000.bin
  koblitz spent --node http://127.0.0.1:8332 --rpc-auth ~/.bitcoin/.cookie 800000 \
    -o 800000.bin.spent --block 800000.bin
  bitcoin-cli getblock HASH 3 | koblitz spent - -o block.bin.spent`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.networkNamed = cmd.Flags().Changed("network")
			if err := o.apart(args); err != nil {
				return err
			}
			full, err := o.read(cmd.Context(), io, args)
			if err != nil {
				return err
			}
			return o.write(io, full)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "write the spent outputs to this `FILE`")
	f.StringVar(&o.block, "block", "", "of a folder or a node, write the serialized block to "+
		"this `FILE`")
	f.StringVar(&o.network, "network", "mainnet",
		"the block of a FILE is of `NETWORK`: mainnet, testnet3, testnet4, signet, regtest, "+
			"simnet")
	o.node.addFlags(cmd)
	complete(cmd, "network", bitcoinNetworks())
	return cmd
}

const exitStatusSpent = `Exit status:
  0    the file is written
  2    the command line is wrong
  3    there is no such block, it cannot be read, or it is not known what it spends;
       or the file cannot be written`

// read finds the block and reads the outputs that it spends.
func (o *spentOptions) read(ctx context.Context, io streams, args []string) (
	*prevouts.FullBlock, error) {
	if err := o.node.validate(); err != nil {
		return nil, err
	}
	network, ok := consensus.ParseNetwork(o.network)
	switch {
	case len(args) == 0:
		return nil, usagef("of which block? Give a folder and a block, or a file")
	case len(args) > 2:
		return nil, usagef("unexpected argument %q", args[2])
	case o.out == "":
		return nil, usagef("where to? Give a file with -o")
	case !ok:
		return nil, usagef("unknown network %q", o.network)
	case len(args) == 1 && o.block != "" && !o.node.asked():
		return nil, usagef("--block goes with a folder")
	}
	if o.node.asked() {
		return o.blockOfNode(ctx, io, args)
	}
	if len(args) == 2 {
		id, err := prevouts.ParseBlockID(args[1])
		if err != nil {
			return nil, usagef("%w", err)
		}
		source, err := openBlocks(args[0])
		if err != nil {
			return nil, unreadable(err)
		}
		full, err := source.Block(id)
		if err != nil {
			return nil, unreadable(err)
		}
		return full, nil
	}
	if _, ok := bitcoin.FindBlocks(args[0]); ok {
		return nil, usagef("which block of %s? Give its height or its hash", args[0])
	}
	in, err := input.Open(args[0], io.in, input.Auto, false)
	if err != nil {
		return nil, unreadable(err)
	}
	defer in.Close()
	spent, err := nodejson.SpentOf(rows.Source{Name: in.Name, Reader: in},
		network, nil)
	if err != nil {
		return nil, unreadable(err)
	}
	return &prevouts.FullBlock{Spent: spent}, nil
}

// apart checks the names of the two files that the command creates. It refuses the name of an
// existing file that is not regular or that is also read. It also refuses the same name for both.
func (o *spentOptions) apart(args []string) error {
	if o.out == "" {
		return nil // the method read reports the missing flag
	}
	var sources []string
	if len(args) > 0 && !o.node.asked() {
		own, err := nodeFiles(args[0])
		if err != nil {
			return err
		}
		sources = append(own, args[0])
	}
	reads := func(file fs.FileInfo) bool {
		return slices.ContainsFunc(sources, func(name string) bool { return isFile(name, file) })
	}
	if err := apartFrom(reads, "--out", o.out); err != nil || o.block == "" {
		return err
	}
	if sameName(o.out, o.block) {
		return usagef("--out and --block name the same file")
	}
	return apartFrom(reads, "--block", o.block)
}

// openBlocks opens a folder of blk*.dat files so that blocks can be looked up in it.
func openBlocks(name string) (prevouts.BlockSource, error) {
	dir, ok := bitcoin.FindBlocks(name)
	if !ok {
		return nil, fmt.Errorf("%s: no folder with blk*.dat files", name)
	}
	return bitcoin.OpenDirectory(dir)
}

// write writes the block's spent outputs, and the block if requested, to files. It prints a
// summary.
func (o *spentOptions) write(io streams, full *prevouts.FullBlock) error {
	var b bytes.Buffer
	if err := prevouts.Write(&b, full.Spent); err != nil {
		return unreadable(err)
	}
	if o.block != "" {
		if err := durable.WriteFile(durable.OS{}, o.block, full.Raw); err != nil {
			return unreadable(err)
		}
	}
	if err := durable.WriteFile(durable.OS{}, o.out, b.Bytes()); err != nil {
		return unreadable(err)
	}
	_, err := fmt.Fprintf(io.out, "block %d, %v: %d spent outputs\n", full.Spent.Height,
		full.Spent.Block, len(full.Spent.Outputs))
	return err
}
