package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valuesOf is the key of the annotation that holds a flag's values for shell completion.
const valuesOf = "koblitz_values"

// Complete sets the values that the shell offers for a flag.
func Complete(cmd *cobra.Command, flag string, values []string) {
	if err := cmd.Flags().SetAnnotation(flag, valuesOf, values); err != nil {
		panic(err) // the flag does not exist
	}
}

// registerCompletions registers the values of all flags with cobra. It is called only if the shell
// asks for completions, because cobra keeps the values, and with them the command, in a global map
// as long as the process runs.
func registerCompletions(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values, ok := f.Annotations[valuesOf]
		if !ok {
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values,
			cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // each flag is registered once
		}
	})
	for _, sub := range cmd.Commands() {
		registerCompletions(sub)
	}
}

// Known returns a usage error unless value is allowed. format is the error's format string, with
// one verb for value.
func Known[T ~string](format string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return Usagef("unknown "+format+"; known are %s", value, strings.Join(Strings(allowed), ", "))
}

// Strings converts values to strings.
func Strings[T ~string](values []T) (list []string) {
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}
