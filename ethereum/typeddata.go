package ethereum

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Limits of typed data, far above what wallets show.
const (
	maxTypes = 256     // struct types
	maxNames = 1 << 16 // bytes of all names in types: the hash of each type may cover all of them
	maxName  = 1024    // bytes of a type's name, which is looked up for each value
	maxDepth = 128     // structs and arrays around a value
)

// domainType is the name of the struct type of a domain.
const domainType = "EIP712Domain"

// TypedDataHash returns the hash that eth_signTypedData_v4 signs for typed data in JSON: an object
// with the fields types, primaryType, domain and message (EIP-712). It ignores other fields, and
// the fields of a member's declaration other than name and type.
//
// It is strict: where ethers, eth-sig-util and viem differ, it returns an error, with two
// exceptions. Types that are recursive or not used are accepted, which ethers refuses. EIP712Domain
// is used as types declares it, while ethers ignores the declaration, and knows five fields alone.
// Every field of a struct must be there, without a null, and no other field. An integer is in the
// range of its type. It is a string, decimal or with the prefix 0x, or a number without a fraction
// or an exponent, with an absolute value below 2^53: JavaScript rounds others. Bytes and addresses
// are hexadecimal with the prefix 0x, and an address is in lowercase or has the checksum of ERC-55.
// An array of fixed size has that size. No string has half of a surrogate pair. Types are declared
// and named like identifiers, without a dollar sign, and never like an integer or bytes of another
// size; there are no aliases int and uint. A domain contains no other struct. There are at most 256
// types, with 65536 bytes of names, and 1024 bytes of a member's type. If an object of the JSON has
// two members of one name, the last one counts, as in JavaScript. The error names the field that is
// wrong.
//
// Time and memory are proportional to the length of data, which the caller limits. An array of
// small numbers takes about a hundred times its length of memory.
func TypedDataHash(data []byte) (common.Hash, error) {
	hash, err := typedDataHash(bytes.Clone(data)) // a copy, because it is read more than once
	if err != nil {
		return common.Hash{}, fmt.Errorf("ethereum: typed data: %w", err)
	}
	return hash, nil
}

func typedDataHash(data []byte) (hash common.Hash, err error) {
	if !utf8.Valid(data) {
		return hash, errors.New("not UTF-8")
	}
	var root any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // a float64 would change large integers
	if err := dec.Decode(&root); err != nil {
		return hash, fmt.Errorf("JSON: %w", err)
	}
	end := dec.InputOffset()
	if _, err := dec.Token(); err != io.EOF {
		return hash, fmt.Errorf("JSON: text after byte %d, the end of the object", end)
	}
	if at := loneSurrogate(data); at >= 0 {
		return hash, fmt.Errorf("JSON: byte %d: half of a surrogate pair", at)
	}
	all, ok := root.(map[string]any)
	if !ok {
		return hash, fmt.Errorf("%s, want an object", kindOf(root))
	}
	for _, name := range []string{"types", "primaryType", "domain", "message"} {
		if _, ok := all[name]; !ok {
			return hash, fmt.Errorf("%s: missing", name)
		}
	}
	d := typedData{types: make(map[string][]member), hashes: make(map[string]common.Hash)}
	if err := d.declare(all["types"]); err != nil {
		return hash, fmt.Errorf("types%w", err)
	}
	primary, ok := all["primaryType"].(string)
	if !ok {
		return hash, fmt.Errorf("primaryType: %s, want a string", kindOf(all["primaryType"]))
	}
	if _, ok := d.types[primary]; !ok || primary == domainType {
		return hash, fmt.Errorf("primaryType: %.100q, want a struct type of types", primary)
	}
	if _, ok := d.types[domainType]; !ok {
		return hash, fmt.Errorf("types.%s: missing", domainType)
	}
	separator, err := d.structHash(domainType, all["domain"])
	if err != nil {
		return hash, fmt.Errorf("domain%w", err)
	}
	inner, err := d.structHash(primary, all["message"])
	if err != nil {
		return hash, fmt.Errorf("message%w", err)
	}
	return DomainHash(separator, inner), nil
}

// loneSurrogate returns the offset of the first escape sequence in JSON that is half of a surrogate
// pair without the other half, or -1. UTF-8 cannot encode it, and encoding/json replaces it by
// U+FFFD, which is another text than the one that was sent.
func loneSurrogate(text []byte) int {
	code := func(at int) rune { // the number in a sequence \u, or 0
		if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
			return 0
		}
		n, _ := strconv.ParseUint(string(text[at+2:at+6]), 16, 16)
		return rune(n)
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if r := code(i); !utf16.IsSurrogate(r) {
			i++ // the escaped character may be a backslash
		} else if utf16.DecodeRune(r, code(i+6)) != utf8.RuneError {
			i += 11
		} else {
			return i
		}
	}
	return -1
}

// typedData has the struct types of typed data.
type typedData struct {
	types  map[string][]member
	hashes map[string]common.Hash // the type hashes that are known
	depth  int                    // structs and arrays around the present value
}

// A member is a member of a struct type.
type member struct{ name, kind string }

