package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valuesOf is the annotation of a flag that holds the values for the shell to complete.
const valuesOf = "koblitz_values"

// complete tells the shell what values a flag has.
func complete(cmd *cobra.Command, flag string, values []string) {
	if err := cmd.Flags().SetAnnotation(flag, valuesOf, values); err != nil {
		panic(err) // the flag does not exist
	}
}

// registerCompletions gives cobra the values of all flags, for a run in which the shell asks for
// them. What is registered stays in a map of cobra's for good, and with it the whole command.
func registerCompletions(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values, ok := f.Annotations[valuesOf]
		if !ok {
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values,
			cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // no flag is registered twice
		}
	})
	for _, sub := range cmd.Commands() {
		registerCompletions(sub)
	}
}
