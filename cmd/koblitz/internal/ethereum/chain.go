package ethereum

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// A chainGuard refuses a file of another chain with one error, in place of one invalid row for each
// transaction. The first two transactions that name a chain decide. If both name the same chain and
// it is not the expected one, reading ends with an error. Otherwise every transaction becomes a
// row, and the file is never refused later. So a single transaction of another chain in a file of
// the right chain is one invalid row.
//
// If the first transaction that names a chain names another one, it and all pieces after it are
// held in the queue until a second transaction names a chain. If more than a batch of pieces is
// held, they are released as rows and the file is not refused. If the reader has to wait for input,
// the held pieces are released too, but the second transaction still decides.
type chainGuard struct {
	chain   Chain
	decided bool
	named   uint64 // ID of another chain that one transaction has named, or 0
	first   int    // index in the queue of the transaction that named it; negative once released
	held    bool   // the pieces from index first on are held
	bytes   int    // number of bytes in the held pieces
	refused error
}

// chainPlace is the part of a reading.Place that holds the state of a chainGuard. The reader of
// each format adds other details.
type chainPlace struct {
	Decided bool   `json:"chain_decided,omitempty"`
	Named   uint64 `json:"chain_named,omitempty"`
	Since   int    `json:"chain_since,omitempty"` // number of pieces since Named was first met
}

// newGuard returns the guard, which refuses files of other chains, for a reader that begins at the
// position start in the file, or at the beginning of the file if start is nil.
func newGuard(chain Chain, start *reading.Place) chainGuard {
	var p chainPlace
	if start.Tell(&p) != nil {
		p = chainPlace{} // the format's reader returns the same error
	}
	return chainGuard{chain: chain, decided: p.Decided, named: p.Named, first: -p.Since}
}

// place returns p with the state of the guard g added to its details.
func (g *chainGuard) place(p *reading.Place) *reading.Place {
	if p == nil || !g.decided && (g.named == 0 || g.first >= 0) {
		return p
	}
	if g.decided {
		return withDetail(p, chainPlace{Decided: true})
	}
	return withDetail(p, chainPlace{Named: g.named, Since: -g.first})
}

// withDetail returns p with the fields of more, a struct, added to its details.
func withDetail(p *reading.Place, more any) *reading.Place {
	detail := map[string]json.RawMessage{}
	if p.Tell(&detail) != nil || reading.NewPlace(0, more).Tell(&detail) != nil {
		return p // unreachable: details are objects
	}
	return reading.NewPlace(p.Offset, detail)
}

// see examines p, the piece with the next transaction, which will have the index i in the queue. It
// returns false if the file is refused.
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
		g.refused = &reading.Error{File: p.where.File, Line: p.where.Line, Offset: p.where.Offset,
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
	if g.named != 0 && (i-g.first >= batchPieces || g.held && g.bytes >= reading.BatchBytes) {
		g.decided, g.held = true, false
	}
	return true
}

// chain returns the ID of the chain for which the transaction is signed. ok is false if the ID
// exceeds 64 bits, if the transaction names no chain, or if it cannot be parsed.
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
		if j.decode(p.json) != nil || j.ChainID == nil {
			return 0, false
		}
		id, ok = j.ChainID.uint64()
		return id, ok && id != 0
	}
	var tx wire.Transaction
	if tx.Decode(raw) != nil || tx.LongChainID {
		return 0, false
	}
	return tx.ChainID, tx.ChainID != 0
}
