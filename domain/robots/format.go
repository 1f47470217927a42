package robots

import (
	"strings"

	"github.com/polite-crawler/polite/domain/agent"
)

// Format writes a File as canonical text: keys with a first capital, one space
// behind the colon, a blank line between groups, an empty Disallow for a group
// without rules. Comments and what was ignored are gone. Parsed in the same
// Dialect, the text answers every question as the File does, line numbers aside
// (P13). It can be a little longer than what the File was parsed from: without
// the File's own Limits, it may need a larger Limits.Bytes.
func Format(file *File) []byte {
	var f formatter
	above := f.recordsAbove(file)
	for i := range file.Groups {
		f.group(&file.Groups[i])
	}
	if len(above) < len(file.Records) {
		f.part()
		for _, record := range file.Records[len(above):] {
			f.record(&record)
		}
	}
	return f.text
}

// formatter writes text line by line.
type formatter struct {
	text []byte
}

// part puts a blank line before the next part.
func (f *formatter) part() {
	if len(f.text) > 0 {
		f.text = append(f.text, '\n')
	}
}

// recordsAbove writes the records that stood above all user-agent lines, and must
// again: below, some would concern the group above them (P9).
func (f *formatter) recordsAbove(file *File) (above []Record) {
	first := 0
	if len(file.Groups) > 0 && len(file.Groups[0].Agents) > 0 {
		first = file.Groups[0].Agents[0].Line
	}
	for i := range file.Records {
		if len(file.Groups) > 0 && file.Records[i].Line > first {
			break
		}
		f.record(&file.Records[i])
		above = file.Records[:i+1]
	}
	// The first octets must not be taken for a byte order mark.
	if len(f.text) > 0 && f.text[0] == byteOrderMark[0] {
		f.text = append([]byte("\n"), f.text...)
	}
	return above
}

// group writes a group: each record behind the user-agent lines that it concerns.
func (f *formatter) group(g *Group) {
	f.part()
	records := g.Records
	for i := range g.Agents {
		f.userAgent(&g.Agents[i])
		for i+1 < len(g.Agents) && len(records) > 0 && records[0].Agents <= i+1 {
			f.record(&records[0])
			records = records[1:]
		}
	}
	for i := range g.Rules {
		f.rule(&g.Rules[i])
	}
	if len(g.Rules) == 0 { // or the next group's user-agent lines would join
		f.line(kindKeys[DisallowLine], "", "")
	}
	for i := range records {
		f.record(&records[i])
	}
}

func (f *formatter) userAgent(a *UserAgent) {
	value := a.Value
	if a.Cut && a.Addressee.Specificity == agent.None {
		value = "" // what is left of a name may be another's
	}
	if value = within(value); len(kindKeys[UserAgentLine])+len(":")+len(value) <= MaxLine {
		f.line(kindKeys[UserAgentLine], value, "")
		return
	}
	f.line("Useragent", value, "") // it came so: the octet less keeps it whole
}

func (f *formatter) rule(r *Rule) {
	kind := DisallowLine
	if r.Verb == Allow {
		kind = AllowLine
	}
	f.line(kindKeys[kind], withinPattern(r.Pattern), r.Text)
}

func (f *formatter) record(r *Record) {
	key := kindKeys[r.Kind]
	if r.Kind == Other {
		key = capitalized(within(r.Key))
	}
	if key != "" && !strings.Contains(key, ":") {
		f.line(key, within(r.Value), "")
	}
}

// line writes a line. One that would be too long for its end to count loses its
// space; if it must have been shorter when it came, it is written as it came.
func (f *formatter) line(key, value, text string) {
	length := len(key) + len(":") + len(value)
	if length > MaxLine && text != "" && len(text) <= MaxLine {
		f.text = append(f.text, within(text)...)
		f.text = append(f.text, '\n')
		return
	}
	f.text = append(f.text, key...)
	f.text = append(f.text, ':')
	if value != "" && length < MaxLine {
		f.text = append(f.text, ' ')
	}
	f.text = append(f.text, value...)
	f.text = append(f.text, '\n')
}

// capitalized writes a key with a first capital.
func capitalized(key string) string {
	folded := []byte(key)
	for i, c := range folded {
		folded[i] = lower(c)
	}
	if len(folded) > 0 {
		folded[0] = upper(folded[0])
	}
	return string(folded)
}

// within returns as much of a value as stands within one line. A parsed File has
// no other values.
func within(value string) string {
	if end := strings.IndexAny(value, "\r\n#"); end >= 0 {
		value = value[:end]
	}
	return value
}

// withinPattern escapes what would end a pattern. A parsed File has no such ones.
func withinPattern(pattern string) string {
	if !strings.ContainsAny(pattern, "\r\n#") {
		return pattern
	}
	return strings.NewReplacer("\r", "%0D", "\n", "%0A", "#", "%23").Replace(pattern)
}
