package cpu

import "strings"

// Switch is the name of the environment variable with which an operator disables instructions. Its
// value lists names of features as Features returns them, "lanes", or "all", separated by commas or
// spaces, in upper or lower case. It is read once, when the program starts.
//
// It can only disable instructions. The remaining code computes the same results, with secrets in
// constant time. So an attacker who controls a program's environment can slow the program down and
// do no more.
const Switch = "KOBLITZ_CPU_OFF"

// parseSwitch returns the features that value, a value of the variable Switch, disables. It ignores
// unknown names.
func parseSwitch(value string) (f Feature) {
	separator := func(r rune) bool { return r == ',' || r == ' ' }
	for _, name := range strings.FieldsFunc(value, separator) {
		f |= feature(name)
	}
	return f
}

// feature returns the features that one name in the value of the environment variable Switch
// disables, or 0 if the name is unknown. Only lanes use IFMA, DQ and FMA.
func feature(name string) Feature {
	switch strings.ToLower(name) {
	case "all":
		return end - 1
	case "lanes":
		return AVX512IFMA | AVX512DQ | AVXIFMA | FMA
	}
	for i := range names {
		if strings.EqualFold(name, names[i]) {
			return 1 << i
		}
	}
	return 0
}
