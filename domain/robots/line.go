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

// NewLines starts at the first line of a text, behind a byte order mark.
func NewLines(text string) Lines { return newLines(SkipMark(text)) }

func newLines(text string) Lines {
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

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xEF\xBB\xBF"

// SkipMark drops a UTF-8 byte order mark, or what there is of one (P3).
func SkipMark(text string) string {
	for i := 0; i < len(byteOrderMark) && text != "" && text[0] == byteOrderMark[i]; i++ {
		text = text[1:]
	}
	return text
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
