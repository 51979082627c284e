// Package nodes tests koblitz check --node and koblitz spent --node against the servers of btcd
// and of go-ethereum, which the tests start. It is a module of its own, since a node is no
// dependency of the command. The command is built from the tree around it.
//
//	GOWORK=off go test -tags geth .
//
// Without the tag go-ethereum is left out: it compiles for minutes.
package nodes
