// Package ethereum finds the senders of transactions of Ethereum, for the types of go-ethereum.
package ethereum
