package main

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// A palette colours text, or does not.
type palette bool

// The colours, as terminals number them.
const (
	faint  = 2
	bold   = 1
	red    = 31
	green  = 32
	yellow = 33
	cyan   = 36
)

func (p palette) paint(colour int, text string) string {
	if !p || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

// severities are the colours of warnings.
var severities = map[robots.Severity]int{robots.Minor: cyan, robots.Major: yellow, robots.Grave: red}

// text is the file for people. What stands in it is quoted where a terminal must
// not see it.
func (p *parsed) text(colours palette) []byte {
	w, base := &page{colours: colours}, p.base()
	for i := range p.shown.Groups {
		w.heading(fmt.Sprintf("Group %d", i+1))
		w.entries(entriesOf(&p.shown.Groups[i], base))
	}
	if len(p.shown.Records) > 0 {
		w.heading("Of the whole file")
		w.entries(recordsOf(p.shown.Records, base))
	}
	if len(p.warnings) > 0 {
		w.heading("Warnings")
		for i := range p.warnings {
			w.warning(&p.warnings[i])
		}
	}
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	p.sumUp(w)
	return w.Bytes()
}

// sumUp says in sentences what else there is to know.
func (p *parsed) sumUp(w *page) {
	rules, records := 0, len(p.shown.Records)
	for i := range p.shown.Groups {
		rules += len(p.shown.Groups[i].Rules)
		records += len(p.shown.Groups[i].Records)
	}
	if p.url != "" {
		fmt.Fprintf(w, "%s: ", p.url)
	}
	fmt.Fprintf(w, "%s, %s, %s, %s.\n", plural(len(p.shown.Groups), "group"), plural(rules, "rule"),
		plural(records, "other record"), plural(len(p.warnings), "warning"))
	if p.isFor() {
		w.WriteString(p.whose() + "\n")
		w.WriteString(p.usable())
	}
	if p.shown.Truncated {
		fmt.Fprintln(w, w.colours.paint(red, fmt.Sprintf("The file goes on past the limit of %d octets; what was cut may say otherwise.", p.limit)))
	}
	if p.shown.Limited {
		fmt.Fprintln(w, w.colours.paint(red, "Limits left something out, as warnings tell; what was left out may say otherwise."))
	}
}

// whose says which group the crawler goes by.
func (p *parsed) whose() string {
	name := strings.Join(slices.Collect(p.names), ", then ")
	group := p.decision.Group
	if group.Line == 0 {
		return fmt.Sprintf("No group concerns %s: everything is allowed.", name)
	}
	text := fmt.Sprintf("%s goes by the group of %s (line %d, %s), with %s", name,
		quoted("User-agent: "+group.Agent), group.Line, group.Specificity, plural(p.rules, "rule"))
	if delay := p.decision.Delay; delay.Source != policy.NoDelay {
		text += fmt.Sprintf("; line %d asks for %s between requests", delay.Line, delay.Interval)
	}
	return text + "."
}

// usable says what the content may be used for, as far as the file does.
func (p *parsed) usable() (text string) {
	var uses []string
	for _, use := range p.uses {
		said := printable(string(use.Purpose)) + ": " + use.Permission.String()
		if use.Permission != policy.NotSaid {
			said += fmt.Sprintf(" (line %d)", use.Record.Line)
		}
		uses = append(uses, said)
	}
	if len(uses) > 0 {
		text = "Uses of the content at /: " + strings.Join(uses, "; ") + ".\n"
	}
	if len(p.licenses) > 0 {
		text += fmt.Sprintf("Whoever uses content is to read %s.\n", plural(len(p.licenses), "license"))
	}
	return text
}

// names yields the crawler's product tokens.
func (p *parsed) names(yield func(string) bool) {
	for token := range p.agents.Tokens {
		if !yield(token.String()) {
			return
		}
	}
}

// A page is text in the making.
type page struct {
	bytes.Buffer
	colours palette
}

// heading begins a part.
func (w *page) heading(text string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.WriteString(w.colours.paint(bold, text) + "\n")
}

// An entry is a line of the file that says something.
type entry struct {
	line       int
	colour     int
	key, value string
	meant      string // the value in other words, if there are any
}

// entriesOf returns what a group says, in the order of the file.
func entriesOf(g *robots.Group, base *url.URL) []entry {
	all := recordsOf(g.Records, base)
	for _, a := range g.Agents {
		all = append(all, entry{line: a.Line, colour: cyan, key: "User-agent", value: a.Value})
	}
	for _, r := range g.Rules {
		if r.Verb == robots.Allow {
			all = append(all, entry{line: r.Line, colour: green, key: "Allow", value: r.Pattern})
		} else {
			all = append(all, entry{line: r.Line, colour: red, key: "Disallow", value: r.Pattern})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.line, b.line) })
	return all
}

func recordsOf(records []robots.Record, base *url.URL) (all []entry) {
	for i := range records {
		r := &records[i]
		all = append(all, entry{r.Line, yellow, r.Key, r.Value, meant(r, base)})
	}
	return all
}

func (w *page) entries(all []entry) {
	for _, e := range all {
		w.number(e.line)
		w.WriteString(w.colours.paint(e.colour, printable(e.key)) + ":")
		if e.value != "" {
			w.WriteString(" " + printable(e.value))
		}
		if e.meant != "" {
			w.WriteString("  " + w.colours.paint(faint, "("+printable(e.meant)+")"))
		}
		w.WriteByte('\n')
	}
}

func (w *page) warning(warning *robots.Warning) {
	w.number(warning.Line)
	_, problem, _ := strings.Cut(warning.String(), ": ") // the line's number stands before it already
	severity := warning.Severity()
	fmt.Fprintf(w, "%s: %s\n", w.colours.paint(severities[severity], severity.String()), problem)
	if warning.Text != "" {
		fmt.Fprintf(w, "%8s%s\n", "", quoted(warning.Text))
	}
}

func (w *page) number(line int) {
	w.WriteString(w.colours.paint(faint, fmt.Sprintf("%6d", line)) + "  ")
}

// quoted is the beginning of a text in quotes.
func quoted(text string) string {
	const shown = 200
	if len(text) <= shown {
		return fmt.Sprintf("%q", text)
	}
	end := shown
	for end > shown-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%q…", text[:end])
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
