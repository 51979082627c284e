//ct:public takes partial signatures and nonces that were received

package musig2

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// order finds out whether the elements with the indices in bad, which are not valid, stand in
// another order than the signers' keys. It returns a text that names the order, or "" if no element
// is valid for another signer. all says that every element is valid for another signer: then their
// sum is right, and no signer is to blame.
//
// The equation of a signer is s·G = r + c·P, where r is ±(R1 + b·R2). If one of the three lists has
// another order than the other two, a difference or sum of terms at one index is the third term of
// another index. order looks these terms up. Its time is that of a few multiplications for each
// element.
func (s *Session) order(
	bad []int, sigs []*PartialSignature, nonces []*PublicNonce,
) (text string, all bool) {
	var known []int // the indices of elements that are not missing
	for _, i := range bad {
		if !sigs[i].IsZero() && !nonces[i].IsZero() {
			known = append(known, i)
		}
	}
	lists := [...]string{
		"public nonces and partial signatures", "partial signatures", "public nonces",
	}
	var moved, unmoved [len(lists)][]point.Jacobian
	for list := range lists {
		moved[list] = make([]point.Jacobian, len(known))
		unmoved[list] = make([]point.Jacobian, len(known))
	}
	for j, i := range known {
		var c scalar.Scalar
		s.values.Factor(&c, &s.key.signers.coefficients[i])
		var sG, r, cP, minus point.Jacobian
		vartime.ScalarBaseMult(&sG, &sigs[i].s)
		nonces[i].n.Combine(&r, &s.values.B)
		r.CondNeg(&r, s.values.R.Y.IsOdd())
		vartime.ScalarMult(&cP, &c, &s.key.signers.points[i])

		moved[0][j].AddVartime(&sG, minus.Neg(&r))
		unmoved[0][j] = cP
		moved[1][j] = sG
		unmoved[1][j].AddVartime(&r, &cP)
		moved[2][j].AddVartime(&sG, minus.Neg(&cP))
		unmoved[2][j] = r
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
			text = fmt.Sprintf("the %s stand in another order than the keys: elements %d belong to "+
				"signers %d", name, elements, owners)
		}
	}
	return text, most == len(bad)
}
