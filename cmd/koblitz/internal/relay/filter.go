package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/nostr"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// A Filter selects events (NIP-01).
type Filter map[string]json.RawMessage

// DefaultFilter selects the newest short text notes. Most relays have some, and answer a filter
// that names kinds and a limit. Many relays refuse the empty filter {}, or send no events for it.
const DefaultFilter = `{"kinds":[1],"limit":500}`

// maxFilter is the maximum size of a filter in bytes.
const maxFilter = 64 << 10

// ParseFilter parses a filter, a JSON object. It returns an error for an unknown name or a value of
// the wrong type. A relay would ignore an unknown name and select other events than the user meant.
func ParseFilter(text string) (Filter, error) {
	if len(text) > maxFilter {
		return nil, fmt.Errorf("a filter of more than %d bytes", maxFilter)
	}
	var f Filter
	if err := json.Unmarshal([]byte(text), &f); err != nil || f == nil {
		return nil, errors.New(`a filter is an object of JSON, such as {"kinds":[1]}`)
	}
	// Package encoding/json would accept a repeated name and keep the last value.
	if _, err := jsontext.NewDecoder(strings.NewReader(text)).ReadValue(); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		want, fits, known := filterValue(name, f[name])
		if !known {
			return nil, fmt.Errorf("a filter has no field %s%s; it has %s, and tags such as \"#t\"",
				printable.Quote(name), suggest(name), strings.Join(nostr.FilterNames, ", "))
		}
		if !fits {
			return nil, fmt.Errorf("%q is %s, and not %s", name, want, printable.Quote(f[name]))
		}
	}
	var since, until uint32
	if f["since"] != nil && f["until"] != nil && json.Unmarshal(f["since"], &since) == nil &&
		json.Unmarshal(f["until"], &until) == nil && since > until {
		return nil, errors.New(`"since" is later than "until": no event is of such a time`)
	}
	return f, nil
}

// filterValue describes the allowed values of the filter field with the given name. The result fits
// reports whether v is one of these values, and known reports whether filters have such a field.
func filterValue(name string, v json.RawMessage) (want string, fits, known bool) {
	tag := len(name) == 2 && (name[0] == '#' || name[0] == '&') && isLetter(name[1])
	switch {
	case name == "ids" || name == "authors" || tag && (name[1] == 'e' || name[1] == 'p'):
		return "a list of 64 lowercase hex digits each", isList(v, isHash), true
	case name == "kinds":
		return "a list of numbers from 0 to 65535", isList(v, func(uint16) bool { return true }), true
	case name == "since" || name == "until":
		return "a number of seconds since 1970", isNumber(v), true
	case name == "limit":
		return "a number", isNumber(v), true
	case name == "search":
		var s *string
		return "a text", json.Unmarshal(v, &s) == nil && s != nil && *s != "", true
	case tag:
		return "a list of texts", isList(v, func(string) bool { return true }), true
	}
	return "", false, false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isList reports whether v is a non-empty list of values of type T for which valid returns true. An
// empty list would select no event.
func isList[T any](v json.RawMessage, valid func(T) bool) bool {
	var list []*T // null becomes a nil pointer
	if json.Unmarshal(v, &list) != nil {
		return false
	}
	bad := func(x *T) bool { return x == nil || !valid(*x) }
	return len(list) > 0 && !slices.ContainsFunc(list, bad)
}

func isHash(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// isNumber reports whether v is a 32-bit unsigned integer. It is enough for NIP-01 times until
// 2106.
func isNumber(v json.RawMessage) bool {
	var n *uint32
	return json.Unmarshal(v, &n) == nil && n != nil
}

// suggest returns a question that suggests the known name closest to name, or "" if none is close.
func suggest(name string) string {
	lower, most := strings.ToLower(name), 2
	if strings.HasPrefix(lower, "pubkey") {
		lower = "authors"
	}
	nearest := ""
	if len(name) == 1 && isLetter(name[0]) {
		nearest, most = "#"+name, -1
	}
	for _, known := range nostr.FilterNames {
		if d := distance(lower, known); d <= most { // on a tie, the later name is suggested
			nearest, most = known, d
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", nearest)
}

// distance returns the Levenshtein distance of a and b: the number of insertions, deletions and
// replacements of letters that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the distance from a[:i] to b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0] // distance from a[:i] to b[:j]
		row[0] = i + 1
		for j := range len(b) {
			d := left
			if a[i] != b[j] {
				d = 1 + min(left, row[j], row[j+1])
			}
			left, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// limited reports whether the user's filter has a limit.
func (f Filter) limited() bool { return f["limit"] != nil }
