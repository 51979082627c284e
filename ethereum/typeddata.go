package ethereum

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// Limits of typed data, far above what wallets show.
const (
	maxTypes = 256  // struct types
	maxDepth = 128  // structs and arrays around a value
	maxName  = 1024 // bytes of a type's name, which is looked up for each value
)

// TypedDataHash returns the hash that eth_signTypedData_v4 signs for typed data in JSON: an object
// with the fields types, primaryType, domain and message (EIP-712). Other fields are ignored.
//
// It is strict. Every field of a struct must be there, without a null, and no other field. An
// integer is in the range of its type, and is a number without a fraction or an exponent, or a
// string, decimal or with the prefix 0x. Bytes and addresses are hexadecimal with the prefix 0x.
// An array of fixed size has that size. Types are declared, named like identifiers, and not more
// than 256; there are no aliases int and uint. A type's name has at most 1024 bytes, brackets
// included. If an object of the JSON has two members of one name, the last one counts, as in
// JavaScript. The error names the field that is wrong.
func TypedDataHash(data []byte) (common.Hash, error) {
	hash, err := typedDataHash(data)
	if err != nil {
		return common.Hash{}, fmt.Errorf("ethereum: typed data: %w", err)
	}
	return hash, nil
}

func typedDataHash(data []byte) (hash common.Hash, err error) {
	if !utf8.Valid(data) {
		return hash, errors.New("not UTF-8")
	}
	var all map[string]json.RawMessage // not a struct, for which case would not matter
	if err := json.Unmarshal(data, &all); err != nil {
		return hash, err
	}
	var (
		types           map[string][]map[string]string
		primary         string
		domain, message any
	)
	for _, f := range []struct {
		name string
		to   any
	}{{"types", &types}, {"primaryType", &primary}, {"domain", &domain}, {"message", &message}} {
		dec := json.NewDecoder(bytes.NewReader(all[f.name]))
		dec.UseNumber() // a float64 would change large integers
		if err := dec.Decode(f.to); err == io.EOF {
			return hash, fmt.Errorf("%s: missing", f.name)
		} else if err != nil {
			return hash, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	d := typedData{types: make(map[string][]member), hashes: make(map[string]common.Hash)}
	for name, members := range types {
		d.types[name] = make([]member, len(members))
		for i, m := range members {
			d.types[name][i] = member{m["name"], m["type"]}
		}
	}
	if err := d.validate(); err != nil {
		return hash, fmt.Errorf("types%w", err)
	}
	const domainType = "EIP712Domain"
	if _, ok := d.types[primary]; !ok || primary == domainType {
		return hash, fmt.Errorf("primaryType: %q, want a struct type of types", primary)
	}
	if _, ok := d.types[domainType]; !ok {
		return hash, fmt.Errorf("types: no type %s", domainType)
	}
	separator, err := d.structHash(domainType, domain)
	if err != nil {
		return hash, fmt.Errorf("domain%w", err)
	}
	inner, err := d.structHash(primary, message)
	if err != nil {
		return hash, fmt.Errorf("message%w", err)
	}
	return DomainHash(separator, inner), nil
}

// typedData has the struct types of typed data.
type typedData struct {
	types  map[string][]member
	hashes map[string]common.Hash // the type hashes that are known
	depth  int                    // structs and arrays around the present value
}

// A member is a member of a struct type.
type member struct{ name, kind string }

// validate checks the declarations. Errors in this file begin with the path of a field, or with a
// colon.
func (d *typedData) validate() error {
	if len(d.types) > maxTypes {
		return fmt.Errorf(": %d, more than %d", len(d.types), maxTypes)
	}
	for _, name := range slices.Sorted(maps.Keys(d.types)) {
		if len(name) > maxName {
			return fmt.Errorf(": a name of %d bytes, more than %d", len(name), maxName)
		}
		if !isIdentifier(name) || isAtomic(name) || name == "int" || name == "uint" {
			return fmt.Errorf(": %q is no name of a struct type", name)
		}
		seen := make(map[string]bool)
		for i, m := range d.types[name] {
			if !isIdentifier(m.name) || seen[m.name] {
				return fmt.Errorf(".%s[%d].name: %q, want an identifier that occurs once",
					name, i, m.name)
			}
			seen[m.name] = true
			if len(m.kind) > maxName {
				return fmt.Errorf(".%s[%d].type: %d bytes, more than %d",
					name, i, len(m.kind), maxName)
			}
			base, ok := baseType(m.kind)
			if _, declared := d.types[base]; !ok || !declared && !isAtomic(base) {
				return fmt.Errorf(".%s[%d].type: %q is no type", name, i, m.kind)
			}
		}
	}
	return nil
}

// baseType returns a type without the brackets of arrays. It returns false if the brackets, or the
// sizes in them, are malformed.
func baseType(t string) (base string, ok bool) {
	base, sizes, array := strings.Cut(t, "[")
	for array {
		var size string
		if size, sizes, ok = strings.Cut(sizes, "]"); !ok {
			return base, false
		}
		if n, err := strconv.Atoi(size); size != "" && (err != nil || strconv.Itoa(n) != size || n < 0) {
			return base, false
		}
		if array = sizes != ""; array {
			if sizes, ok = strings.CutPrefix(sizes, "["); !ok {
				return base, false
			}
		}
	}
	return base, true
}

func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// sized returns n if t is prefix followed by n, a positive multiple of step up to max. Otherwise it
// returns 0.
func sized(t, prefix string, step, max int) int {
	digits, ok := strings.CutPrefix(t, prefix)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || strconv.Itoa(n) != digits || n < step || n > max || n%step != 0 {
		return 0
	}
	return n
}

func isAtomic(t string) bool {
	return t == "address" || t == "bool" || t == "string" || t == "bytes" ||
		sized(t, "bytes", 1, 32) > 0 || sized(t, "uint", 8, 256) > 0 || sized(t, "int", 8, 256) > 0
}

// typeHash returns the hash of a struct type: of its declaration and those of all types that it
// uses, in the order of their names.
func (d *typedData) typeHash(name string) common.Hash {
	if hash, ok := d.hashes[name]; ok {
		return hash
	}
	uses := map[string]bool{name: true}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, m := range d.types[queue[0]] {
			base, _ := baseType(m.kind)
			if _, ok := d.types[base]; ok && !uses[base] {
				uses[base] = true
				queue = append(queue, base)
			}
		}
	}
	delete(uses, name)
	var b bytes.Buffer
	for _, t := range append([]string{name}, slices.Sorted(maps.Keys(uses))...) {
		b.WriteString(t)
		separator := byte('(')
		for _, m := range d.types[t] {
			b.WriteByte(separator)
			b.WriteString(m.kind + " " + m.name)
			separator = ','
		}
		if separator == '(' {
			b.WriteByte('(')
		}
		b.WriteByte(')')
	}
	hash := crypto.Keccak256Hash(b.Bytes())
	d.hashes[name] = hash
	return hash
}

// structHash returns hashStruct of EIP-712 for a value of a struct type.
func (d *typedData) structHash(name string, value any) (hash common.Hash, err error) {
	object, ok := value.(map[string]any)
	if !ok {
		return hash, mismatch(name, value)
	}
	hash = d.typeHash(name)
	b := hash[:]
	for _, m := range d.types[name] {
		v, ok := object[m.name]
		if !ok {
			return hash, fmt.Errorf(".%s: missing", m.name)
		}
		if b, err = d.appendValue(b, m.kind, v); err != nil {
			return hash, fmt.Errorf(".%s%w", m.name, err)
		}
	}
	if len(object) > len(d.types[name]) {
		for _, m := range d.types[name] {
			delete(object, m.name)
		}
		return hash, fmt.Errorf(".%s: type %s has no such member",
			slices.Min(slices.Collect(maps.Keys(object))), name)
	}
	return crypto.Keccak256Hash(b), nil
}

// appendValue appends the 32 bytes that encode a value of a type.
func (d *typedData) appendValue(b []byte, t string, value any) ([]byte, error) {
	if d.depth++; d.depth > maxDepth {
		return b, fmt.Errorf(": more than %d structs and arrays around a value", maxDepth)
	}
	defer func() { d.depth-- }()
	if _, ok := d.types[t]; ok {
		hash, err := d.structHash(t, value)
		return append(b, hash[:]...), err
	}
	if !strings.HasSuffix(t, "]") {
		word, err := atom(t, value)
		return append(b, word[:]...), err
	}
	open := strings.LastIndexByte(t, '[')
	list, ok := value.([]any)
	if !ok {
		return b, mismatch(t, value)
	}
	if size := t[open+1 : len(t)-1]; size != "" && size != strconv.Itoa(len(list)) {
		return b, fmt.Errorf(": %d items, want %s", len(list), size)
	}
	var items []byte
	for i, v := range list {
		var err error
		if items, err = d.appendValue(items, t[:open], v); err != nil {
			return b, fmt.Errorf("[%d]%w", i, err)
		}
	}
	return append(b, crypto.Keccak256(items)...), nil
}

// atom returns the encoding of a value of an atomic type, or of bytes or string.
func atom(t string, value any) (word common.Hash, err error) {
	switch v := value.(type) {
	case bool:
		if t == "bool" {
			if v {
				word[31] = 1
			}
			return word, nil
		}
	case json.Number:
		return integer(t, v.String(), value)
	case string:
		size := sized(t, "bytes", 1, 32)
		if t == "address" {
			size = common.AddressLength
		}
		switch {
		case t == "string":
			return crypto.Keccak256Hash([]byte(v)), nil
		case size == 0 && t != "bytes":
			return integer(t, v, value)
		}
		b, err := hexutil.Decode(v)
		switch {
		case err != nil:
			return word, fmt.Errorf(": type %s: %w", t, err)
		case t == "bytes":
			return crypto.Keccak256Hash(b), nil
		case len(b) != size:
			return word, fmt.Errorf(": %d bytes, want %d for type %s", len(b), size, t)
		case t == "address":
			copy(word[12:], b)
		default:
			copy(word[:], b)
		}
		return word, nil
	}
	return word, mismatch(t, value)
}

// integer returns the encoding of text as an integer of type t.
func integer(t, text string, value any) (word common.Hash, err error) {
	unsigned, signed := sized(t, "uint", 8, 256), sized(t, "int", 8, 256)
	if unsigned+signed == 0 {
		return word, mismatch(t, value)
	}
	digits, radix := text, 10
	if rest, ok := strings.CutPrefix(text, "0x"); ok {
		digits, radix = rest, 16
	}
	ok := len(digits) <= 80 && !strings.Contains(digits, "+") &&
		!(radix == 16 && strings.HasPrefix(digits, "-"))
	n := new(big.Int)
	if ok {
		n, ok = n.SetString(digits, radix)
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(unsigned))
	if signed > 0 {
		high.Lsh(big.NewInt(1), uint(signed-1))
		low.Neg(high)
	}
	if !ok || n.Cmp(low) < 0 || n.Cmp(high) >= 0 {
		return word, fmt.Errorf(": %.100q is no integer of type %s", text, t)
	}
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	n.FillBytes(word[:])
	return word, nil
}

// mismatch returns the error for a value of another JSON type than t has.
func mismatch(t string, value any) error {
	kind := "an object"
	switch value.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "a boolean"
	case json.Number:
		kind = "a number"
	case string:
		kind = "a string"
	case []any:
		kind = "an array"
	}
	return fmt.Errorf(": %s, want a value of type %s", kind, t)
}
