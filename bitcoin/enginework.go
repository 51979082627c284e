package bitcoin

import (
	"fmt"

	"github.com/btcsuite/btcd/txscript/v2"
)

// The script engine hashes for each signature that a script checks: most of the transaction before
// segwit, and the annex and an output in a tapscript. These limits keep its work in proportion to
// the size of a transaction. Inputs beyond them are NotCheckable.
const (
	// maxLegacyChecks is the maximum number of signatures that the scripts of a transaction before
	// segwit may check. BIP 54 proposes the same limit. No common transaction has as many.
	maxLegacyChecks = 2500

	// maxTapscriptBytes limits the bytes that the signatures of one tapscript hash.
	maxTapscriptBytes = 1 << 25
)

// engineExcess says why running the input in the script engine takes too much work, or returns "".
func (x *Judge) engineExcess() string {
	t := x.t
	if n := t.legacyChecks(); n > maxLegacyChecks && t.legacyChecksOf(x.i) > 0 {
		return fmt.Sprintf("the transaction's scripts check up to %d signatures, more than %d", n,
			maxLegacyChecks)
	}
	items := t.Tx.TxIn[x.i].Witness
	if !txscript.IsPayToTaproot(t.Spent[x.i].Script) || len(items) < 2 {
		return ""
	}
	hashed := 0
	if n := len(items); len(items[n-1]) > 0 && items[n-1][0] == txscript.TaprootAnnexTag {
		hashed, items = len(items[n-1]), items[:n-1]
	}
	if x.i < len(t.Tx.TxOut) {
		hashed += len(t.Tx.TxOut[x.i].PkScript)
	}
	if len(items) < 2 || hashed == 0 {
		return ""
	}
	// BIP 342 permits one signature, and one more for each 50 bytes of the witness.
	budget := 1 + t.Tx.TxIn[x.i].Witness.SerializeSize()/50
	if n := min(budget, signatureChecks(items[len(items)-2])); n > maxTapscriptBytes/hashed {
		return fmt.Sprintf("up to %d signatures of its script hash %d bytes each", n, hashed)
	}
	return ""
}

// legacyChecks returns the sum of legacyChecksOf over the inputs.
func (t *Transaction) legacyChecks() int {
	t.onceChecks.Do(func() {
		for i := range t.Tx.TxIn {
			t.checks += t.legacyChecksOf(i)
		}
	})
	return t.checks
}

// legacyChecksOf returns an upper bound on the number of signatures that the signature script of
// input i, the script that it spends, and a P2SH redeem script check. A script has at most 201
// operations, and each key of a multisig counts as one.
func (t *Transaction) legacyChecksOf(i int) int {
	sig, spent := t.Tx.TxIn[i].SignatureScript, t.Spent[i].Script
	checks := func(script []byte) int {
		return min(signatureChecks(script), txscript.MaxOpsPerScript)
	}
	n := checks(sig) + checks(spent)
	if txscript.IsPayToScriptHash(spent) {
		var redeem []byte
		for s := txscript.MakeScriptTokenizer(0, sig); s.Next(); {
			redeem = s.Data()
		}
		n += checks(redeem)
	}
	return n
}

// signatureChecks returns an upper bound on the number of signatures that script checks.
func signatureChecks(script []byte) (n int) {
	keys := txscript.MaxPubKeysPerMultiSig
	for s := txscript.MakeScriptTokenizer(0, script); s.Next(); {
		switch op := s.Opcode(); op {
		case txscript.OP_CHECKSIG, txscript.OP_CHECKSIGVERIFY, txscript.OP_CHECKSIGADD:
			n++
		case txscript.OP_CHECKMULTISIG, txscript.OP_CHECKMULTISIGVERIFY:
			n += keys
		}
		keys = txscript.MaxPubKeysPerMultiSig
		if op := s.Opcode(); op >= txscript.OP_1 && op <= txscript.OP_16 {
			keys = int(op) - txscript.OP_1 + 1
		}
	}
	return n
}
