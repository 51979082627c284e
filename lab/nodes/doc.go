// Package nodes tests koblitz check --node with nodes of btcd and go-ethereum, which the tests
// start. It is a separate module, so that the module of the command does not depend on the nodes.
// The tests build the command from this repository.
//
//	GOWORK=off go test -tags geth .
//
// Without the tag geth, the test of go-ethereum is left out, because go-ethereum takes minutes to
// compile.
package nodes
