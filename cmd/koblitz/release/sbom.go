package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"strings"
)

// sbom returns the bill of materials of a binary in CycloneDX 1.6 (ECMA-424), with the given
// version. It has only what the build information in the binary says, and no serial number and no
// time, because these would differ between builds.
func sbom(version string, binary []byte) []byte {
	info := must(buildinfo.Read(bytes.NewReader(binary)))
	main := component("application", info.Main.Path, version)
	main["hashes"] = []any{map[string]string{"alg": "SHA-256",
		"content": fmt.Sprintf("%x", sha256.Sum256(binary))}}
	var properties []any
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "CGO_ENABLED", "-trimpath", "-tags":
			properties = append(properties, property("go:build:"+s.Key, s.Value))
		}
	}
	main["properties"] = properties
	components := []map[string]any{component("library", "std",
		strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		v := m.Version
		if v == "(devel)" || v == "" {
			v = version // modules of this repository have the version of the release
		}
		c := component("library", m.Path, v)
		if m.Sum != "" {
			c["properties"] = []any{property("go:sum", m.Sum)}
		}
		components = append(components, c)
	}
	var needs []any
	for _, c := range components {
		needs = append(needs, c["bom-ref"])
	}
	text := must(json.MarshalIndent(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.6",
		"version": 1, "metadata": map[string]any{"component": main}, "components": components,
		"dependencies": []any{map[string]any{"ref": main["bom-ref"], "dependsOn": needs}}}, "", "  "))
	return append(text, '\n')
}

func component(kind, path, version string) map[string]any {
	purl := "pkg:golang/" + path + "@" + version
	return map[string]any{"type": kind, "bom-ref": purl, "name": path, "version": version,
		"purl": purl}
}

func property(name, value string) map[string]string {
	return map[string]string{"name": name, "value": value}
}
