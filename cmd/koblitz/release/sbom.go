package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// sbom returns the bill of materials of a program in CycloneDX 1.6 (ECMA-424). It has only what the
// build information in the binary says, and the licences. It has no serial number and no time,
// because these would differ between builds.
func (r *release) sbom(p program) file {
	main := component("application", p.info.Path, r.version, r.licences)
	main["hashes"] = []any{map[string]string{"alg": "SHA-256",
		"content": fmt.Sprintf("%x", sha256.Sum256(p.data))}}
	var properties []any
	for _, s := range p.info.Settings {
		properties = append(properties, property("go:build:"+s.Key, s.Value))
	}
	main["properties"] = properties
	var components []map[string]any
	for _, m := range p.modules {
		c := component("library", m.path, m.version, m.licences)
		if m.sum != "" {
			c["properties"] = []any{property("go:sum", m.sum)}
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
	return file{name: strings.TrimSuffix(p.name, ".exe") + ".cdx.json", data: append(text, '\n')}
}

func component(kind, path, version string, licences []string) map[string]any {
	purl := "pkg:golang/" + path + "@" + version
	return map[string]any{"type": kind, "bom-ref": purl, "name": path, "version": version,
		"purl": purl, "licenses": []any{map[string]string{"expression": expression(licences)}}}
}

// expression returns the SPDX expression for licences that all apply.
func expression(licences []string) string { return strings.Join(licences, " AND ") }

func property(name, value string) map[string]string {
	return map[string]string{"name": name, "value": value}
}
