package nostr

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const (
	testID  = "d56beb302090d1ed710361a737ed51cd11b0c55c3c97f3710600c5ffc799fd49"
	testKey = "6b090de0afd7ed93e6a78ff911526ca81fb9597d2ad76d9ac8021d4378539a20"
	testSig = "65365ce2ae190d71eb5923900ff3488342e80e8c3ca239c307366428946cf105" +
		"de92dd0053b6bc4a2d5fa416c34bf29a767f8385d8c4772ee43195c3ea04e33e"
)

// object returns an event with the given content and tags in JSON.
func object(content, tags string) string {
	return fmt.Sprintf(`{"content":%s,"created_at":1741372931,"id":"%s","kind":7,"pubkey":"%s",`+
		`"sig":"%s","tags":%s}`,
		content, testID, testKey, testSig, tags)
}

// results returns the verdicts and reasons of the values of a line.
func results(line string) (all []string) {
	newLineReader(func(u *reading.Unit) {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%v %s", u.Decided, u.Reason)))
	}).read([]byte(line), reading.In("f"))
	return all
}

// TestReasons checks the verdicts and reasons of the values of a line, and that the number of
// values is limited.
func TestReasons(t *testing.T) {
	good := object(`"x"`, `[]`)
	wrongID := results(good)[0]
	for _, test := range []struct {
		line string
		want []string
	}{
		{strings.Replace(good, `"kind"`, `"seen":[1,{"a":null}],"seen":"twice","kind"`, 1),
			[]string{wrongID}},
		{`["X",{"sig":0}]`, []string{`malformed an envelope of kind "X" with an object that has ` +
			`"sig", as an event; events are in EVENT and AUTH`}},
		{`[["EOSE","x"],` + good + `,5]`, []string{"passed over", wrongID,
			fmt.Sprintf("malformed column %d: expected an event {…} or an envelope […]", 16+len(good))}},
		{"[[" + strings.Repeat(`["OK"],`, maxInLine-1) + `["OK"]]]`,
			slices.Repeat([]string{"passed over"}, maxInLine)},
		{"[[" + strings.Repeat(`["OK"],`, maxInLine) + good + "," + good + "]]",
			append(slices.Repeat([]string{"passed over"}, maxInLine),
				"malformed more than 65536 values in the lists of one line")},
	} {
		if got := results(test.line); !slices.Equal(got, test.want) {
			t.Errorf("%.300s\n%.500q\nwant %.500q", test.line, got, test.want)
		}
	}
}

// FuzzLine checks that something is said about every line.
func FuzzLine(f *testing.F) {
	f.Add([]byte(object(`"x"`, `[["e","x"]]`)))
	f.Add([]byte(object(`"\ud83d\ude00\n\u0000"`, `[[]]`)))
	f.Add([]byte(`["EVENT","a",` + object(`""`, `[]`) + `]`))
	f.Add([]byte(`[{"a":["\",",1]},[],["OK",1],{},[{}]]`))
	f.Add([]byte(`["EOSE",{"a":[1.5e3,-0,null]}]`))
	f.Add([]byte(`["AUTH",` + object(`""`, `[]`) + `,[{"a":` + object(`""`, `[]`) + `}]]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		units := 0
		newLineReader(func(u *reading.Unit) {
			units++
			if u.Decided == reading.Valid || u.Reason == "" && u.Decided != reading.Unchecked &&
				u.Decided != reading.PassedOver {
				t.Fatalf("unit %+v", u)
			}
		}).read(line, reading.In("f"))
		if units == 0 || units > rows(line) {
			t.Fatalf("%d units of %q, with room for %d", units, line, rows(line))
		}
	})
}
