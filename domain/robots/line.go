package robots

import "strings"

// MaxLine is how many octets of a line count; what follows is ignored with a
// warning (P4: eight times 2083, the longest URL that once was safe, less one).
const MaxLine = 8*2083 - 1

// Lines cuts a text into lines that end in LF, CR or CRLF (P3).
type Lines struct {
	Number int // of the line that Next returned last, from 1

	rest string
	lf   int  // distance of the next LF in rest, -1 for none: looked for once, also in files of CRs
	cr   bool // there are CRs: most files have none, and one look tells
}

// NewLines starts at the first line of a text.
func NewLines(text string) Lines {
	text = SkipMark(text)
	return Lines{rest: text, lf: strings.IndexByte(text, '\n'), cr: strings.IndexByte(text, '\r') >= 0}
}

// Next returns the next line without its end.
func (l *Lines) Next() (line string, ok bool) {
	if l.rest == "" {
		return "", false
	}
	l.Number++
	if !l.cr {
		end := strings.IndexByte(l.rest, '\n')
		if end < 0 {
			line, l.rest = l.rest, ""
			return line, true
		}
		line, l.rest = l.rest[:end], l.rest[end+1:]
		return line, true
	}
	return l.nextOfAny(), true
}

// nextOfAny is Next for a text with CRs.
func (l *Lines) nextOfAny() (line string) {
	end := l.lf
	if end < 0 {
		end = len(l.rest)
	}
	cr := strings.IndexByte(l.rest[:end], '\r')
	switch {
	case cr < 0 || cr == end-1 && l.lf >= 0: // LF, CRLF, or the text's end
		if line = l.rest[:end]; cr >= 0 {
			line = line[:cr]
		}
		l.rest = l.rest[min(end+1, len(l.rest)):]
		l.lf = strings.IndexByte(l.rest, '\n')
	default: // a lone CR
		line = l.rest[:cr]
		l.rest = l.rest[cr+1:]
		if l.lf >= 0 {
			l.lf -= cr + 1
		}
	}
	return line
}

// SkipMark drops a UTF-8 byte order mark, or what there is of one (P3).
func SkipMark(text string) string {
	const mark = "\xEF\xBB\xBF"
	for i := 0; i < len(mark) && text != "" && text[0] == mark[i]; i++ {
		text = text[1:]
	}
	return text
}

// A Field is what one line says.
type Field struct {
	Kind  Kind
	Key   string // as written
	Value string // as written
	Text  string // the line without comment and outer white space
	Fault WarningKind
	OK    bool // there is a key and a value; else the line says nothing
}

// ReadLine reads one line, without its end (P4, P5, P6). It takes note of what
// is wrong with the line alone; what its place makes wrong is Parse's to see.
func ReadLine(line string) (f Field) {
	if len(line) > MaxLine {
		line = line[:MaxLine]
		f.Fault = LineTooLong
	}
	if comment := strings.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	f.Text = trim(line)
	if f.Text == "" {
		return f
	}
	var typo bool
	if key, value, found := strings.Cut(f.Text, ":"); found {
		f.Key, f.Value = trim(key), trim(value)
		if f.Key == "" {
			f.blame(EmptyKey)
			return f
		}
		f.Kind, typo = kindOf(f.Key)
	} else {
		f.Key, f.Value, found = twoWords(f.Text)
		if f.Kind, typo = kindOf(f.Key); !found || f.Kind == Other {
			f.blame(NoField)
			return f
		}
		f.blame(MissingColon)
	}
	if typo {
		f.blame(MisspelledKey)
	}
	f.OK = true
	return f
}

// blame notes what is wrong with the line; the first fault stands.
func (f *Field) blame(fault WarningKind) {
	if f.Fault == NoFault {
		f.Fault = fault
	}
}

// twoWords splits a text that is exactly two words.
func twoWords(text string) (first, second string, ok bool) {
	const blanks = " \t"
	space := strings.IndexAny(text, blanks)
	if space < 0 {
		return "", "", false
	}
	first, second = text[:space], strings.TrimLeft(text[space:], blanks)
	return first, second, !strings.ContainsAny(second, blanks)
}

// LineAt returns a line of a robots.txt by its number, from 1, without its end;
// "" if there is none.
func LineAt(text []byte, number int) string {
	source := NewLines(string(text))
	for {
		line, ok := source.Next()
		if !ok {
			return ""
		}
		if source.Number == number {
			return line
		}
	}
}
