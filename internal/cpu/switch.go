package cpu

import "strings"

// Switch is the name of the environment variable by which an operator forbids instructions:
// names of features as Features gives them, "lanes", or "all", with commas or spaces between
// them, in either case. It is read once, when the program starts.
//
// It only takes away. What is left computes the same results, and secrets in constant time, so
// that whoever controls the environment of a program can slow it down and nothing else.
const Switch = "KOBLITZ_CPU_OFF"

// parseSwitch returns the features that a value of Switch takes away. It passes over names that
// mean nothing.
func parseSwitch(value string) (f Feature) {
	separator := func(r rune) bool { return r == ',' || r == ' ' }
	for _, name := range strings.FieldsFunc(value, separator) {
		f |= feature(name)
	}
	if f&AVX2 != 0 {
		f |= AVX512F // whose kernels use AVX2 as well
	}
	return f
}

// feature returns what a name of Switch stands for, or 0. Nothing but the lanes uses IFMA.
func feature(name string) Feature {
	switch strings.ToLower(name) {
	case "all":
		return end - 1
	case "lanes":
		return AVX512IFMA
	}
	for i := range names {
		if strings.EqualFold(name, names[i]) {
			return 1 << i
		}
	}
	return 0
}
