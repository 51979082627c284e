// Package undo reads the outputs that a block spends from the rev*.dat files of Bitcoin Core.
package undo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// maxMoney is the maximum amount of an output in satoshis (MAX_MONEY in Bitcoin Core).
const maxMoney = 21e14

// These are the types of a compressed script, as in CTxOutCompressor of Bitcoin Core
// (src/compressor.h). A type t ≥ specialScripts means an uncompressed script of t −
// specialScripts bytes.
const (
	scriptP2PKH    = 0 // the 20 bytes of the key hash
	scriptP2SH     = 1 // the 20 bytes of the script hash
	scriptKeyEven  = 2 // P2PK: x of a key that the script holds in compressed form
	scriptKeyOdd   = 3
	scriptFullEven = 4 // P2PK: x of a key that the script holds with both coordinates
	scriptFullOdd  = 5
	specialScripts = 6
)

// varInt reads a VarInt of Bitcoin Core (src/serialize.h): digits in base 128, the most significant
// first. Each digit but the last has its high bit set, and the value up to such a digit is
// increased by one. label names the number in errors.
func varInt(c *wireform.Cursor, label string) uint64 {
	at := c.At
	for v := uint64(0); ; v++ {
		if c.Err != nil || c.At >= len(c.Data) {
			c.Fail("ends in the middle of %s", label)
			return 0
		}
		digit, high := c.Data[c.At], v>>57
		c.At++
		v = v<<7 | uint64(digit&0x7f)
		if high > 0 || digit >= 0x80 && v == 1<<64-1 {
			c.At = at
			c.Fail("%s has more than 64 bits", label)
			return 0
		}
		if digit < 0x80 {
			return v
		}
	}
}

// A coin is an output as an undo record encodes it.
type coin struct {
	amount int64
	kind   uint64 // type of the compressed script
	data   []byte // compressed script; aliases the record
}

// readCoin reads one output: its height and coinbase flag, then an unused number if the height is
// above 0, then its amount and its script.
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

// decompressAmount is DecompressAmount of Bitcoin Core (src/compressor.cpp). Most amounts are a few
// digits followed by zeros. The number 1 + 10·(9·n + d − 1) + e encodes the digits of n, the digit
// d, and e zeros, with d from 1 to 9 and e below 9. The number 1 + 10·(n − 1) + 9 encodes the
// digits of n and nine zeros. For a value of more than 64 bits, the result is any number above
// maxMoney.
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

// script returns a copy of the coin's script, decompressed.
func (o *coin) script() ([]byte, error) {
	switch o.kind {
	case scriptP2PKH:
		return slices.Concat([]byte{txscript.OP_DUP, txscript.OP_HASH160, txscript.OP_DATA_20}, o.data,
			[]byte{txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG}), nil
	case scriptP2SH:
		return slices.Concat([]byte{txscript.OP_HASH160, txscript.OP_DATA_20}, o.data,
			[]byte{txscript.OP_EQUAL}), nil
	case scriptKeyEven, scriptKeyOdd:
		return slices.Concat([]byte{txscript.OP_DATA_33, byte(o.kind)}, o.data,
			[]byte{txscript.OP_CHECKSIG}), nil
	case scriptFullEven, scriptFullOdd:
		prefix := byte(o.kind - scriptFullEven + scriptKeyEven)
		key, err := koblitz.ParsePublicKey(slices.Concat([]byte{prefix}, o.data))
		if err != nil {
			return nil, errors.New("a spent output has a key that is not on the curve")
		}
		return slices.Concat([]byte{txscript.OP_DATA_65}, key.UncompressedBytes(),
			[]byte{txscript.OP_CHECKSIG}), nil
	}
	return bytes.Clone(o.data), nil
}

// A Reader reads an undo record (CBlockUndo in Bitcoin Core): the outputs that a block's
// transactions spend, in order. The coinbase is left out.
type Reader struct{ c wireform.Cursor }

// NewReader returns a Reader of the given record.
func NewReader(record []byte) *Reader {
	u := &Reader{wireform.Cursor{Data: record}}
	u.c.CompactSize("the number of transactions")
	return u
}

// Transaction returns the outputs that the next transaction spends. n is the transaction's number
// of inputs. The scripts are copies. Once they exceed wireform.MaxSpentScripts bytes in total, the
// remaining outputs are left zero.
func (u *Reader) Transaction(n int) ([]wireform.Output, error) {
	if got := u.c.CompactSize("the number of inputs"); u.c.Err == nil && got != uint64(n) {
		return nil, fmt.Errorf("a transaction of %d inputs, and %d spent outputs for it", n, got)
	}
	outs := make([]wireform.Output, n)
	total := 0 // total size in bytes of the scripts so far
	for i := range outs {
		o := readCoin(&u.c)
		if u.c.Err != nil {
			return nil, u.c.Err
		}
		if total > wireform.MaxSpentScripts {
			continue
		}
		script, err := o.script()
		if err != nil {
			return nil, err
		}
		outs[i] = wireform.Output{Known: true, Amount: o.amount, Script: script}
		total += len(script)
	}
	return outs, nil
}

// A shape is a hash of the number of transactions of a block and of the number of inputs of each,
// without the coinbase. A block and its undo record have the same shape.
type shape uint64

// add adds a transaction with the given number of inputs to the shape, the hash of the numbers of
// inputs.
func (s *shape) add(inputs int) {
	*s = (*s ^ shape(inputs)) * 0x9e3779b97f4a7c15
	*s ^= *s >> 29
}

// shapeOf returns the shape (hash of the numbers of inputs) and the number of transactions of an
// undo record, or an error if the record is invalid.
func shapeOf(record []byte) (s shape, txs int, err *wireform.FormatError) {
	c := wireform.Cursor{Data: record}
	txs = c.Count(1, "the number of transactions")
	for i := 0; i < txs && c.Err == nil; i++ {
		n := c.Count(1, "the number of spent outputs")
		s.add(n)
		for k := 0; k < n && c.Err == nil; k++ {
			readCoin(&c)
		}
	}
	if c.At < len(c.Data) {
		c.Fail("%d bytes after the last spent output", len(c.Data)-c.At)
	}
	return s, txs, c.Err
}

// BlockShape returns the shape (hash of the numbers of inputs) and the number of transactions,
// without the coinbase, of a serialized block. It returns an error if the block cannot be divided
// into transactions. It does not check them otherwise: an invalid block has a shape too, by which
// its undo record is found.
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
