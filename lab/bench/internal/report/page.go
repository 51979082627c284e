package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// pageRows holds the IDs of the operations that docs/performance.md shows for each CPU.
var pageRows = []string{
	"keygen", "ecdsa-sign-unchecked", "ecdsa-sign", "ecdsa-verify", "schnorr-sign-unchecked",
	"schnorr-sign", "schnorr-verify", "ecdh-sha256", "recover", "parse",
	"ellswift-ecdh", "ecdsa-verify-prepared-26k", "schnorr-verify-prepared-26k",

	"ecdsa-batch-8", "ecdsa-batch-1024",
	"schnorr-batch-8", "schnorr-batch-1024",
	"ecdsa-batch-recoverable-1024",
	"schnorr-batch-all-1024", "schnorr-batch-all-65536",
	"recover-batch-1024", "parse-batch-1024", "tweak-check-batch-1024", "bip32-batch-1024",
	"pubkeys-batch-1024", "ecdsa-sign-batch-1024", "schnorr-sign-batch-1024",
	"ecdh-batch-pairs-1024", "silentpay-scan-1024",

	"msm-2", "msm-64", "msm-1024", "msm-65536",

	"point-mul-ct", "field-mul", "field-mul-independent",
	"field-add",
}

// pagePeers holds the peers that docs/performance.md shows, in the order of its columns.
var pagePeers = []string{
	"koblitz/ADX", "koblitz/portable", "libsecp256k1", "dcrec", "btcec", "gnark", "k256", "ark",
}

// onPage returns the part of r that docs/performance.md shows.
func onPage(r *harness.Run) *harness.Run {
	part := *r
	part.Peers = slices.DeleteFunc(slices.Clone(r.Peers), func(p harness.PeerInfo) bool {
		return p.Name != peer.Koblitz && !slices.Contains(pagePeers, p.Name)
	})
	part.LeftOut, part.Operations = nil, nil
	for _, o := range r.Operations {
		if !slices.Contains(pageRows, o.ID) {
			continue
		}
		o.Results = slices.DeleteFunc(slices.Clone(o.Results), func(x harness.Result) bool {
			return x.Peer != peer.Koblitz && !slices.Contains(pagePeers, x.Peer)
		})
		part.Operations = append(part.Operations, o)
	}
	return &part
}

// page returns the section of docs/performance.md on a run: how it was measured, and a table of the
// operations that onPage selects.
func page(r *harness.Run) string {
	r = onPage(r)
	var versions []string
	for _, p := range r.Peers {
		if !strings.HasPrefix(p.Name, peer.Koblitz) {
			versions = append(versions, strings.TrimSpace(p.Name+" "+p.Version))
		}
	}
	text := fmt.Sprintf("%s. Commit %s, %s, %d rounds", r.Machine, r.Commit,
		r.Began.Format("2006-01-02 15:04 UTC"), r.Settings.Rounds)
	if r.Took > 0 { // unknown for some older runs
		text += fmt.Sprintf(" of %v, %v", r.Settings.Each, r.Took)
	}
	var b strings.Builder
	b.WriteString(wrap(text+". "+strings.Join(versions, ", ")+".") + "\n\n")
	write(&b, summary(r, pagePeers))
	return b.String()
}

// wrap breaks text into lines of at most 100 characters.
func wrap(text string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch n := utf8.RuneCountInString(word); {
		case column == 0:
			column = n
		case column+1+n > 100:
			b.WriteByte('\n')
			column = n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}
