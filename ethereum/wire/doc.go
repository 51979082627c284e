// Package wire decodes what Ethereum's execution layer signs and hashes: RLP, transactions and the
// headers of blocks. It imports nothing of go-ethereum, and verifies no signatures.
//
//	you have                       use
//	an RLP item                    Split, SplitString, SplitList, SplitUint64
//	an RLP item that is read       ParseHead
//	content to encode              AppendString, AppendUint64, WrapList
//	a transaction (EIP-2718)       Transaction.Decode
//	the header of a block          Header.Decode, Header.Append
//
// RLP is the encoding of the Yellow Paper, appendix B. Only the canonical encoding of each item is
// accepted: lengths in their shortest form, single bytes below 0x80 without a head, and numbers
// without leading zero bytes.
//
// Decoded values are parts of the input: nothing is copied or allocated, except for errors. The
// caller must not change the input while it uses them. All functions may be called concurrently,
// and a Transaction or a Header by one goroutine at a time. All data is public: the time of a call
// depends on its arguments.
package wire
