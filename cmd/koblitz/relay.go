package main

import (
	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/relay"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// relayOptions holds the flags that select a relay and its events.
type relayOptions struct {
	url    string
	filter string
	follow bool

	client *relay.Client // client of the relay; nil without --relay
	wanted relay.Filter
}

const relayHelp = `With --relay URL a relay of nostr is asked for the events that --filter selects,
newest first. Unless the filter has a "limit", older ones are asked for until there
are no more. Many relays refuse {}, which selects all events, or answer nothing. With
--follow the run goes on with new events until Ctrl-C, and older ones are those that
the relay sends at once; a connection that is lost is replaced. Lines in the report
count the relay's messages.`

func (o *relayOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.url, "relay", "", "ask the relay at `URL` for events, see 'koblitz help sources'")
	f.StringVar(&o.filter, "filter", relay.DefaultFilter,
		"those events, a filter of NIP-01 in `JSON`; if it is left out\n"+relay.DefaultFilter)
	f.Lookup("filter").DefValue = "" // hides the default, which help would print with escapes
	f.BoolVar(&o.follow, "follow", false, "go on with the events that come to the relay later")
}

func (o *relayOptions) asked() bool { return o.url != "" }

// validateRelay returns a usage error if --relay is not allowed with the other flags or with the
// inputs.
func (o *checkOptions) validateRelay(args []string) (err error) {
	r := &o.relay
	if !r.asked() {
		if r.filter != relay.DefaultFilter || r.follow {
			return usagef("--filter and --follow go with --relay")
		}
		return nil
	}
	if r.client, err = relay.New(r.url); err != nil {
		return usagef("--relay: %w", err)
	}
	if r.wanted, err = relay.ParseFilter(r.filter); err != nil {
		return usagef("--filter: %w", err)
	}
	switch {
	case len(args) > 0:
		return usagef("--relay needs no files, but there is %q", args[0])
	case o.sample || o.spent != "" || o.table.asked() || o.node.asked() || o.networkNamed ||
		o.from != "" || o.to != "":
		return usagef("--sample, --spent, --columns, --node, --network, --from and --to do not go " +
			"with --relay")
	case o.format != formatAuto && o.format != formatNostr:
		return usagef("--relay gives events: --format nostr, not %s", o.format)
	case o.state != "":
		return usagef("--state does not go with --relay: ask for a span of time with --filter")
	case o.compression != input.Auto:
		return usagef("--compression goes with files, not with --relay")
	}
	return nil
}

// fromRelay yields a reader of the relay's events.
func (s *sources) fromRelay(yield func(rows.Reader, error) bool) {
	o := &s.o.relay
	o.client.Lost = s.report.lost
	r, err := o.client.Open(s.ctx, o.wanted, o.follow)
	switch {
	case err == nil:
		s.report.opened(formatNostr, "")
	case s.ctx.Err() != nil:
		return // the error comes from the interruption, not from the relay
	}
	s.counted(o.client.Name(), yield)(r, err)
}
