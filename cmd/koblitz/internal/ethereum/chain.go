package ethereum

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A chainGuard refuses a file of another chain, in place of one invalid row for each of its
// transactions. The first two transactions that name a chain decide: if both name the same one,
// and it is not the chain whose rules hold, reading ends with an error. Otherwise every
// transaction is a row, as one that was put into a file of the right chain has to be. Nothing is
// refused later on.
//
// Until a second transaction names a chain, the first one and all pieces after it are held in the
// queue. If they become more than a batch, they are rows. If the input makes the reader wait,
// they are rows too, and the second transaction still decides.
type chainGuard struct {
	chain   Chain
	decided bool
	named   uint64 // the other chain that one transaction has named, or 0
	first   int    // the piece of the queue with that transaction; below 0: it has gone
	held    bool   // from first on
	bytes   int    // of the pieces held
	refused error
}

// chainPlace is what the guard keeps in a rows.Place, beside the detail of the format.
type chainPlace struct {
	Decided bool   `json:"chain_decided,omitempty"`
	Named   uint64 `json:"chain_named,omitempty"`
	Since   int    `json:"chain_since,omitempty"` // pieces since that transaction, with itself
}

// newGuard returns the guard of a reader that begins at a place.
func newGuard(chain Chain, from *rows.Place) chainGuard {
	var p chainPlace
	if from.Tell(&p) != nil {
		p = chainPlace{} // the reader of the format meets the same error
	}
	return chainGuard{chain: chain, decided: p.Decided, named: p.Named, first: -p.Since}
}

// place adds what the guard knows to the detail of a place.
func (g *chainGuard) place(p *rows.Place) *rows.Place {
	if p == nil || !g.decided && (g.named == 0 || g.first >= 0) {
		return p
	}
	detail := map[string]json.RawMessage{}
	if p.Tell(&detail) != nil {
		return p // not reached: details are objects
	}
	if g.decided {
		detail["chain_decided"] = json.RawMessage("true")
	} else {
		detail["chain_named"] = strconv.AppendUint(nil, g.named, 10)
		detail["chain_since"] = strconv.AppendInt(nil, int64(-g.first), 10)
	}
	return rows.NewPlace(p.Offset, detail)
}

// see looks at the next piece, number i of the queue. It returns false if the file is refused.
func (g *chainGuard) see(p *piece, i int) bool {
	if g.decided {
		return true
	}
	id, ok := p.chain()
	switch {
	case !ok:
	case g.named == 0 && id != g.chain.ID:
		g.named, g.held, g.first, g.bytes = id, true, i, 0
	case id == g.named:
		g.refused = &rows.Error{File: p.where.File, Line: p.where.Line, Offset: p.where.Offset,
			Err: fmt.Errorf("transactions of %v, and not of %v, whose rules hold: --network %d takes them",
				Chain{ID: id}, g.chain, id)}
		return false
	default:
		g.decided, g.held = true, false
		return true
	}
	if g.held {
		g.bytes += p.bytes()
	}
	if g.named != 0 && (i-g.first >= batchPieces || g.held && g.bytes >= batchBytes) {
		g.decided, g.held = true, false
	}
	return true
}

// chain returns the chain that a transaction is signed for. It returns false if that is no chain
// with an id of 64 bits, if the transaction names none, and if it cannot be read.
func (p *piece) chain() (id uint64, ok bool) {
	raw := p.raw
	switch {
	case p.over != nil || p.nothing || p.of != nil && p.sum == nil:
		return 0, false
	case p.json == nil:
	case p.json[0] == '"':
		var d data
		if d.UnmarshalJSON(p.json) != nil {
			return 0, false
		}
		raw = d
	case !bytes.Contains(p.json, []byte(`"chainId"`)):
		return 0, false
	default:
		var j txJSON
		if j.decode(p.json) != nil || j.ChainID == nil || !j.ChainID.n.IsUint64() {
			return 0, false
		}
		id = j.ChainID.n.Uint64()
		return id, id != 0
	}
	if len(raw) == 0 {
		return 0, false
	}
	kind, list := legacy, raw
	if raw[0] < 0xc0 {
		kind, list = txType(raw[0]), raw[1:]
	}
	var g signature
	if kind > setCode || kind == legacy && raw[0] < 0xc0 {
		return 0, false
	}
	if _, ok := g.split(kind, list); !ok || !g.named || g.chainBits > 0 || !g.chain.IsUint64() {
		return 0, false
	}
	return g.chain.Uint64(), !g.chain.IsZero()
}