// declare stores the types that value declares; value is the document's field types. Errors in this
// file begin with the path of a field, or with a colon.
func (d *typedData) declare(value any) error {
	declared, ok := value.(map[string]any)
	switch {
	case !ok:
		return fmt.Errorf(": %s, want an object", kindOf(value))
	case len(declared) > maxTypes:
		return fmt.Errorf(": %d, more than %d", len(declared), maxTypes)
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if !typeName.MatchString(name) || notStruct.MatchString(name) || isAtomic(name) {
			return fmt.Errorf(": %.100q is no name of a struct type", name)
		}
		list, ok := declared[name].([]any)
		if !ok {
			return fmt.Errorf(".%.100s: %s, want an array", name, kindOf(declared[name]))
		}
		size += len(name)
		members := make([]member, len(list))
		seen := make(map[string]bool)
		for i, v := range list {
			m, err := declaration(v, declared)
			if err == nil && seen[m.name] {
				err = fmt.Errorf(".name: %.100q a second time", m.name)
			}
			if base, _ := baseType(m.kind); err == nil && name == domainType && !isAtomic(base) {
				// eth-sig-util encodes a domain as if no other struct type were declared.
				err = fmt.Errorf(".type: %.100q is a struct, which a domain cannot contain", m.kind)
			}
			if err != nil {
				return fmt.Errorf(".%.100s[%d]%w", name, i, err)
			}
			seen[m.name], members[i] = true, m
			size += len(m.name) + len(m.kind)
		}
		if size > maxNames {
			return fmt.Errorf(": more than %d bytes of names", maxNames)
		}
		d.types[name] = members
	}
	return nil
}

// declaration returns the member that value declares. declared has the names of all struct types.
func declaration(value any, declared map[string]any) (m member, err error) {
	object, ok := value.(map[string]any)
	if !ok {
		return m, fmt.Errorf(": %s, want an object", kindOf(value))
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{"name", &m.name}, {"type", &m.kind}} {
		v, ok := object[f.name]
		if !ok {
			return m, fmt.Errorf(".%s: missing", f.name)
		}
		if *f.to, ok = v.(string); !ok {
			return m, fmt.Errorf(".%s: %s, want a string", f.name, kindOf(v))
		}
	}
	if !identifier.MatchString(m.name) {
		return m, fmt.Errorf(".name: %.100q is no identifier", m.name)
	}
	base, ok := baseType(m.kind)
	if _, known := declared[base]; !ok || !known && !isAtomic(base) {
		return m, fmt.Errorf(".type: %.100q is no type", m.kind)
	}
	if len(m.kind) > maxName {
		return m, fmt.Errorf(".type: %d bytes, more than %d", len(m.kind), maxName)
	}
	return m, nil
}

// A typeName has no dollar sign, unlike a member's name: eth-sig-util takes the letters, digits and
// underscores at the beginning of a type for the name of the struct that it contains.
var typeName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// notStruct are names that ethers or viem does not take for those of struct types.
var notStruct = regexp.MustCompile(`^((u?int|bytes)[0-9]*|__proto__)$`)

var identifier = regexp.MustCompile(`^[a-zA-Z_$][a-zA-Z0-9_$]*$`)

// baseType returns a type without the brackets of arrays. It returns false if the brackets, or the
// sizes in them, are malformed. A size has at most 63 bits, and is in decimal.
func baseType(t string) (base string, ok bool) {
	base, sizes, array := strings.Cut(t, "[")
	if !array {
		return base, true
	}
	sizes, ok = strings.CutSuffix(sizes, "]")
	for size := range strings.SplitSeq(sizes, "][") {
		if n, err := strconv.ParseUint(size, 10, 63); size != "" &&
			(err != nil || strconv.FormatUint(n, 10) != size) {
			return base, false
		}
	}
	return base, ok
}

// sized returns n if t is prefix followed by n, a positive multiple of step up to max. Otherwise it
// returns 0.
func sized(t, prefix string, step, max int) int {
	digits, ok := strings.CutPrefix(t, prefix)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(n) != digits || n < step || n > max || n%step != 0 {
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
		other := slices.Min(slices.Collect(maps.Keys(object)))
		if path := "." + other; identifier.MatchString(other) && len(other) <= 100 {
			return hash, fmt.Errorf("%s: type %.100s has no such member", path, name)
		}
		return hash, fmt.Errorf("[%.100q]: type %.100s has no such member", other, name)
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
		word, err = integer(t, v.String(), value)
		if n, _ := strconv.ParseInt(v.String(), 10, 64); err == nil && (n <= -1<<53 || n >= 1<<53) {
			err = fmt.Errorf(": %.100s is not below 2^53: JavaScript would round it; a string is exact", v)
		}
		return word, err
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
		digits, ok := strings.CutPrefix(v, "0x")
		b, err := hex.DecodeString(digits)
		switch {
		case !ok || err != nil:
			return word, fmt.Errorf(": %.100q, want 0x and pairs of hexadecimal digits for type %s", v, t)
		case t == "bytes":
			return crypto.Keccak256Hash(b), nil
		case len(b) != size:
			return word, fmt.Errorf(": %d bytes, want %d for type %s", len(b), size, t)
		case t == "address":
			copy(word[12:], b)
			if v != strings.ToLower(v) && v != common.Address(b).Hex() {
				return word, fmt.Errorf(": %s has a wrong checksum (ERC-55)", v)
			}
		default:
			copy(word[:], b)
		}
		return word, nil
	}
	return word, mismatch(t, value)
}

// integer returns the encoding of text as an integer of type t.
func integer(t, text string, value any) (word common.Hash, err error) {
	bits, signed := sized(t, "uint", 8, 256), false
	if bits == 0 {
		bits, signed = sized(t, "int", 8, 256)-1, true
	}
	if bits < 0 {
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
	negative := ok && n.Sign() < 0
	size := n
	if negative {
		size = new(big.Int).Not(n) // -1 - n
	}
	if !ok || negative && !signed || size.BitLen() > bits {
		return word, fmt.Errorf(": %.100q is no integer of type %s", text, t)
	}
	if negative {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	n.FillBytes(word[:])
	return word, nil
}

// mismatch returns the error for a value of another JSON type than t has.
func mismatch(t string, value any) error {
	return fmt.Errorf(": %s, want a value of type %.100s", kindOf(value), t)
}

// kindOf returns the name of the JSON type of a value.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}
