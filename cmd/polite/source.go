package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// A source is a robots.txt that is to be parsed.
type source struct {
	name    string // for messages
	url     string // "": it was not fetched
	octets  []byte // as it came, if its places are those of text
	text    []byte // UTF-8, whole lines up to the limit
	charset string
	cut     bool // it goes on past the limit
}

// source reads what FILE names.
func (p *parse) source(ctx context.Context, std streams) (*source, error) {
	if isURL(p.File) {
		return p.fetch(ctx, std)
	}
	body, err := readRobots(ctx, p.File, std.in, int(p.MaxBytes))
	if err != nil {
		return nil, err
	}
	return p.decoded(body), nil
}

// isURL tells a URL from the name of a file.
func isURL(name string) bool {
	scheme, _, found := strings.Cut(name, "://")
	return found && !strings.ContainsAny(scheme, `./\`)
}

// decoded is a body in hand.
func (p *parse) decoded(body []byte) *source {
	src := &source{name: inputName(p.File)}
	src.text, src.charset, src.cut = decode(body, p.Charset, int(p.MaxBytes))
	src.octets = src.text
	if src.charset == "utf-8" { // with the byte order mark
		src.octets = body
	}
	return src
}

// fetch asks a Gate for the robots.txt of a URL's origin.
func (p *parse) fetch(ctx context.Context, std streams) (*source, error) {
	who := crawler{Agent: p.Agent, Dialect: p.Dialect}
	if len(who.Agent) == 0 {
		who.Agent = []string{"polite"}
	}
	gate, done, err := p.open(ctx, who, std)
	if err != nil {
		return nil, err
	}
	defer done()
	ask := gate.Inspect
	if p.Refresh {
		ask = gate.Refresh
	}
	seen, err := ask(ctx, p.File)
	if err != nil {
		return nil, errors.New(blame(err))
	}
	return p.copied(&seen, std.err)
}

// copied is what is known of an origin as a source. That the origin gives no
// newer answer is told to people.
func (p *parse) copied(seen *polite.Inspection, aside io.Writer) (*source, error) {
	s := &seen.Snapshot
	url := s.Origin.RobotsURL()
	switch {
	case s.Outcome != policy.Successful && !s.Failing(), !s.HasCopy():
		return nil, fmt.Errorf("%s: %s; there is nothing to parse", url, seen.Account())
	case s.Copy.Body == nil:
		return nil, fmt.Errorf("%s: the file is not at hand any more; ask for it again with --refresh", url)
	case !s.Copy.Scope.IsZero():
		return nil, fmt.Errorf("%s: this Redis keeps only some crawlers' lines of it; leave --redis out to see all", url)
	case s.Failing():
		fmt.Fprintf(aside, "polite: %s: %s, which is shown\n", url, seen.Account())
	}
	src := &source{name: url, url: url, charset: s.Copy.Charset}
	src.text, src.cut = robots.Cut(s.Copy.Body, int(p.MaxBytes))
	src.cut = src.cut || s.Copy.Truncated
	src.octets = src.text
	return src, nil
}
