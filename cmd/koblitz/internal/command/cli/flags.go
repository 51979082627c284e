package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A choice is the value of a flag that takes one of several words.
type choice[T ~string] struct {
	value *T
	known []T
}

// Choice adds a flag that takes one of the words known, which the shell offers. value has the
// default.
func Choice[T ~string](cmd *cobra.Command, value *T, name, short, usage string, known ...T) {
	cmd.Flags().VarP(&choice[T]{value, known}, name, short, usage)
}

func (c *choice[T]) Set(word string) error {
	if !slices.Contains(c.known, T(word)) {
		return errors.New("known are " + strings.Join(c.words(), ", "))
	}
	*c.value = T(word)
	return nil
}

func (c *choice[T]) String() string { return string(*c.value) }

func (c *choice[T]) Type() string { return "string" }

func (c *choice[T]) words() (list []string) {
	for _, word := range c.known {
		list = append(list, string(word))
	}
	return list
}

// registerCompletions registers the words of all choices with cobra. It is called only if the shell
// asks for completions, because cobra keeps the words, and with them the command, in a global map
// as long as the process runs.
func registerCompletions(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if c, ok := f.Value.(interface{ words() []string }); ok {
			cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(c.words(),
				cobra.ShellCompDirectiveNoFileComp)) // fails only for a second registration
		}
	})
	for _, sub := range cmd.Commands() {
		registerCompletions(sub)
	}
}
