package main

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/base64"
	"fmt"
	"log"
	"path/filepath"
	"slices"
	"strings"
)

// wheelTag returns the tag of the wheel for a platform, or "" if it has no wheel. A static binary
// runs with every C library. The kernel that manylinux_2_17 implies is newer than Go's oldest.
func wheelTag(platform string, binary []byte) string {
	switch platform {
	case "linux/amd64":
		return "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"
	case "linux/arm64":
		return "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"
	case "windows/amd64":
		return "win_amd64"
	case "darwin/amd64", "darwin/arm64":
		arch := strings.NewReplacer("darwin/", "", "amd64", "x86_64").Replace(platform)
		return "macosx_" + oldestMacOS(binary) + "_" + arch
	}
	return ""
}

// oldestMacOS returns the oldest version of macOS that runs a binary, such as 12_0.
func oldestMacOS(binary []byte) string {
	f := must(macho.NewFile(bytes.NewReader(binary)))
	for _, l := range f.Loads {
		const buildVersion = 0x32 // LC_BUILD_VERSION: command, size, platform, oldest version
		if b := l.Raw(); len(b) >= 16 && f.ByteOrder.Uint32(b) == buildVersion {
			v := f.ByteOrder.Uint32(b[12:])
			return fmt.Sprintf("%d_%d", v>>16, v>>8&255)
		}
	}
	log.Fatal("the binary does not state the oldest macOS")
	return ""
}

// pythonVersion returns a version of the command as PEP 440 writes it. Other pre-releases than
// alpha, beta and rc become local versions, which PyPI refuses.
func pythonVersion(version string) string {
	return strings.NewReplacer("-alpha.", "a", "-beta.", "b", "-rc.", "rc", "-", "+").
		Replace(strings.TrimPrefix(version, "v"))
}

// wheel writes the Python wheel with a tag, and returns its name. The wheel holds the package in
// the folder python, the program as a script, its SBOM, and the licences.
func (r *release) wheel(tag string, p program) string {
	version := pythonVersion(r.version)
	prefix := "koblitz-" + version
	info := prefix + ".dist-info/"
	bom, others := r.sbom(p), notices(p)
	licences := slices.Clone(r.licences)
	for _, m := range p.modules {
		licences = append(licences, m.licences...)
	}
	slices.Sort(licences)
	metadata := fmt.Appendf(nil, "Metadata-Version: 2.4\nName: koblitz\nVersion: %s\n"+
		"License-Expression: %s\nLicense-File: LICENSE\nLicense-File: %s\n%s\n%s", version,
		expression(slices.Compact(licences)), others.name, r.text("python/METADATA"),
		r.text("python/README.md"))
	wheel := []byte("Wheel-Version: 1.0\nGenerator: koblitz release\nRoot-Is-Purelib: false\n")
	for t := range strings.SplitSeq(tag, ".") {
		wheel = fmt.Appendf(wheel, "Tag: py3-none-%s\n", t)
	}
	files := []file{
		{prefix + ".data/scripts/" + p.name, p.data, true},
		{info + "sboms/" + bom.name, bom.data, false},
		{info + "WHEEL", wheel, false},
		{info + "METADATA", metadata, false},
		{info + "licenses/LICENSE", r.text("LICENSE"), false},
		{info + "licenses/" + others.name, others.data, false},
		{"koblitz/py.typed", r.text("python/koblitz/py.typed"), false},
	}
	sources := must(filepath.Glob(filepath.Join(r.root, "python", "koblitz", "*.py")))
	if len(sources) == 0 {
		log.Fatalf("%s has no package of Python", r.root)
	}
	for _, source := range sources {
		name := filepath.Base(source)
		data := r.text("python/koblitz/" + name)
		if name == "_version.py" {
			data = fmt.Appendf(nil, "\"\"\"The version of this package, and of the program it belongs "+
				"to.\"\"\"\n\nVERSION = %q\nPROGRAM: str | None = %q\n", version, r.version)
		}
		files = append(files, file{"koblitz/" + name, data, false})
	}
	files = append(files, file{info + "RECORD", record(files, info+"RECORD"), false})
	name := prefix + "-py3-none-" + tag + ".whl"
	writeZip(filepath.Join(r.out, name), "", r.time, files)
	return name
}

// record returns the file RECORD of a wheel, called own, which lists the hashes of the other files.
func record(files []file, own string) []byte {
	var list []byte
	for _, f := range sorted(files) {
		sum := sha256.Sum256(f.data)
		list = fmt.Appendf(list, "%s,sha256=%s,%d\n", f.name,
			base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	return fmt.Appendf(list, "%s,,\n", own)
}
