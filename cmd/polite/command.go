package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"
)

// The exit codes of every command.
const (
	exitAllowed     = 0
	exitDisallowed  = 1
	exitWarned      = 1
	exitUnreachable = 1
	exitError       = 2 // wins over the others
)

// streams are the files that a command talks through.
type streams struct {
	in       io.Reader
	out, err io.Writer
	watched  bool // err is a terminal
	noColor  bool // no colours, terminal or not
}

// complain tells people what went wrong, in one line that a terminal can be
// trusted with.
func (s streams) complain(message string) {
	fmt.Fprintf(s.err, "polite: %s\n", printable(strings.TrimPrefix(message, "polite: ")))
}

// command is the grammar of the command line.
type command struct {
	Check   check   `cmd:"" help:"Say whether URLs may be fetched, by robots.txt."`
	Inspect inspect `cmd:"" help:"Show what is known of a robots.txt, and how it was fetched."`
	Parse   parse   `cmd:"" help:"Show what a robots.txt says, and what is wrong with it."`
	Purge   purge   `cmd:"" help:"Make a fleet forget what it knows of origins."`
	Version version `cmd:"" help:"Print the version of this command."`
}

// helpGroups are the parts of the help.
var helpGroups = []kong.Group{
	{Key: "output", Title: "Answers:"},
	{Key: "offline", Title: "Offline:"},
	{Key: "fetch", Title: "Fetching robots.txt (offline, the size and the charset count, too):"},
	{Key: "share", Title: "Sharing with other processes:"},
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	std.err, std.watched = terminal(std.err)
	std.err = zerolog.SyncWriter(std.err) // the logger writes from many goroutines

	var line command
	helped := false
	parser, err := kong.New(&line,
		kong.Name("polite"),
		kong.Description("Politeness for crawlers: what robots.txt says about URLs."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { helped = true }), // kong's own codes are not ours
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(helpGroups),
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeString)),
	)
	if err != nil {
		std.complain(err.Error())
		return exitError
	}
	parsed, err := parser.Parse(args)
	var output *os.PathError
	switch {
	case helped:
		return exitAllowed
	case errors.As(err, &output) && output.Op == "write":
		return std.unwritten("the help", output)
	case err != nil:
		std.complain(err.Error() + `; see "` + helpFor(err) + `"`)
		return exitError
	}
	switch parsed.Selected().Name {
	case "inspect":
		return line.Inspect.run(ctx, std)
	case "parse":
		return line.Parse.run(ctx, std)
	case "purge":
		return line.Purge.run(ctx, std)
	case "version":
		return line.Version.run(std)
	}
	return line.Check.run(ctx, std)
}

// helpFor is the command that explains what err is about.
func helpFor(err error) string {
	var refused *kong.ParseError
	if errors.As(err, &refused) && refused.Context.Selected() != nil {
		return "polite " + refused.Context.Selected().Name + " --help"
	}
	return "polite --help"
}

// printable returns text as it is if a terminal can be trusted with it, else
// quoted.
func printable(text string) string {
	if strings.Trim(text, " ") == "" { // it could not be seen
		return strconv.QuoteToASCII(text)
	}
	for _, r := range text {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			return strconv.QuoteToASCII(text)
		}
	}
	return text
}
