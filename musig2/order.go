//ct:public takes partial signatures and nonces that were received

package musig2

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A wrong is a signer whose partial signature is not valid, with both sides of its equation (see
// Session.sides). If the partial signature or the public nonce is missing, sig is nil.
type wrong struct {
	signer      int
	sig         *scalar.Scalar
	left, right point.Jacobian
}

// findOrder finds out whether the partial signatures and nonces in bad are in another order than
// the signers' keys. It returns a text that names the order, or "" if no element is valid for
// another signer. all says that every element is valid for another signer: then their sum is right,
// and no signer is to blame.
//
// The equation of a signer is s·G = r + c·P, where r is ±(R1 + b·R2). If one of the three lists has
// another order than the other two, a difference or sum of terms at one index is the third term of
// another index. findOrder looks these terms up. It takes a small part of the time in which invalid
// verified the elements.
func findOrder(bad []wrong) (text string, all bool) {
	var known []int // the signers of elements that are not missing
	lists := [...]string{
		"public nonces and partial signatures", "partial signatures", "public nonces",
	}
	// For each list, the equation is that an element of moved equals one of unmoved: s·G − r = c·P,
	// s·G = r + c·P, and s·G − c·P = r.
	var moved, unmoved [len(lists)][]point.Jacobian
	for i := range bad {
		w := &bad[i]
		if w.sig == nil {
			continue
		}
		known = append(known, w.signer)
		var sG, withoutNonce, difference, minus point.Jacobian
		vartime.ScalarBaseMult(&sG, w.sig)
		withoutNonce.AddVartime(&sG, minus.Neg(&w.right))
		difference.AddVartime(&w.right, minus.Neg(&w.left)) // r + c·P − s·G
		for list, p := range [...]*point.Jacobian{&withoutNonce, &sG, &w.left} {
			var sum point.Jacobian
			sum.AddVartime(p, &difference)
			moved[list], unmoved[list] = append(moved[list], *p), append(unmoved[list], sum)
		}
	}
	most := 0
	affine := make([]point.Affine, len(known))
	for list, name := range lists {
		signers := make(map[point.Affine][]int)
		point.BatchToAffineVartime(affine, unmoved[list])
		for j, p := range affine {
			signers[p] = append(signers[p], known[j])
		}
		var elements, owners []int
		point.BatchToAffineVartime(affine, moved[list])
		for j, p := range affine {
			if of := signers[p]; len(of) > 0 {
				elements, owners = append(elements, known[j]), append(owners, of[0])
				signers[p] = of[1:]
			}
		}
		if len(elements) > most {
			most = len(elements)
			text = fmt.Sprintf("the %s are in another order than the keys: elements %d belong to "+
				"signers %d", name, elements, owners)
		}
	}
	return text, most == len(bad)
}
