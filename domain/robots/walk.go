package robots

// Callbacks are what Walk calls, each if it is there. Values are escaped as
// EscapePattern does, except those of user-agent lines and Sitemaps, which are as
// written (P14). Strings point into a copy of the text.
type Callbacks struct {
	Start func() // before the first line
	End   func() // behind the last

	UserAgent func(line int, value string)
	Allow     func(line int, value string)
	Disallow  func(line int, value string)
	Sitemap   func(line int, value string)
	Unknown   func(line int, key, value string) // any other key, also one that is known elsewhere

	// Line is called for each line, behind its callback if it has one.
	Line func(line int, metadata Metadata)
}

// Metadata is what there is to know of a line besides key and value (P14).
type Metadata struct {
	Empty        bool // nothing but white space
	Comment      bool // there is a comment
	CommentOnly  bool // and nothing else
	Directive    bool // there is a key and a value
	MissingColon bool // white space stands for the colon
	Typo         bool // the key is a misspelling that is understood
	TooLong      bool // only its first MaxLine octets count
	Key          KeyUse
}

// A KeyUse is what becomes of a key.
type KeyUse uint8

// The uses.
const (
	NoKey      KeyUse = iota // the line has none
	KeyUsed                  // a user-agent line, a rule or a Sitemap
	KeyUnused                // a key that some crawlers know
	KeyUnknown               // any other
)

var keyUseNames = [...]string{"none", "used", "unused", "unknown"}

func (u KeyUse) String() string {
	if int(u) < len(keyUseNames) {
		return keyUseNames[u]
	}
	return "unknown"
}

// MarshalText writes the name.
func (u KeyUse) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// unused are the keys that crawlers are known to know, but Google's (P14).
var unused = [...]string{
	"clean-param", "content-signal", "content-usage", "crawl-delay", "domain", "host", "noarchive", "nofollow",
	"noindex", "request-rate", "revisit-after", "visit-time",
}

// Walk reads a robots.txt line by line without making a File of it (P14). It
// reads lines as Parse does, in any Dialect; of the Limits only Bytes holds. What
// follows the last line end counts as a line, be it empty.
func Walk(text []byte, options Options, callbacks Callbacks) {
	g := newGrammar(options.Dialect)
	text, _ = Cut(text, options.Limits.orDefault(options.Dialect).Bytes)
	if callbacks.Start != nil {
		callbacks.Start()
	}
	rest := g.skipMark(string(text))
	source := newSource(rest, &g)
	var f Field
	for source.next(&f) {
		callbacks.call(source.number, &f)
	}
	if n := len(rest); n == 0 || rest[n-1] == '\n' || rest[n-1] == '\r' {
		callbacks.call(source.lines.Number+1, &Field{})
	}
	if callbacks.End != nil {
		callbacks.End()
	}
}

// call calls what there is to call for a line.
func (c *Callbacks) call(line int, f *Field) {
	if f.OK {
		c.callDirective(line, f)
	}
	if c.Line != nil {
		c.Line(line, f.metadata())
	}
}

func (c *Callbacks) callDirective(line int, f *Field) {
	call, value := c.Allow, f.Value
	switch f.Kind {
	case UserAgentLine:
		call = c.UserAgent
	case Sitemap:
		call = c.Sitemap
	case AllowLine:
		value = EscapePattern(value)
	case DisallowLine:
		call, value = c.Disallow, EscapePattern(value)
	default:
		if c.Unknown != nil {
			c.Unknown(line, f.Key, EscapePattern(value))
		}
		return
	}
	if call != nil {
		call(line, value)
	}
}

func (f *Field) metadata() Metadata {
	m := Metadata{
		Empty:        f.Text == "" && f.notes&hasComment == 0,
		Comment:      f.notes&hasComment != 0,
		CommentOnly:  f.Text == "" && f.notes&hasComment != 0,
		Directive:    f.OK,
		MissingColon: f.notes&lacksColon != 0,
		Typo:         f.notes&commonTypo != 0,
		TooLong:      f.notes&tooLong != 0,
	}
	if f.OK {
		m.Key = f.use()
	}
	return m
}

// use tells what becomes of the key.
func (f *Field) use() KeyUse {
	if f.Kind.isCore() {
		return KeyUsed
	}
	for _, key := range unused {
		if len(key) == len(f.Key) && hasPrefixFold(f.Key, key) {
			return KeyUnused
		}
	}
	return KeyUnknown
}
