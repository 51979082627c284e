package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// xmlReport returns a report in valgrind's XML format. frames and origin are function names,
// innermost first. If origin is nil, the report does not say where the value comes from.
func xmlReport(kind string, frames, origin []string) string {
	var b strings.Builder
	write := func(frames []string) {
		b.WriteString("<stack>")
		for _, f := range frames {
			b.WriteString("<frame><ip>0x1</ip><obj>subject</obj><fn>" + f + "</fn>" +
				"<dir>d</dir><file>f.go</file><line>7</line></frame>")
		}
		b.WriteString("</stack>")
	}
	b.WriteString("<error><unique>0x1</unique><tid>1</tid><kind>" + kind + "</kind>" +
		"<what>it happened</what>")
	write(frames)
	if origin != nil {
		b.WriteString("<auxwhat>created by a client request</auxwhat>")
		write(origin)
	}
	b.WriteString("</error>")
	return b.String()
}

func document(errors ...string) string {
	return `<?xml version="1.0"?>` +
		"<valgrindoutput><protocolversion>4</protocolversion><tool>memcheck</tool>" +
		strings.Join(errors, "") + "<errorcounts></errorcounts></valgrindoutput>"
}

var (
	mark  = []string{"github.com/koblitz-go/koblitz/internal/ct.mark", "main.secretBytes"}
	alloc = []string{"runtime.valgrindClientRequest.abi0", "runtime.mallocgc"}
	below = []string{caller, harness + "Run", "main.main", harness + "Main", "runtime.main"}
)

