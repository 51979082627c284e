package ethereum

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// smallTransactions returns the transactions of the block that the function small returns, as JSON
// objects and encoded.
func smallTransactions(t testing.TB) (objects, encoded []string) {
	p := small()
	var block struct{ Transactions []json.RawMessage }
	noError(json.Unmarshal(p.rpc(), &block))
	for i, tx := range block.Transactions {
		objects = append(objects, string(tx))
		encoded = append(encoded, fmt.Sprintf(`"0x%x"`, p.raw[i]))
	}
	if len(objects) < 5 {
		t.Fatalf("%d transactions", len(objects))
	}
	return objects, encoded
}

// TestTransactions checks that a transaction read alone has the same verdict and sender as in its
// block.
func TestTransactions(t *testing.T) {
	objects, encoded := smallTransactions(t)
	want := run(JSON(source("f", small().rpc()), onMainnet))
	for name, text := range map[string]string{
		"values": strings.Join(objects, "\n"),
		"a list": "[" + strings.Join(objects, ",") + "]",
		"answers": `{"id":1,"result":` + strings.Join(objects, `} {"jsonrpc":"2.0","result":`) +
			"}",
		"encoded": strings.Join(encoded, " "),
	} {
		got := run(Transactions(source("f", []byte(text)), onMainnet))
		if got.err != nil || len(got.units) != len(objects) {
			t.Fatalf("%s: %d units, %v", name, len(got.units), got.err)
		}
		for i := range got.units {
			verdict := want.verdicts[i]
			if name == "encoded" { // encoded transactions do not state the sender
				verdict = reading.Recovered
			}
			if got.verdicts[i] != verdict || got.from[i] != want.from[i] ||
				got.units[i].Where.Tx != want.units[i].Where.Tx || got.units[i].Where.Index != -1 {
				t.Errorf("%s: %v from %v, want %v from %v: %+v", name, got.verdicts[i], got.from[i],
					verdict, want.from[i], got.units[i])
			}
		}
		if f, ok := Detect([]byte(text)); !ok || f != FormatTransactions {
			t.Errorf("%s are taken for %v", name, f)
		}
	}
}

func TestTransactionsBad(t *testing.T) {
	objects, _ := smallTransactions(t)
	good := objects[0]
	var fields struct{ From, R, Hash string }
	noError(json.Unmarshal([]byte(good), &fields))
	for name, c := range map[string]struct {
		text    string
		verdict reading.Verdict
	}{
		"another signature": {strings.Replace(good, fields.R, fields.R[:5]+"7"+fields.R[6:], 1),
			reading.Invalid},
		"another hash": {strings.Replace(good, fields.Hash, "0x"+strings.Repeat("07", 32), 1),
			reading.Invalid},
		"a name twice": {strings.Replace(good, "{", `{"nonce":"0x1",`, 1), reading.Malformed},
		"too long":     {`"0x` + strings.Repeat("00", maxText) + `"`, reading.Malformed},
	} {
		if c.text == good {
			t.Fatal(name)
		}
		got := run(Transactions(source("f", []byte(good+c.text+good)), onMainnet))
		if got.err != nil || len(got.verdicts) != 3 || got.verdicts[0] != got.verdicts[2] ||
			got.verdicts[0] == c.verdict || got.verdicts[1] != c.verdict {
			t.Errorf("%s: %v, %v", name, got.verdicts, got.err)
		}
	}
	got := run(Transactions(source("f", []byte("[[1]]")), onMainnet))
	if got.err == nil || !strings.Contains(got.err.Error(), "a transaction is wanted") ||
		len(got.units) > 0 {
		t.Errorf("%v, %v", got.verdicts, got.err)
	}
}
