package remote

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestError(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("a\x1b[2J\nb"), `a\x1b[2J\nb`},
		{errors.New(long), long[:200] + "…"},
		{errors.New(long[:199] + "é"), long[:199] + `\xc3…`},
		{errors.New(long[:200]), long[:200]},
		{fmt.Errorf("failed to get %w", &url.Error{Op: "Get", URL: "http://x/SECRET",
			Err: errors.New("refused")}), "refused"},
	} {
		if got := Error(c.err); got.Error() != c.want {
			t.Errorf("%q: %q, want %q", c.err, got, c.want)
		}
	}
}
