// Package nodes tests the command koblitz check --node with a node of go-ethereum, which the test
// starts. It is not in the module of the command, which must not depend on the node. The test
// builds the command from this repository.
//
//	GOWORK=off go test -tags geth ./nodes
//
// Without the tag geth, the test is left out, because go-ethereum takes minutes to compile.
package nodes

//ci:untested The part nodes of make acceptance runs the test.
