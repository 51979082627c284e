package flags

import (
	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

// A Range holds the flags --from and --to, which select blocks by their heights.
type Range struct {
	bitcoin.Range // set by Parse; a height is -1 without its flag

	from, to string
}

// AddTo adds the flags to a command, with the given descriptions.
func (r *Range) AddTo(cmd *cobra.Command, from, to string) {
	cmd.Flags().StringVar(&r.from, "from", "", from)
	cmd.Flags().StringVar(&r.to, "to", "", to)
}

// Parse checks the flags and sets r.Range.
func (r *Range) Parse() (err error) {
	r.Range = bitcoin.WholeRange()
	if r.from != "" {
		if r.From, err = bitcoin.ParseHeight(r.from); err != nil {
			return cli.Usagef("--from: %w", err)
		}
	}
	if r.to != "" {
		if r.To, err = bitcoin.ParseHeight(r.to); err != nil {
			return cli.Usagef("--to: %w", err)
		}
	}
	if r.To >= 0 && r.From > r.To {
		return cli.Usagef("--from %s is behind --to %s", r.from, r.to)
	}
	return nil
}
