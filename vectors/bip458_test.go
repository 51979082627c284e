package vectors

import (
	"bytes"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/x/halfagg"
)

// A halfaggRow is a row of a vector file of BIP-458.
type halfaggRow struct{ csvRow }

// list returns the values of a field, which semicolons separate.
func (r halfaggRow) list(column string) (values [][]byte) {
	for s := range strings.SplitSeq(r.text(column), ";") {
		if s != "" {
			values = append(values, unhex(r.t, s))
		}
	}
	return values
}

// statements returns the statements whose keys and messages are in two columns.
func (r halfaggRow) statements(keys, messages string) []halfagg.Statement {
	messageList := r.list(messages)
	var statements []halfagg.Statement
	for i, key := range r.list(keys) {
		statements = append(statements,
			halfagg.Statement{Key: [32]byte(key), Message: [32]byte(messageList[i])})
	}
	count(r.t, messages, len(messageList), len(statements))
	return statements
}

func (r halfaggRow) signatures(column string) (signatures [][64]byte) {
	for _, b := range r.list(column) {
		signatures = append(signatures, [64]byte(b))
	}
	return signatures
}

// check compares a result with the expected one of the row.
func (r halfaggRow) check(got []byte, err error, expected string) {
	r.t.Helper()
	if !r.verdict("expected_result") {
		if err == nil {
			r.t.Errorf("row %s (%s): no error", r.text("index"), r.text("comment"))
		}
		return
	}
	want := []byte(nil)
	if expected != "" {
		want = r.bytes(expected)
	}
	if err != nil || !bytes.Equal(got, want) {
		r.t.Errorf("row %s: %x, %v; want %x", r.text("index"), got, err, want)
	}
}

// TestBIP458 checks every vector of BIP-458's draft.
func TestBIP458(t *testing.T) {
	for _, row := range loadCSV(t, "bip458_aggregate.csv", 9) {
		r := halfaggRow{row}
		got, err := halfagg.Aggregate(r.statements("pubkeys", "messages"), r.signatures("signatures"))
		r.check(got, err, "expected_aggsig")
	}
	for _, row := range loadCSV(t, "bip458_incaggregate.csv", 8) {
		r := halfaggRow{row}
		got, err := halfagg.IncAggregate(r.bytes("aggsig"),
			r.statements("pm_aggd_pubkeys", "pm_aggd_messages"),
			r.statements("pms_pubkeys", "pms_messages"), r.signatures("pms_signatures"))
		r.check(got, err, "expected_aggsig")
	}
	valid := 0
	for _, row := range loadCSV(t, "bip458_verify.csv", 22) {
		r := halfaggRow{row}
		err := halfagg.VerifyAggregate(r.bytes("aggsig"), r.statements("pubkeys", "messages"))
		r.check(nil, err, "")
		if err == nil {
			valid++
		}
	}
	count(t, "valid aggregates", valid, 5)
}
