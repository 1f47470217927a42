package main

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"polite": main})
}

// TestScripts runs the command as people do. Besides testscript's own commands
// and variables the scripts have
//
//	exits CODE program arguments…     run it; the exit code must be CODE
//	write FILE text                   write a text with Go's escapes
//	longline FILE N                   append "/aaa…" of N octets, and a line end
//	asked N                           robots.txt was requested N times from $SITE
//	awaited                           wait for a request to $HANGING
//
// $ESC, $CSI (a C1 control), $RTL (it turns text around) and $OCTET (no UTF-8);
// $REDIS, a Redis, and $DOWN, an address where nobody listens; and the origins
// of newSites.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else a second each
			env.Setenv("ESC", "\x1b[31m")
			env.Setenv("CSI", "\u009b")
			env.Setenv("RTL", "\u202e")
			env.Setenv("OCTET", "\xff")
			s := newSites(env)
			env.Values[sitesKey{}] = s
			redis := miniredis.NewMiniRedis()
			if err := redis.Start(); err != nil {
				return err
			}
			env.Defer(redis.Close)
			env.Setenv("REDIS", redis.Addr())
			env.Setenv("DOWN", "127.0.0.1:1")
			certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.secure.Certificate().Raw})
			return os.WriteFile(env.WorkDir+"/ca.pem", certificate, 0o600)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    exits,
			"write":    write,
			"longline": longLine,
			"asked":    asked,
			"awaited":  awaited,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program arguments…")
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

func write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write FILE text")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func longLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: longline FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	file, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	ts.Check(err)
	_, err = fmt.Fprintf(file, "/%s\n", strings.Repeat("a", n-1))
	ts.Check(errors.Join(err, file.Close()))
}

func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: asked N")
	}
	s := ts.Value(sitesKey{}).(*sites)
	if got := s.asked.Load(); strconv.FormatInt(got, 10) != args[0] {
		ts.Fatalf("$SITE was asked %d times, want %s", got, args[0])
	}
}

func awaited(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: awaited")
	}
	<-ts.Value(sitesKey{}).(*sites).hangs
}

// sites are origins on this machine.
type sites struct {
	asked  atomic.Int64  // requests for robots.txt to $SITE
	hangs  chan struct{} // a request to $HANGING has come
	secure *httptest.Server
}

type sitesKey struct{}

const siteRobots = `User-agent: MyBot
Disallow: /private # staff
Allow: /private/open

User-agent: *
Disallow: /
`

func newSites(env *testscript.Env) *sites {
	s := &sites{hangs: make(chan struct{}, 16)}
	serve := func(name string, handler http.HandlerFunc) {
		server := httptest.NewServer(handler)
		env.Defer(server.Close)
		env.Setenv(name, server.URL)
	}
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, body)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
	}
	serve("SITE", func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		text(siteRobots)(w, r)
	})
	serve("MISSING", status(http.StatusNotFound))
	serve("FORBIDDEN", status(http.StatusForbidden))
	serve("BROKEN", status(http.StatusInternalServerError))
	serve("MOVED", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, env.Getenv("SITE")+"/robots.txt", http.StatusFound)
	})
	// It says all that a header can say about a version, and confirms it.
	serve("TAGGED", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"first"`)
		w.Header().Set("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")
		w.Header().Set("Cache-Control", "max-age=3600")
		if r.Header.Get("If-None-Match") == `"first"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		text(siteRobots)(w, r)
	})
	serve("PAGE", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>\x1b[31mWelcome</title>")
	})
	// It serves a file once, and fails from then on.
	var served atomic.Bool
	serve("FLAKY", func(w http.ResponseWriter, r *http.Request) {
		if served.Swap(true) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		text(siteRobots)(w, r)
	})
	serve("CIRCLE", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/robots.txt", http.StatusFound)
	})
	// Escape sequences wherever a server can put them, and where it cannot.
	serve("RUDE", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			send(w, "HTTP/1.1 302 Go \x1b[31maway\r\nLocation: /\u009b31m\u202ered\r\nContent-Length: 0\r\n\r\n")
			return
		}
		send(w, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=\"\u009b\"\r\nETag: \"\u009b31m\u202e\"\r\n"+
			"Last-Modified: \u009bnever\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /\x1b[31mred\n")
	})
	serve("RUDEST", func(w http.ResponseWriter, r *http.Request) {
		send(w, "HTTP/1.1 200 OK\r\nX: \x1b[31m\r\n\r\n")
	})
	serve("HOSTILE", text("User-agent: *\nDisallow: /\x1b[31m\u009b\u202ered\nDisallow: /*\n"))
	serve("LATIN", text("User-agent: *\nDisallow: /caf\xe9\n"))
	serve("LONG", text("User-agent: *\nDisallow: /a\n"+strings.Repeat("#\n", 1000)+"Disallow: /b\n"))
	// Its robots.txt disallows what the User-Agent header says, as a path.
	serve("MIRROR", func(w http.ResponseWriter, r *http.Request) {
		text("User-agent: *\nDisallow: /"+r.UserAgent()+"$\n")(w, r)
	})
	serve("PROXY", func(w http.ResponseWriter, r *http.Request) {
		text("User-agent: *\nDisallow: /of/"+r.URL.Host+"\n")(w, r)
	})
	serve("HANGING", func(_ http.ResponseWriter, r *http.Request) {
		s.hangs <- struct{}{}
		<-r.Context().Done()
	})
	s.secure = httptest.NewUnstartedServer(text(siteRobots))
	s.secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // refused on purpose
	s.secure.StartTLS()
	env.Defer(s.secure.Close)
	env.Setenv("SECURE", s.secure.URL)
	return s
}

// send writes octets as they are, in place of an answer of package http.
func send(w http.ResponseWriter, octets string) {
	conn, out, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = out.WriteString(octets)
	_ = out.Flush()
}
