// Package nodes tests the command koblitz check --node with a node of go-ethereum, which the test
// starts. It is a separate module, so that the module of the command does not depend on the node.
// The test builds the command from this repository.
//
//	GOWORK=off go test -tags geth .
//
// Without the tag geth, the test is left out, because go-ethereum takes minutes to compile.
package nodes
