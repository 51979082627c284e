// Package undo reads what the inputs of a block spend from the rev*.dat files of Bitcoin Core.
package undo

import (
	"context"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/txscript/v2"

	keybatch "github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// maxMoney is the most satoshi that an output may hold (MAX_MONEY of Bitcoin Core).
const maxMoney = 21e14

// The types of a compressed script, CTxOutCompressor in Bitcoin Core (src/compressor.h). A greater
// number is the length of a script that stands as it is, with specialScripts added.
const (
	scriptP2PKH      = 0 // the 20 bytes of the key hash
	scriptP2SH       = 1 // the 20 bytes of the script hash
	scriptKeyEven    = 2 // P2PK: x of a key that stood there compressed
	scriptKeyOdd     = 3
	scriptFullEven   = 4 // P2PK: x of a key that stood there with both coordinates
	scriptFullOdd    = 5
	specialScripts   = 6
	fullKeySize      = 65
	compressedPrefix = 2 // of a key whose y is even
)

// varInt reads Bitcoin Core's VarInt (src/serialize.h): digits of seven bits, the most
// significant first, each but the last with its high bit set, and one less than it counts.
func varInt(c *wireform.Cursor, what string) uint64 {
	at := c.At
	for v := uint64(0); ; v++ {
		if c.Err != nil || c.At >= len(c.Data) {
			c.Fail("ends in the middle of %s", what)
			return 0
		}
		digit := c.Data[c.At]
		c.At++
		if v > (1<<64-1)>>7 {
			c.At = at
			c.Fail("%s has more than 64 bits", what)
			return 0
		}
		v = v<<7 | uint64(digit&0x7f)
		if digit < 0x80 {
			return v
		}
		if v == 1<<64-1 {
			c.At = at
			c.Fail("%s has more than 64 bits", what)
			return 0
		}
	}
}

// A coin is an output as an undo record holds it.
type coin struct {
	amount int64
	kind   uint64 // of the script
	data   []byte // of the script; it aliases the record
}

// readCoin reads one output: its height with the bit of a coinbase, for a height above 0 a number
// without a meaning, then its amount and its script.
func readCoin(c *wireform.Cursor) (o coin) {
	if varInt(c, "a spent output's height")>>1 > 0 {
		varInt(c, "a spent output's version")
	}
	at := c.At
	amount := decompressAmount(varInt(c, "a spent output's amount"))
	if amount > maxMoney && c.Err == nil {
		c.At = at
		c.Fail("a spent output of %d satoshi, more than there are", amount)
	}
	o.amount = int64(amount)
	at = c.At
	o.kind = varInt(c, "the type of a spent output's script")
	size := uint64(32)
	switch {
	case o.kind <= scriptP2SH:
		size = 20
	case o.kind >= specialScripts:
		size = o.kind - specialScripts
	}
	if c.Err == nil && size > uint64(len(c.Data)-c.At) {
		left := len(c.Data) - c.At
		c.At = at
		c.Fail("a spent output's script of %d bytes, with %d left", size, left)
	}
	o.data = c.Bytes(int(size), "a spent output's script")
	return o
}

// decompressAmount is DecompressAmount of Bitcoin Core's src/compressor.cpp: amounts are mostly a
// few digits and zeros, and so the number is 1 + 10·(9·n + d − 1) + e for n followed by the digit d
// and e zeros, and 1 + 10·(n − 1) + 9 for n followed by nine. What does not fit into 64 bits comes
// out as more than maxMoney.
func decompressAmount(x uint64) uint64 {
	if x == 0 {
		return 0
	}
	x--
	e := x % 10
	n := x / 10
	if e < 9 {
		n = n/9*10 + n%9 + 1
	} else {
		n++
	}
	for ; e > 0; e-- {
		if n > maxMoney {
			return n
		}
		n *= 10
	}
	return n
}

// scriptSize is the length of the coin's script when it is whole.
func (o *coin) scriptSize() int {
	switch o.kind {
	case scriptP2PKH:
		return 25
	case scriptP2SH:
		return 23
	case scriptKeyEven, scriptKeyOdd:
		return 2 + 33
	case scriptFullEven, scriptFullOdd:
		return 2 + fullKeySize
	}
	return len(o.data)
}

// appendScript appends the script. full is the key of types 4 and 5, with both coordinates.
func (o *coin) appendScript(b, full []byte) []byte {
	switch o.kind {
	case scriptP2PKH:
		b = append(b, txscript.OP_DUP, txscript.OP_HASH160, txscript.OP_DATA_20)
		b = append(b, o.data...)
		return append(b, txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG)
	case scriptP2SH:
		b = append(b, txscript.OP_HASH160, txscript.OP_DATA_20)
		b = append(b, o.data...)
		return append(b, txscript.OP_EQUAL)
	case scriptKeyEven, scriptKeyOdd:
		b = append(b, txscript.OP_DATA_33, byte(o.kind))
		b = append(b, o.data...)
		return append(b, txscript.OP_CHECKSIG)
	case scriptFullEven, scriptFullOdd:
		b = append(b, txscript.OP_DATA_65)
		b = append(b, full...)
		return append(b, txscript.OP_CHECKSIG)
	}
	return append(b, o.data...)
}

// An Reader reads CBlockUndo: what the transactions of a block spend, in their order, without the
// coinbase.
type Reader struct {
	c    wireform.Cursor
	full []byte // the keys of types 4 and 5 that are still to come, 65 bytes each

	keys     []byte // scratch
	verdicts []keybatch.Verdict
	room     []byte
}

// Open begins to read a record, whose keys it decompresses, all of them at once.
func (u *Reader) Open(record []byte) error {
	u.c = wireform.Cursor{Data: record}
	u.keys = u.keys[:0]
	walk(&u.c, nil, func(o *coin) {
		if o.kind == scriptFullEven || o.kind == scriptFullOdd {
			u.keys = append(u.keys, byte(o.kind-scriptFullEven+compressedPrefix))
			u.keys = append(u.keys, o.data...)
		}
	})
	if u.c.Err != nil {
		return u.c.Err
	}
	n := len(u.keys) / 33
	u.room = append(u.room[:0], make([]byte, n*fullKeySize)...)
	u.verdicts = append(u.verdicts[:0], make([]keybatch.Verdict, n)...)
	u.full = u.room
	if n > 0 {
		rows := keybatch.KeyRows{Keys: keybatch.Packed(u.keys, 33)}
		valid, err := rows.Decompress(context.Background(), u.full, u.verdicts,
			&keybatch.Options{Workers: 1})
		if err != nil {
			return err
		}
		if valid < n {
			return errors.New("a spent output has a key that is not on the curve")
		}
	}
	u.c = wireform.Cursor{Data: record}
	u.c.CompactSize("the number of transactions")
	return nil
}

// Transaction returns the outputs that the next transaction spends, which has n inputs. The
// scripts are copies. It stops behind more than wireform.MaxSpentScripts bytes of them: the rest is
// empty.
func (u *Reader) Transaction(n int) ([]wireform.Output, error) {
	if got := u.c.CompactSize("the number of inputs"); u.c.Err == nil && got != uint64(n) {
		return nil, fmt.Errorf("a transaction of %d inputs, and %d spent outputs for it", n, got)
	}
	outs := make([]wireform.Output, n)
	scripts := make([]byte, 0, 34*n)
	total := 0 // bytes of the scripts so far
	for i := range outs {
		o := readCoin(&u.c)
		if u.c.Err != nil {
			return nil, u.c.Err
		}
		var full []byte
		if o.kind == scriptFullEven || o.kind == scriptFullOdd {
			full, u.full = u.full[:fullKeySize], u.full[fullKeySize:]
		}
		if total > wireform.MaxSpentScripts {
			continue
		}
		if cap(scripts)-len(scripts) < o.scriptSize() {
			// What was appended before stays where it is.
			scripts = make([]byte, 0, max(o.scriptSize(), 34*(n-i)))
		}
		at := len(scripts)
		scripts = o.appendScript(scripts, full)
		outs[i] = wireform.Output{Known: true, Amount: o.amount,
			Script: scripts[at:len(scripts):len(scripts)]}
		total += len(scripts) - at
	}
	return outs, nil
}

// walk reads a whole record and calls each for every output, and begin with the number of
// outputs before those of each transaction; both may be nil. It returns the number of transactions.
func walk(c *wireform.Cursor, begin func(inputs int), each func(*coin)) (txs int) {
	txs = c.Count(1, "the number of transactions")
	for range txs {
		n := c.Count(1, "the number of spent outputs")
		if begin != nil {
			begin(n)
		}
		for range n {
			o := readCoin(c)
			if c.Err != nil {
				return txs
			}
			if each != nil {
				each(&o)
			}
		}
	}
	if c.Err == nil && c.At < len(c.Data) {
		c.Fail("%d bytes after the last spent output", len(c.Data)-c.At)
	}
	return txs
}

// A shape is a hash of how many transactions a block has and of how many inputs each, without the
// coinbase. A block and its undo record have the same.
type shape uint64

// add continues the shape with a transaction.
func (s *shape) add(inputs int) {
	*s = (*s ^ shape(inputs)) * 0x9e3779b97f4a7c15
	*s ^= *s >> 29
}

// shapeOf is the shape of an undo record. err says why it is none.
func shapeOf(record []byte) (s shape, txs int, err *wireform.FormatError) {
	c := wireform.Cursor{Data: record}
	txs = walk(&c, s.add, nil)
	return s, txs, c.Err
}

// BlockShape is the shape of a serialized block. err says why it is none.
func BlockShape(block []byte) (s shape, txs int, err *wireform.FormatError) {
	c := wireform.Cursor{Data: block, At: wireform.HeaderSize}
	n := c.Transactions()
	for i := range n {
		if inputs := c.SkipTx(); i > 0 {
			s.add(inputs)
			txs++
		}
		if c.Err != nil {
			break
		}
	}
	return s, txs, c.Err
}
