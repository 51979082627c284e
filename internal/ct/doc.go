// Package ct holds the constant-time vocabulary that everything else is
// written in: a Choice that is 0 or 1, its mask, and selection without
// branches.
//
// No function here branches on its arguments or uses them as an index, so none
// takes a time that depends on them. Turning a Choice into a branch is the
// caller's act, and is right only where the choice is public.
package ct
