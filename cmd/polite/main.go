// Command polite answers from the shell what the library answers in a program:
// whether a crawler may fetch a URL by robots.txt (RFC 9309), and why; how such a
// file was fetched, and what it says.
//
// It is for trying out a file or a crawler's name, for scripts, and for lists of
// URLs of any length. Crawlers in Go use package polite itself. "polite --help",
// and the same behind the name of a command, says all that it can do.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Else a reader who has seen enough, like head, would kill the process
	// before it could give back what it leased from the fleet.
	signal.Ignore(syscall.SIGPIPE)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		noColor: os.Getenv("NO_COLOR") != "",
	}))
}
