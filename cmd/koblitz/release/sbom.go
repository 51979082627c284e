package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// A bom is a bill of materials in CycloneDX 1.6 (ECMA-424), with only the fields that can be
// derived from a binary. It has no serial number and no time, because these would differ between
// builds.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"` // application, library or platform
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// sbom returns the SBOM of the binary at path, based on the build information in it. The SBOM
// states the given version and the hash of data, the binary's content.
func sbom(path, version string, data []byte) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	main := newComponent("application", info.Main.Path, version)
	main.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "CGO_ENABLED", "-trimpath", "-tags":
			main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{main},
		Dependencies: []dependency{{Ref: main.Ref}}}
	add := func(c component) {
		b.Components = append(b.Components, c)
		b.Dependencies[0].DependsOn = append(b.Dependencies[0].DependsOn, c.Ref)
	}
	add(newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		v := m.Version
		if v == "(devel)" || v == "" {
			v = version // modules of this repository have the version of the release
		}
		c := newComponent("library", m.Path, v)
		if m.Sum != "" {
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		add(c)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

func newComponent(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + version
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}
