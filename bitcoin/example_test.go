package bitcoin_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
)

// The first payment of Bitcoin, in block 170, spends an output of block 9.
func ExampleVerifyTx() {
	const first = "0100000001c997a5e56e104102fa209c6a852dd90660a20b2d9c352423edce25857fcd37" +
		"0400000000" +
		"4847304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8e" +
		"ca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901ffffffff0200ca9a3b00000000434104ae" +
		"1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1" +
		"b7303b8a0626f1baded5c72a704f7e6cd84cac00286bee0000000043410411db93e1dcdb8a016b49840f8c53bc" +
		"1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f6" +
		"56b412a3ac00000000"
	tx := new(wire.MsgTx)
	if err := tx.Deserialize(hex.NewDecoder(strings.NewReader(first))); err != nil {
		panic(err)
	}
	script := tx.TxOut[1].PkScript // the change goes to the key that is spent
	outputs := txscript.NewMultiPrevOutFetcher(map[wire.OutPoint]*wire.TxOut{
		tx.TxIn[0].PreviousOutPoint: wire.NewTxOut(50e8, script),
	})

	rules, err := bitcoin.RulesAt(wire.MainNet, 170, chainhash.Hash{})
	if err != nil {
		panic(err)
	}
	fmt.Println(bitcoin.VerifyTx(context.Background(), tx, outputs, rules, nil))

	tx.TxOut[0].Value++
	err = bitcoin.VerifyTx(context.Background(), tx, outputs, rules, nil)
	var input *bitcoin.InputError
	if errors.As(err, &input) {
		fmt.Printf("input %d (%s): %v\n", input.Input, input.Kind, input.Err)
	}
	// Output:
	// <nil>
	// input 0 (p2pk): the signature is not one of the key
}
