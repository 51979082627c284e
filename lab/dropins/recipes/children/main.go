// Children derives children of an extended public key (BIP-32).
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
)

// The account and its child 1 are the chains m/0' and m/0'/1 of BIP-32's test vector 1.
const (
	accountKey = "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTF" +
		"UHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw"
	childKey = "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMas" +
		"h7SyYq527Hqck2AxYysAA7xmALppuCkwQ"
)

func main() {
	account, err := hdkeychain.NewKeyFromString(accountKey)
	if err != nil {
		log.Fatal(err)
	}
	children := make([]*hdkeychain.ExtendedKey, 1000)
	begin := time.Now()
	for i := range children {
		if children[i], err = account.Derive(uint32(i)); err != nil {
			log.Fatal(err)
		}
	}
	taken := time.Since(begin)
	if children[1].String() != childKey {
		log.Fatal("the derivation is wrong: ", children[1])
	}
	fmt.Println(len(children), "children in", taken)
}
