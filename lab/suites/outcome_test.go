package main

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	o, err := read(strings.NewReader(`
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"wrong\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"fine\n"}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"skip","Package":"p","Test":"TestC","Elapsed":0}
{"Action":"bench","Package":"p","Test":"BenchmarkD"}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"fail","Package":"p","Elapsed":0.1}
{"ImportPath":"q [q.test]","Action":"build-output","Output":"q.go:1:1: undefined: x\n"}
{"ImportPath":"q [q.test]","Action":"build-fail"}
{"Action":"output","Package":"q","Output":"FAIL q [build failed]\n"}
{"Action":"fail","Package":"q","Elapsed":0,"FailedBuild":"q [q.test]"}
`))
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct{ end, output string }
	for at, want := range map[test]outcome{
		{"p", "TestA"}:      {"fail", "wrong\n"},
		{"p", "TestB"}:      {"pass", ""},
		{"p", "TestC"}:      {"skip", ""},
		{"p", "BenchmarkD"}: {"", ""},
		{"p", ""}:           {"fail", "FAIL\n"},
		{"q", ""}:           {"fail", "q.go:1:1: undefined: x\nFAIL q [build failed]\n"},
	} {
		if got := (outcome{o.ended[at], o.output[at]}); got != want {
			t.Errorf("%v: %q, want %q", at, got, want)
		}
	}
	if _, err := read(strings.NewReader("FAIL\n")); err == nil {
		t.Error("what is not JSON was read")
	}
}
