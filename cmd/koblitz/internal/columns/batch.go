// Package columns reads signatures from the columns of a table: Parquet, CSV, JSONL and Arrow. The
// user names the columns; the kind of signature determines the contents of each.
//
// A reader splits a table into batches of rows and copies only the named cells. The workers do the
// rest: Expand decodes digits, compares lengths and makes units. A cell that is missing, null, or
// of a wrong type or length makes its own row malformed, and no other.
//
// Memory does not depend on the sizes that a file claims. The limits are constants of this package,
// and docs/check.md lists them.
package columns

import (
	"fmt"
	"hash"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// RowsPerBatch is the number of rows in a batch. A batch takes at most a megabyte of memory
// (reading.RowSize for each row) and a few milliseconds to verify.
const RowsPerBatch = 1024

// Cells holds the values of one column in a batch.
type Cells struct {
	Text bool // cells are text rather than bytes

	data   []byte
	ends   []uint32       // offset in data of the end of each cell
	faults map[int]string // reason, by cell number, for each cell without a value
}

// Len returns the number of cells.
func (c *Cells) Len() int { return len(c.ends) }

// Add appends a copy of value as a cell.
func (c *Cells) Add(value []byte) {
	if len(value) > MaxCell {
		c.Fault(tooLong(len(value)))
		return
	}
	c.data = append(c.data, value...)
	c.ends = append(c.ends, uint32(len(c.data)))
}

// tooLong returns the error text for a cell of n bytes, which is longer than any value.
func tooLong(n int) string { return fmt.Sprintf("%d bytes, more than any value has", n) }

// Fault appends a cell without a value. reason is the error text for its row.
func (c *Cells) Fault(reason string) {
	if c.faults == nil {
		c.faults = make(map[int]string)
	}
	c.faults[len(c.ends)] = reason
	c.ends = append(c.ends, uint32(len(c.data)))
}

// at returns the bytes of cell i.
func (c *Cells) at(i int) []byte {
	begin := uint32(0)
	if i > 0 {
		begin = c.ends[i-1]
	}
	return c.data[begin:c.ends[i]]
}

// Null is the error text for a null cell.
const Null = "null"

// A Batch is a range of a table's rows, with the cells of the columns that have a role.
type Batch struct {
	Spec  *Spec
	File  string
	First int64        // number of the first row, from 0
	Cells [Roles]Cells // cells of each role with a column
	Rows  int

	reading.Part // Memory is what the batch keeps from being freed besides Cells
}

// Size returns an upper bound on the memory, in bytes, that the batch needs until its rows are
// reported.
func (b *Batch) Size() int64 {
	size := b.Memory + int64(b.Rows)*reading.RowSize
	for i := range b.Cells {
		size += int64(cap(b.Cells[i].data)) + 4*int64(cap(b.Cells[i].ends))
	}
	return size
}

// Expand calls emit with the reading.Unit of each row, in order.
func (b *Batch) Expand(emit func(*reading.Unit)) {
	m := newMaker(b.Spec, emit)
	for i := range b.Rows {
		where := reading.In(b.File)
		where.Row = b.First + int64(i)
		m.begin(where)
		for _, r := range m.used {
			if reason, bad := b.Cells[r].faults[i]; bad {
				m.fault(r, reason)
			} else {
				m.set(r, b.Cells[r].at(i), b.Cells[r].Text)
			}
		}
		m.emit()
	}
}

// A maker makes reading.Units from the rows of a table. For each row, call begin, then set or fault
// for each column with a role, then emit.
type maker struct {
	spec   *Spec
	used   []Role
	out    func(*reading.Unit)
	unit   reading.Unit
	values [Roles][]byte // decoded cells; reused for every row
	reason string        // error text of the row's first faulty cell, or ""
	keccak hash.Hash
}

func newMaker(spec *Spec, emit func(*reading.Unit)) *maker {
	m := &maker{spec: spec, used: spec.Used(), out: emit}
	m.unit = reading.Unit{Scheme: spec.Scheme, Signatures: make([]reading.Signature, 1)}
	if spec.Scheme != reading.Recover {
		m.unit.Keys = make([][]byte, 1)
	} else if spec.Names[Key] != "" {
		m.keccak = sha3.NewLegacyKeccak256()
	}
	return m
}

func (m *maker) begin(where reading.Where) {
	m.unit.Where, m.unit.Decided, m.unit.Reason, m.unit.Raw = where, reading.Unchecked, "", nil
	m.reason = ""
}

// fault records that the row's cell in the column with role r is faulty. reason is the error text.
func (m *maker) fault(r Role, reason string) {
	if m.reason == "" {
		m.reason = fmt.Sprintf("column %q: %s", Short(m.spec.Names[r]), reason)
	}
}

// set decodes the row's cell in the column with role r. text reports whether the cell is text.
func (m *maker) set(r Role, cell []byte, text bool) {
	if len(cell) > MaxCell {
		m.fault(r, tooLong(len(cell)))
		return
	}
	value, err := m.spec.Encoding.decode(m.values[r][:0], cell, text)
	if err != nil {
		m.fault(r, err.Error())
		return
	}
	m.values[r] = value
	if want := m.lengths(r, len(value)); want != "" {
		hint := ""
		if r == Signature && m.spec.Scheme == reading.Schnorr && len(value) == 65 {
			hint = reading.SighashHint(value)
		}
		m.fault(r, fmt.Sprintf("%d bytes instead of %s%s", len(value), want, hint))
	}
}

// lengths returns "" if n bytes are a permitted length for a value of role r, and otherwise a text
// that lists the permitted lengths.
func (m *maker) lengths(r Role, n int) (want string) {
	switch {
	case r == Digest && n != 32, r == Key && m.spec.Scheme == reading.Schnorr && n != 32:
		return "32"
	case r == Key && m.spec.Scheme != reading.Schnorr && n != 33 && n != 65:
		return "33 or 65"
	case r == Sender && n != 20:
		return "20"
	case r != Signature:
	case m.spec.Scheme == reading.Schnorr && n != 64:
		return "64"
	case m.spec.Scheme == reading.Recover && n != 65:
		return "65 (r, s and v)"
	case m.spec.Scheme == reading.ECDSA && n == 65 && !isDER(m.values[r]):
		return "64, or DER (r, s and v, of 65 bytes, are for recovery: --format columns-recover)"
	}
	return ""
}

// isDER reports whether a signature of 65 bytes begins like DER.
func isDER(sig []byte) bool { return sig[0] == 0x30 && sig[1] == 65-2 }

// emit completes the row's reading.Unit and passes it to the function out.
func (m *maker) emit() {
	u := &m.unit
	if m.reason == "" && u.Scheme == reading.Recover && m.spec.Names[Key] != "" {
		m.addressOfKey()
	}
	s := &u.Signatures[0]
	if m.reason != "" {
		u.Decided, u.Reason = reading.Malformed, m.reason
		*s, u.Compact, u.Sender = reading.Signature{}, false, nil // clear the values of the row before
		clear(u.Keys)
		m.out(u)
		return
	}
	copy(s.Digest[:], m.values[Digest])
	s.Sig = m.values[Signature]
	switch u.Scheme {
	case reading.ECDSA:
		u.Keys[0], u.Compact = m.values[Key], len(s.Sig) == 64
	case reading.Schnorr:
		u.Keys[0] = m.values[Key]
	case reading.Recover:
		if v := &s.Sig[64]; *v >= 27 && *v <= 30 { // Bitcoin and Ethereum add 27 to the recovery ID
			*v -= 27
		}
		u.Sender = nil
		if m.spec.Names[Sender] != "" || m.spec.Names[Key] != "" {
			u.Sender = m.values[Sender]
		}
	}
	m.out(u)
}

// addressOfKey makes the Ethereum address of the row's key the sender to compare with.
func (m *maker) addressOfKey() {
	key, err := koblitz.ParsePublicKey(m.values[Key])
	if err != nil {
		m.fault(Key, reading.Reason(err))
		return
	}
	m.keccak.Reset()
	full := key.UncompressedBytes()
	m.keccak.Write(full[1:])
	m.values[Sender] = append(m.values[Sender][:0], m.keccak.Sum(nil)[12:]...)
}

// Short returns a name shortened for messages.
func Short(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
