package main

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rehearsal begins the versions that are built from any tree. They are no releases.
const rehearsal = "v0.0.0-"

// tags returns the tags that the commit of a release must have: those of the command's version, and
// of this repository's modules that the command requires.
func (r *release) tags() []string {
	tags := []string{"cmd/koblitz/" + r.version}
	for path, version := range r.required() {
		folder := strings.TrimPrefix(path, repositoryPath)
		tags = append(tags, strings.TrimPrefix(folder+"/"+version, "/"))
	}
	return tags
}

// committed returns an error unless the tree at root is that of its commit, without other files,
// and the tags name this commit. The folder of machine code for GPUs may have files.
func committed(root string, tags []string) error {
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"--no-replace-objects"}, args...)...)
		cmd.Dir = root
		text, err := cmd.Output()
		return strings.TrimSpace(string(text)), err
	}
	others, err := git("ls-files", "--others", "--", ".", ":!gpu/kernels/cubin")
	changed, cerr := git("status", "--porcelain", "--untracked-files=no")
	head, herr := git("rev-parse", "HEAD")
	tree, terr := git("ls-tree", "-r", "-z", "HEAD")
	switch err := errors.Join(err, cerr, herr, terr); {
	case err != nil:
		return fmt.Errorf("git: %w", err)
	case others != "":
		return fmt.Errorf("files that are not committed, or ignored:\n%s", others)
	case changed != "":
		return fmt.Errorf("changes that are not committed:\n%s", changed)
	}
	for entry := range strings.SplitSeq(strings.TrimRight(tree, "\x00"), "\x00") {
		if err := unchanged(root, entry); err != nil {
			return err
		}
	}
	for _, tag := range tags {
		commit, err := git("rev-parse", "-q", "--verify", "refs/tags/"+tag+"^{commit}")
		if err != nil || commit != head {
			return fmt.Errorf("the tag %s names the commit %q, and the tree is that of %s", tag, commit,
				head)
		}
	}
	return nil
}

// unchanged returns an error unless a file in the tree at root has the bytes of its entry in git
// ls-tree. git status trusts marks in the index, times, and filters in the configuration.
func unchanged(root, entry string) error {
	about, name, _ := strings.Cut(entry, "\t")
	mode, object, _ := strings.Cut(about, " blob ")
	path := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || !strings.HasPrefix(mode, "100")) {
		return fmt.Errorf("%s is not a regular file", name)
	}
	data, rerr := os.ReadFile(path)
	if err := errors.Join(err, rerr); err != nil {
		return err
	}
	if fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))) != object {
		return fmt.Errorf("changes that are not committed, and that git does not see: %s", name)
	}
	return nil
}
