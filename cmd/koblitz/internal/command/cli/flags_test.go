package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestCompletionsOnDemand checks that flag values are registered with cobra only if the shell asks
// for completions. Cobra never frees the values, so a program that runs many commands would
// otherwise use more memory with each command.
func TestCompletionsOnDemand(t *testing.T) {
	var check *cobra.Command
	root := Program(func(koblitz *cobra.Command, _ Streams) {
		check = &cobra.Command{Use: "check"}
		format := ""
		Choice(check, &format, "format", "", "", "nostr")
		koblitz.AddCommand(check)
	}).Command(Streams{})
	if _, ok := check.GetFlagCompletionFunc("format"); ok {
		t.Error("the values of --format are registered before anybody asks")
	}
	registerCompletions(root)
	if _, ok := check.GetFlagCompletionFunc("format"); !ok {
		t.Error("the values of --format are not registered")
	}
}
