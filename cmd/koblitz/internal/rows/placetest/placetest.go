// Package placetest has the names of package reading/placetest.
//
//ci:untested It holds names alone.
package placetest

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"

type Found = placetest.Found

var Check, Read = placetest.Check, placetest.Read
