package cuda_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A plant is a fault to insert into the kernels' text. The fields begin and line hold regular
// expressions. The fault is in the first text that matches line, after the first match of begin.
// There, the text in the field old is replaced by that in the field "by".
type plant struct {
	what, kernel, begin, line, old, by string
}

// plants returns faults like those that a compiler, a generator or an editor could introduce.
func plants() []plant {
	var list []plant
	for _, kernel := range []string{"k_ecdsa", "k_schnorr", "k_recover", "k_decompress", "k_pubkeys"} {
		entry := `\.entry ` + kernel + `\(`
		list = append(list,
			plant{"no bound", kernel, entry, `setp\.ge\.u32.*`, "setp.ge", "setp.gt"},
			plant{"another row", kernel, entry, `mov\.u32.*%tid\.x`, "%tid.x", "%ctaid.x"},
			plant{"next byte", kernel, entry, `ld\.global\.u8.*`, "]", "+1]"},
			plant{"half of a result", kernel, entry, `st\.global\.u8.*`, "st.global.u8", "st.global.u16"},
		)
	}
	list = append(list, plant{"another turn of Keccak", "k_recover", `\.entry k_recover\(`,
		`shl\.b64.*, 43;`, ", 43;", ", 42;"})
	for kernel, function := range map[string]string{"k_ecdsa": "mul_double", "k_pubkeys": "mul_base",
		"k_decompress": "fe_sqrt"} {
		list = append(list, plant{"dropped carry", kernel,
			`\.func[^{;]*` + function + `[^{;]*\{`,
			`addc\.cc.*`, "addc", "add"})
	}
	return list
}

// planted returns text with the fault inserted, or "" if nothing in text matches begin or line.
func (p *plant) planted(text string) string {
	begin := regexp.MustCompile(p.begin).FindStringIndex(text)
	if begin == nil {
		return ""
	}
	line := regexp.MustCompile(p.line).FindStringIndex(text[begin[1]:])
	if line == nil {
		return ""
	}
	from, to := begin[1]+line[0], begin[1]+line[1]
	changed := strings.Replace(text[from:to], p.old, p.by, 1)
	if changed == text[from:to] {
		return ""
	}
	return text[:from] + changed + text[to:]
}

// TestPlanted checks that faults in the kernels are detected: with each of them, the driver returns
// an error or some verdict is wrong. Without a fault, the same rows have the right verdicts. The
// test tries all faults with KOBLITZ_DEEP=every, else a third, beginning with a random one of the
// first three.
func TestPlanted(t *testing.T) {
	sets, right := hostile.Sets(1), map[string]bool{}
	first, step := rand.IntN(3), 3
	if os.Getenv("KOBLITZ_DEEP") == "every" {
		first, step = 0, 1
	}
	for i, p := range plants() {
		text := p.planted(kernels.Rows().PTX)
		if text == "" {
			t.Errorf("%s after %s: there is no such line", p.what, p.begin)
		}
		if text == "" || i%step != first {
			continue
		}
		if !right[p.kernel] {
			if err := wrong(t, kernels.Rows().PTX, p.kernel, sets); err != nil {
				t.Errorf("%s without a fault: %v", p.kernel, err)
			}
			right[p.kernel] = true
		}
		if wrong(t, text, p.kernel, sets) == nil {
			t.Errorf("%s after %s: the fault is not detected", p.what, p.begin)
		}
	}
}

// wrong runs a kernel in text for rows of the sets, and returns an error if a verdict is wrong.
func wrong(t *testing.T, text, kernel string, sets []hostile.Set) (err error) {
	for _, s := range sets {
		if kernel == programs[s.Kind].name {
			rows := 10
			if kernel == "k_decompress" { // its rows run the fewest instructions
				rows = 200
			}
			some, failure := s.Some(rows)
			if failure != nil {
				t.Fatal(failure)
			}
			err = errors.Join(err, verdicts(text, &some))
		}
	}
	return err
}

// verdicts runs the rows of s with the kernels in text, and returns an error if a verdict is wrong.
func verdicts(text string, s *hostile.Set) error {
	fake := cudatest.New()
	d, err := openWith(fake, text)
	if err != nil {
		return err
	}
	c := s.Call()
	if err := do(d, c); err != nil {
		return errors.Join(err, fake.Err())
	}
	return s.Check(c)
}
