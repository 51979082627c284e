package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

var manualDir = flag.String("manual", "", "write the manual and the completions to this `folder`")

// manualDate is the date that manual pages bear.
var manualDate = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// manual returns the pages of all commands and the completions of all shells, by the names of
// their files.
func manual(t *testing.T) map[string][]byte {
	t.Helper()
	root := newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard,
		screen: io.Discard})
	pages := map[string][]byte{}
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		cmd.DisableAutoGenTag = true
		cmd.Long = asMarkdown(cmd.Long)
		if f := cmd.Flags().Lookup("workers"); f != nil {
			f.DefValue = "the number of CPUs"
		}
		var b bytes.Buffer
		header := doc.GenManHeader{Section: "1", Date: &manualDate, Source: "koblitz",
			Manual: "koblitz"}
		if err := doc.GenMan(cmd, &header, &b); err != nil {
			t.Fatal(err)
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		pages[name] = b.Bytes()
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				add(c)
			}
		}
	}
	for shell, write := range map[string]func(io.Writer) error{
		"koblitz.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"koblitz.zsh":  root.GenZshCompletion,
		"koblitz.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"koblitz.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		pages[shell] = b.Bytes()
	}
	add(root)
	return pages
}

// asMarkdown makes of indented lines, which have columns, what is shown as it stands.
func asMarkdown(text string) string {
	var b strings.Builder
	before := ""
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "  ")
		if blank := strings.TrimSpace(before) == ""; indented != strings.HasPrefix(before, "  ") &&
			!blank {
			b.WriteString("\n")
		}
		if indented {
			b.WriteString("    ")
		}
		b.WriteString(line)
		before = line
	}
	return b.String()
}

// TestManual wants every command and every flag in the pages, and nothing of this machine. With
// -manual it writes them, and the completions: so releases get them.
func TestManual(t *testing.T) {
	pages := manual(t)
	root := newRoot(streams{})
	for _, cmd := range append(root.Commands(), root) {
		page := string(pages[strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"])
		words := []string{".SH NAME", ".SH SYNOPSIS", cmd.Short}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { words = append(words, "--"+f.Name) })
		if cmd == root {
			words = []string{".SH SEE ALSO"}
			for _, c := range root.Commands() {
				words = append(words, "koblitz-"+c.Name()+"(1)")
			}
		}
		for _, w := range words {
			if !strings.Contains(page, w) {
				t.Errorf("%s: no %q in its page of %d bytes", cmd.CommandPath(), w, len(page))
			}
		}
	}
	page := string(pages["koblitz-check.1"])
	for _, words := range []string{"Exit status", "packed-bip340", "the number of CPUs",
		"koblitz check --sample"} {
		if !strings.Contains(page, words) {
			t.Errorf("no %q in the page of check", words)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "ps1"} {
		if !bytes.Contains(pages["koblitz."+shell], []byte("__complete")) {
			t.Errorf("the completion for %s does not ask the command", shell)
		}
	}
	if *manualDir == "" {
		return
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(*manualDir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
