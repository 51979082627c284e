// Package ct holds the basic constant-time operations of this module: a Choice that is 0 or 1, and
// its mask.
//
// No function branches on its arguments or uses them as an index, so the time of no function
// depends on them. A caller may turn a Choice into a branch only if the choice is public.
package ct
