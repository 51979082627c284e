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

// A repository is the folder of a git checkout.
type repository string

// git runs a git command in the repository's worktree, with hooks disabled.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git",
		append([]string{"-C", string(r), "-c", "core.hooksPath=" + os.DevNull}, args...)...)
	gently(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// gently makes cmd receive an interrupt when its context ends, so that the command can clean up. If
// the command is still running ten seconds later, it is killed.
func gently(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
}

// open returns the repository that contains a folder.
func open(ctx context.Context, dir string) (repository, error) {
	root, err := repository(dir).git(ctx, "rev-parse", "--show-toplevel")
	return repository(filepath.FromSlash(root)), err
}

// describe returns the short name of the checked-out commit, followed by a note if the worktree has
// uncommitted changes.
func (r repository) describe(ctx context.Context) (string, error) {
	commit, err := r.git(ctx, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "", err
	}
	changes, err := r.git(ctx, "status", "--porcelain")
	if changes != "" {
		commit += " and uncommitted changes"
	}
	return commit, err
}

// checkout makes a worktree of a commit in the new folder dir. The returned function removes the
// worktree, even if ctx has ended.
func (r repository) checkout(ctx context.Context, commit, dir string) (
	remove func() error, err error) {
	id, err := r.git(ctx, "rev-parse", "--verify", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("no commit %q: %w", commit, err)
	}
	if _, err := r.git(ctx, "worktree", "add", "--quiet", "--detach", dir, id); err != nil {
		return nil, err
	}
	return func() error {
		_, err := r.git(context.WithoutCancel(ctx), "worktree", "remove", "--force", dir)
		return err
	}, nil
}
