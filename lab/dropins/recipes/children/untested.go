package main

//ci:untested TestRecipes runs main.go.
