// Package nodes tests koblitz check --node and koblitz spent --node with nodes of btcd and
// go-ethereum, which the tests start. It is a module of its own, so that the command does not
// depend on the nodes. The tests build the command from this repository.
//
//	GOWORK=off go test -tags geth .
//
// Without the tag, go-ethereum is left out, as compiling it takes minutes.
package nodes
