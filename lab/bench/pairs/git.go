package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// command returns a command that runs in a folder, with variables in addition to this process's
// environment. When ctx ends, the command receives an interrupt, so that it can clean up. If it is
// still running ten seconds later, it is killed.
func command(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// git runs a git command in a folder, without hooks, and returns its output.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	args = append([]string{"git", "-c", "core.hooksPath=/dev/null"}, args...)
	out, err := command(ctx, dir, env, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[3], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// root returns the folder of the repository that contains dir.
func root(ctx context.Context, dir string) (string, error) {
	root, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel")
	return filepath.FromSlash(root), err
}

// export writes the files of a commit of the repository in folder root into the new folder dir, and
// returns the commit's full name.
func export(ctx context.Context, root, commit, dir string) (id string, err error) {
	id, err = git(ctx, root, nil, "rev-parse", "--verify", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("no commit %q: %w", commit, err)
	}
	index := []string{"GIT_INDEX_FILE=" + dir + ".index"} // of its own
	if _, err := git(ctx, root, index, "read-tree", id); err != nil {
		return "", err
	}
	_, err = git(ctx, root, index, "checkout-index", "--all", "--prefix="+filepath.ToSlash(dir)+"/")
	return id, err
}