func TestLeak(t *testing.T) {
	field := "github.com/koblitz-go/koblitz/internal/field.(*Element).Mul"
	for _, tt := range []struct {
		name   string
		kind   string
		frames []string
		origin []string
		inCase string
		leak   bool
	}{
		{"a branch of ours on a secret", "UninitCondition",
			[]string{field, "main.one"}, mark, "main.one", true},
		{"an address of ours", "UninitValue", []string{field, "main.one"}, mark, "main.one", true},
		{"a secret that is written", "SyscallParam",
			[]string{"syscall.write", "main.one"}, mark, "main.one", true},
		{"the standard library called from us", "UninitCondition",
			[]string{"memeqbody", "bytes.Equal", field, "main.one"}, mark, "main.one", true},
		{"a case itself", "UninitCondition", []string{"main.one"}, mark, "main.one", true},
		{"our code, and the origin is lost", "UninitCondition",
			[]string{field, "main.one"}, nil, "main.one", true},
		{"the standard library in a case, and the origin is lost", "UninitCondition",
			[]string{"memeqbody", "main.one"}, nil, "main.one", true},
		{"our code on a secret that public stack memory went into", "UninitCondition",
			[]string{field, "main.one"}, []string{"main.one"}, "main.one", true},
		{"the allocator, called from us", "UninitValue",
			[]string{"runtime.mallocgc", field, "main.one"}, alloc, "main.one", true},
		{"an invalid read", "InvalidRead", []string{field, "main.one"}, mark, "main.one", false},
	} {
		doc := document(xmlReport(tt.kind, append(tt.frames, below...), tt.origin))
		reports, err := parse(strings.NewReader(doc))
		if err != nil || len(reports) != 1 {
			t.Fatalf("%s: %d reports, %v", tt.name, len(reports), err)
		}
		name, leak := reports[0].leak()
		if leak != tt.leak || leak && name != tt.inCase {
			t.Errorf("%s: leak %v in %q", tt.name, leak, name)
		}
	}

	// The following errors occur outside of every case.
	for _, tt := range []struct {
		name   string
		frames []string
		origin []string
		leak   bool
	}{
		{"the scheduler", []string{"runtime.schedule"}, nil, false},
		{"a name that is printed", []string{"fmt.Println", harness + "Run"}, nil, false},
		{"the scheduler on memory of its own", []string{"runtime.schedule"}, alloc, false},
		{"the runtime with a secret of ours", []string{"runtime.schedule"}, mark, true},
		{"our code before main", []string{field, "main.main"}, nil, true},
	} {
		doc := document(xmlReport("UninitCondition", tt.frames, tt.origin))
		reports, err := parse(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		if name, leak := reports[0].leak(); leak != tt.leak || name != "" {
			t.Errorf("%s: leak %v in %q", tt.name, leak, name)
		}
	}
}

func TestJudge(t *testing.T) {
	one := xmlReport("UninitCondition", append([]string{"main.one"}, below...), mark)
	bad := xmlReport("UninitCondition", append([]string{"main.plantedBad"}, below...), mark)
	noise := xmlReport("UninitCondition", []string{"runtime.schedule"}, alloc)
	invalid := xmlReport("InvalidRead", []string{"runtime.schedule"}, alloc)
	unfreed := xmlReport("Leak_DefinitelyLost", []string{"runtime.mallocgc", "main.one"}, nil)
	many := slices.Concat([]string{bad}, slices.Repeat([]string{one}, mostShown+2))
	division := slowPlanted[0]
	divide := []fault{{function: division}}
	cases := []string{"main.plantedBad", division, "main.one", "main.two"}
	for _, tt := range []struct {
		name    string
		cases   []string
		reports []string
		faults  []fault
		ok      bool
		says    []string
	}{
		{"all is well", cases, []string{noise, unfreed, bad}, divide, true,
			[]string{"2 cases", "0 leaks", "1 of 1 planted leaks found by memcheck",
				"1 of 1 planted leaks found by instructions", "1 other reports"}},
		{"a leak", cases, []string{bad, one}, divide, false,
			[]string{"LEAK in main.one", "f.go:7", "created by a client request by main.secretBytes"}},
		{"many leaks in one case", cases, many, divide, false,
			[]string{"LEAK in main.one: 2 more"}},
		{"a planted leak is not found", cases, []string{noise}, divide, false,
			[]string{"NOT FOUND", "main.plantedBad", "0 of 1"}},
		{"memcheck lost track", cases, []string{bad, invalid}, divide, false,
			[]string{"lost track", "1 invalid", "runtime.schedule"}},
		{"a division", cases, []string{bad},
			append(divide, fault{"f", place{"d/f.go", 7}, "DIVQ CX"}), false,
			[]string{"INSTRUCTION with variable time in f: DIVQ CX (f.go:7)"}},
		{"another check finds a planted leak", cases, []string{bad}, append(divide,
			fault{function: "main.plantedBad"}), false,
			[]string{"FOUND, though another check must find it: main.plantedBad, by instructions"}},
		{"the planted division is not found", cases, []string{bad}, nil, false,
			[]string{"NOT FOUND", division}},
		{"nothing was planted", []string{"main.one"}, nil, divide, false, nil},
		{"nothing but planted leaks", []string{"main.plantedBad"}, []string{bad}, divide, false, nil},
	} {
		reports, err := parse(strings.NewReader(document(tt.reports...)))
		if err != nil {
			t.Fatal(err)
		}
		v := judge(tt.cases, reports, tt.faults)
		var b bytes.Buffer
		v.print(&b)
		if v.ok() != tt.ok {
			t.Errorf("%s: ok is %v\n%s", tt.name, v.ok(), &b)
		}
		for _, s := range tt.says {
			if !strings.Contains(b.String(), s) {
				t.Errorf("%s: %q does not say %q", tt.name, &b, s)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, doc := range []string{
		"", "<valgrindoutput>", "<other></other>",
		"<valgrindoutput><tool>helgrind</tool></valgrindoutput>",
		document(xmlReport("UninitCondition", nil, nil))[:200],
	} {
		if _, err := parse(strings.NewReader(doc)); err == nil {
			t.Errorf("no error for %q", doc)
		}
	}
}

func TestReadCases(t *testing.T) {
	const printed = "with:ADX,portable\nmain.a\nmain.b\nwith:portable\nmain.a\nmain.c\nend\n"
	levels, got, err := readCases(printed)
	if err != nil || !slices.Equal(levels, []string{"ADX,portable", "portable"}) ||
		!slices.Equal(got, []string{"main.a", "main.b", "main.c"}) {
		t.Errorf("%q, %q, %v", levels, got, err)
	}
	for _, out := range []string{
		"", "with:\nmain.a\n", "with:\nmain.a\nend\nmain.b\n", "main.a\nend\n", "end\n",
	} {
		if _, _, err := readCases(out); err == nil {
			t.Errorf("no error for %q", out)
		}
	}
}

// TestIsLost checks which reports show that memcheck lost track of stacks.
func TestIsLost(t *testing.T) {
	at := func(kind, origin string) report {
		return report{Kind: kind, Stacks: []stack{{[]frame{{Func: "main.one"}}},
			{[]frame{{Func: origin}, {Func: "main.one"}}}}}
	}
	for _, x := range []struct {
		report report
		want   bool
	}{
		{at("UninitCondition", "gogo"), true},
		{at("UninitCondition", "runtime.gogo"), true},
		{at("UninitCondition", "main.secret"), false},
		{at("InvalidRead", "main.secret"), true},
		{report{Kind: "UninitCondition"}, false},
	} {
		if got := x.report.isLost(); got != x.want {
			t.Errorf("%s from %v: %v", x.report.Kind, x.report.Stacks, got)
		}
	}
}
