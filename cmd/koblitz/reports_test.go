package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

var update = flag.Bool("update", false, "write the reports in testdata anew")

// TestReports compares reports with those in testdata/inputs/reports.txt, and in
// testdata/hostile/reports.txt, whose inputs have something wrong or odd. In these files a line
// "=== koblitz" has a command, which is run in the folder of the file. Its exit status and report
// follow, without times and empty lines.
func TestReports(t *testing.T) {
	for _, dir := range []string{"inputs", "hostile"} {
		t.Run(dir, func(t *testing.T) {
			t.Chdir(filepath.Join("testdata", dir))
			text, err := os.ReadFile("reports.txt")
			if err != nil {
				t.Fatal(err)
			}
			var reports bytes.Buffer
			for _, want := range strings.Split(string(text), "=== koblitz ")[1:] {
				args, _, _ := strings.Cut(want, "\n")
				status, stdout, stderr := clitest.Program(command.Add).Run(t, "", strings.Fields(args)...)
				report := emptyLines.ReplaceAllString(clitest.WithoutTime(stdout+stderr), "")
				got := fmt.Sprintf("%s\nstatus %d\n%s", args, status, report)
				if got != want && !*update {
					t.Errorf("got:\n%s\nwant:\n%s", got, want)
				}
				reports.WriteString("=== koblitz " + got)
			}
			if *update {
				clitest.Write(t, filepath.Join(clitest.Must(os.Getwd()), "reports.txt"), reports.Bytes())
			}
		})
	}
}

var emptyLines = regexp.MustCompile(`(?m)^[ \t]*\n`)
