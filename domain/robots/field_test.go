package robots

import "testing"

// grammars are such as differ in how they read a line.
func grammars() []grammar {
	all := []grammar{newGrammar(Default()), newGrammar(Google()), newGrammar(RFC9309()), newGrammar(Legacy())}
	return append(all, newGrammar(Default().With(KeepTrailingSpace, AnyTwoWords)))
}

// agree holds the short way of reading a line against the long one.
func agree(t *testing.T, line string) {
	t.Helper()
	for _, g := range grammars() {
		fast := Field{Kind: License, Key: "stale", Value: "stale", Text: "stale", Fault: EmptyKey, OK: true, notes: tooLong}
		g.read(line, &fast)
		var plain Field
		g.readAny(line, &plain)
		if !fast.OK && !plain.OK { // what there is of a line that says nothing is no matter
			fast.Kind, fast.Key, fast.Value = plain.Kind, plain.Key, plain.Value
		}
		if fast != plain {
			t.Fatalf("%q is read as %+v, want %+v", line, fast, plain)
		}
	}
}

// The short way agrees with the long one on all that starts like a common line.
func TestReadAgrees(t *testing.T) {
	for _, line := range []string{
		"user-agent: FooBot/1 # x", "USER-AGENT:FooBot", "disallow: /x # y", "Disallow:/x", "allow: /", "Allow:/ ", "user agent: x", "useragent: x",
		" \t\v\fdisallow:\v/x\f", "disallow : /x", "disallow /x", "allow\x00: /", "allow: /\x00 # x", "   # x", " ", "#",
	} {
		for end := range len(line) + 1 {
			agree(t, line[:end])
		}
		for i := range len(line) {
			agree(t, line[:i]+"\x1A"+line[i+1:]) // folded like a letter, it would be ':'
		}
	}
	for _, row := range []struct{ line, key, value string }{
		{"disallow\v /x", "disallow", "/x"}, {"disallow \v/x", "disallow", "/x"}, {"disallow\t/x\v", "disallow", "/x"},
	} {
		if f := ReadLine(row.line); f.Key != row.key || f.Value != row.value || f.Fault != MissingColon {
			t.Errorf("P5: %q is %+v", row.line, f)
		}
	}
}

func FuzzReadAgrees(f *testing.F) {
	for _, line := range []string{"user-agent: FooBot", "disallow:/x#", "Allow: \x00", "user-age", "  allow"} {
		f.Add(line)
	}
	f.Fuzz(agree)
}
