package robots

import (
	"strings"

	"github.com/polite-crawler/polite/domain/internal/word"
)

// A Field is what one line says.
type Field struct {
	Kind  Kind
	Key   string // as written
	Value string // as written
	Text  string // the line without comment and outer white space
	Fault WarningKind
	OK    bool // there is a key and a value; else the line says nothing

	notes notes
}

// notes are what else there is to know of a line.
type notes uint8

const (
	hasComment    notes = 1 << iota // a '#'
	tooLong                         // it was cut at MaxLine
	lacksColon                      // two words stand for key and value
	commonTypo                      // the key is a misspelling that is understood
	addedToGroups                   // a Dialect's group-keys name it
	addedToPaths                    // a Dialect's path-keys name it
)

// ReadLine reads one line, without its end, in the Default dialect (P4, P5, P6).
// It takes note of what is wrong with the line alone; what its place makes wrong
// is Parse's to see.
func ReadLine(line string) (f Field) {
	g := grammar{optionalColon: true}
	g.read(line, &f)
	return f
}

// isPath reports whether the value is a path with wildcards.
func (f *Field) isPath() bool { return f.Kind.isRule() || f.notes&addedToPaths != 0 }

// blame notes what is wrong with the line; the gravest fault stands, of equal ones
// the first (P1).
func (f *Field) blame(fault WarningKind) {
	if f.Fault == NoFault || fault.Severity() > f.Fault.Severity() {
		f.Fault = fault
	}
}

// read reads one line. What is written right, as nearly all of it is, takes the
// short way.
func (g *grammar) read(line string, f *Field) {
	if len(line) > MaxLine || g.keepSpace {
		g.readAny(line, f)
		return
	}
	for line != "" && space(line[0]) {
		line = line[1:]
	}
	if !g.readCommon(line, f) {
		g.readAny(line, f)
	}
}

// readCommon reads a line that says nothing, or that starts with the key of a rule
// or a user-agent line and a colon. To fold takes a CR for a '-', too, but there is
// none within a line.
func (g *grammar) readCommon(line string, f *Field) bool {
	if line == "" || line[0] == '#' {
		f.Fault, f.OK, f.Text, f.notes = NoFault, false, "", 0
		if line != "" {
			f.notes = hasComment
		}
		return true
	}
	if len(line) < 8 || g.nulEnds && strings.IndexByte(line, 0) >= 0 {
		return false
	}
	var colon int
	head := word.Of(line) | word.Fold
	switch {
	case head == word.Of("disallow"):
		f.Kind, colon = DisallowLine, 8
	case head<<24 == word.Of("\x00\x00\x00allow"):
		f.Kind, colon = AllowLine, 5
	case head == word.Of("user-age") && len(line) > 10 && line[8]|0x20 == 'n' && line[9]|0x20 == 't':
		f.Kind, colon = UserAgentLine, 10
	default:
		return false
	}
	if len(line) == colon || line[colon] != ':' {
		return false
	}
	f.notes, f.Fault, f.OK, f.Key = 0, NoFault, true, line[:colon]
	if comment := strings.IndexByte(line, '#'); comment >= 0 {
		f.notes = hasComment
		line = line[:comment]
	}
	f.Text = trimRight(line)
	f.Value = trimLeft(f.Text[colon+1:])
	return true
}

// readAny reads any line.
func (g *grammar) readAny(line string, f *Field) {
	*f = Field{}
	if len(line) > MaxLine {
		line = line[:MaxLine]
		f.notes |= tooLong
		f.Fault = LineTooLong
	}
	if g.nulEnds {
		line, _, _ = strings.Cut(line, "\x00")
	}
	if comment := strings.IndexByte(line, '#'); comment >= 0 {
		f.notes |= hasComment
		line = line[:comment]
	}
	if f.Text = trim(line); f.Text == "" {
		return
	}
	key, value, found := strings.Cut(f.Text, ":")
	if !found {
		g.readWords(f)
		return
	}
	f.Key, f.Value = trim(key), trimLeft(value)
	if f.Key == "" {
		f.blame(EmptyKey)
		return
	}
	f.OK = true
	g.kindOf(f)
	g.judgeKey(f)
	if g.keepSpace && f.isPath() && f.Value != "" && f.notes&hasComment == 0 {
		f.Text = trimLeft(line)
		f.Value = trimLeft(f.Text[strings.IndexByte(f.Text, ':')+1:])
	}
}

// readWords reads a line without a colon: two words may stand for key and value
// (P5).
func (g *grammar) readWords(f *Field) {
	end := strings.IndexAny(f.Text, " \t")
	if end < 0 || !g.optionalColon || strings.ContainsAny(strings.TrimLeft(f.Text[end:], " \t"), " \t") {
		f.blame(NoField)
		return
	}
	f.Key, f.Value = trim(f.Text[:end]), trimLeft(f.Text[end:])
	if g.kindOf(f); f.Kind == Other && !g.anyTwoWords {
		f.blame(NoField)
		return
	}
	f.blame(MissingColon)
	f.OK, f.notes = true, f.notes|lacksColon
	g.judgeKey(f)
}
