package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/polite-crawler/polite/domain/robots"
)

// parse shows what a robots.txt says.
type parse struct {
	File string `arg:"" name:"FILE" help:"The robots.txt; or standard input for \"-\"; or a URL, whose origin's robots.txt is fetched."`

	Agent     []string       `short:"a" sep:"none" placeholder:"NAME" help:"Show only what concerns this crawler: the groups that name it, those of \"*\", and what concerns the whole file; and say which group it goes by. A product token (\"MyBot\") or the whole identification string. Given again, names to fall back on."`
	Dialect   robots.Dialect `default:"default" placeholder:"NAME" help:"How the file is read: default, google, rfc9309 or legacy, and switches on top, separated by commas (\"default,file-order\"); docs/semantics.md lists them. Default: ${default}."`
	Untrusted bool           `help:"Keep the limits that are meant for files from anywhere: so many groups, lines, wildcards, and octets of a key, name or value."`

	Format string `group:"output" enum:"text,json,robots" default:"text" placeholder:"NAME" help:"text; json: one object; or robots: a canonical robots.txt that says the same. Default: ${default}."`
	Strict bool   `group:"output" help:"Make warnings the exit code 1, and an error of a file that is longer than is read, or not UTF-8."`

	Refresh bool `group:"fetch" help:"Ask the origin again, though its robots.txt is known in Redis."`

	network `embed:""`
}

// Help is the long part of the help.
func (parse) Help() string {
	return `As text, each line that says something has its number before it, and each that does not say what its author may think a warning with a remedy. Behind a record that has a meaning of its own stands that in other words. With --agent it is said, too, what the content may be used for. What a terminal must not see is quoted. On a terminal there are colours, unless NO_COLOR is set.

A canonical robots.txt holds what the file does, octet by octet; on a terminal, lines that it must not see are quoted.

Of a URL it is always the robots.txt of the whole origin that is shown: what Redis knows of it, or what the origin answers. An origin that cannot be reached is shown by its last good copy if there is one, and standard error says so. Where there is no robots.txt, or a web page in its place, standard error says what there is.

The exit code is 0 if the file could be read, 1 with --strict if there are warnings, and 2 if there was an error or there is no robots.txt.

Examples:

    polite parse robots.txt
    polite parse --strict --agent MyBot robots.txt
    polite parse --format json robots.txt
    polite parse --format robots --agent MyBot robots.txt > mybot.txt
    polite parse --agent MyBot https://example.com/
    xz -dc robots.txt.xz | polite parse -`
}

// run shows the file and returns the exit code.
func (p *parse) run(ctx context.Context, std streams) int {
	fail := func(err error) int {
		if ctx.Err() != nil {
			err = errors.New("interrupted; run it again")
		}
		std.complain(err.Error())
		return exitError
	}
	if err := p.validate(); err != nil {
		return fail(err)
	}
	src, err := p.source(ctx, std)
	if err != nil {
		return fail(err)
	}
	file, err := p.understand(src)
	if err != nil {
		return fail(err)
	}
	out, watched := terminal(std.out)
	shown, err := p.show(file, watched, watched && !std.noColor)
	if err == nil {
		_, err = out.Write(shown)
	}
	switch {
	case err != nil:
		return std.unwritten("what the file says", err)
	case p.Strict && len(file.warnings) > 0:
		return exitWarned
	}
	return exitAllowed
}

// validate refuses what can be parsed and not be meant.
func (p *parse) validate() error {
	switch {
	case isURL(p.File):
	case p.Redis != "":
		return errors.New("FILE and --redis: a file in hand is shared with nobody; give a URL, or leave --redis out")
	case p.Refresh:
		return errors.New("FILE and --refresh: a file in hand is not fetched; give a URL, or leave --refresh out")
	}
	if err := p.network.validate(); err != nil {
		return err
	}
	_, err := tokensOf(p.Agent)
	return err
}

// options are how the file is parsed: all of it, as it was cut before.
func (p *parse) options(text []byte) robots.Options {
	options := robots.Options{Dialect: p.Dialect}
	if p.Untrusted {
		options.Limits = robots.Untrusted()
	}
	options.Limits.Bytes = max(len(text), 1)
	return options
}

// refuse returns what --strict has against a source, nil for nothing.
func (p *parse) refuse(src *source) error {
	name := printable(src.name)
	if src.cut {
		return fmt.Errorf("%s goes on past the limit of %d octets; shorten it, give a larger --max-bytes, or leave out --strict",
			name, p.MaxBytes)
	}
	var unreadable *robots.EncodingError
	if _, err := robots.ParseStrict(src.octets, p.options(src.octets)); errors.As(err, &unreadable) {
		return fmt.Errorf("%s: %w; correct it, name what it is written in with --charset, or leave out --strict", name, err)
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// show writes the file in the format that was asked for.
func (p *parse) show(file *parsed, watched, colours bool) ([]byte, error) {
	switch p.Format {
	case "json":
		return file.json()
	case "robots":
		text := robots.Format(file.shown)
		if watched {
			text = watchable(text)
		}
		return text, nil
	}
	return file.text(palette(colours)), nil
}

// watchable quotes the lines that a terminal must not see.
func watchable(text []byte) []byte {
	var safe bytes.Buffer
	for line := range bytes.Lines(text) {
		safe.WriteString(printable(string(bytes.TrimSuffix(line, []byte("\n")))) + "\n")
	}
	return safe.Bytes()
}
