// Package bitcoin verifies blocks and transactions of Bitcoin, for the types of btcd.
package bitcoin
