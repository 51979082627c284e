package main

//ci:untested TestRecipes compares main.go with docs/drop-in.md and runs it.
