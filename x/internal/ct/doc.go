// Package ct marks secrets and public values for lab/ctcheck, which checks that time does not
// depend on secrets. Without the build tag valgrind, marking does nothing. With the tag, this
// package calls the core's package of the same name, which this module does not import otherwise.
//
//ci:untested lab/ctcheck runs it
package ct
