package robots

import "strings"

// MaxLine is how many octets of a line count; what follows is ignored with a
// warning (P4: eight times 2083, the longest URL that once was safe, less one).
const MaxLine = 8*2083 - 1

// lines cuts a text into lines that end in LF, CR or CRLF (P3).
type lines struct {
	rest   string
	number int
	lf     int // distance of the next LF in rest, -1 for none: looked for once, also in files of CRs
}

func newLines(text string) lines {
	text = skipMark(text)
	return lines{rest: text, lf: strings.IndexByte(text, '\n')}
}

// next returns the next line without its end.
func (l *lines) next() (line string, ok bool) {
	if l.rest == "" {
		return "", false
	}
	l.number++
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
	return line, true
}

// skipMark drops a UTF-8 byte order mark, or what there is of one (P3).
func skipMark(text string) string {
	const mark = "\xEF\xBB\xBF"
	for i := 0; i < len(mark) && text != "" && text[0] == mark[i]; i++ {
		text = text[1:]
	}
	return text
}

// A field is what one line says.
type field struct {
	kind  Kind
	key   string // as written
	value string // as written
	text  string // the line without comment and outer white space
	fault WarningKind
	ok    bool // there is a key and a value; else the line says nothing
}

// split reads a line (P4, P5, P6).
func split(line string) (f field) {
	if len(line) > MaxLine {
		line = line[:MaxLine]
		f.fault = LineTooLong
	}
	if comment := strings.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	f.text = trim(line)
	if f.text == "" {
		return f
	}
	var typo bool
	if key, value, found := strings.Cut(f.text, ":"); found {
		f.key, f.value = trim(key), trim(value)
		if f.key == "" {
			f.blame(EmptyKey)
			return f
		}
		f.kind, typo = kindOf(f.key)
	} else {
		f.key, f.value, found = twoWords(f.text)
		if f.kind, typo = kindOf(f.key); !found || f.kind == Other {
			f.blame(NoField)
			return f
		}
		f.blame(MissingColon)
	}
	if typo {
		f.blame(MisspelledKey)
	}
	f.ok = true
	return f
}

// blame notes what is wrong with the line; the first fault stands.
func (f *field) blame(fault WarningKind) {
	if f.fault == NoFault {
		f.fault = fault
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
	source := newLines(string(text))
	for {
		line, ok := source.next()
		if !ok {
			return ""
		}
		if source.number == number {
			return line
		}
	}
}
