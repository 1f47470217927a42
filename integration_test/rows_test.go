package integration_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// A row is an answer to a request for robots.txt, and what SEMANTICS F makes of
// it.
type row struct {
	rule, name string
	play       http.HandlerFunc // nil: nobody listens
	meaning    meaning

	path     string        // that the file disallows; private
	requests int           // 1
	status   int           // of the last answer; 0: none came
	failure  string        // ""
	stop     string        // ""
	least    time.Duration // that it holds for
	most     time.Duration // least
	charset  string        // "utf-8", where there is a copy
	cut      bool
}

// A meaning is what a row means to each profile: what is answered about a page
// that the file, if it counts, allows, and about one that it disallows.
type meaning struct {
	access  string
	reasons [2]string
	open    map[string]bool // by profile, of a file that does not count
	strict  string          // access for strict, if that is another
}

var (
	byRules     = meaning{access: "successful", reasons: [2]string{"no-rule", "rule"}}
	empty       = meaning{access: "successful", reasons: [2]string{"empty", "empty"}, open: everybody(true)}
	soft404     = meaning{access: "successful", reasons: [2]string{"soft-404", "soft-404"}, open: everybody(true)}
	unavailable = meaning{access: "unavailable", reasons: [2]string{"unavailable", "unavailable"}, open: everybody(true)}
	forbidden   = meaning{access: "unavailable", reasons: [2]string{"forbidden", "forbidden"}, open: but("strict", false)}
	unreachable = meaning{access: "unreachable", reasons: [2]string{"unreachable", "unreachable"}, open: but("archive", true)}
	// F5: to strict it is F11.
	nowhere = meaning{access: "unavailable", reasons: [2]string{"unavailable", "unavailable"}, open: but("strict", false), strict: "unreachable"}
)

var profiles = []string{"rfc", "google", "archive", "strict"}

func everybody(open bool) map[string]bool {
	all := make(map[string]bool)
	for _, profile := range profiles {
		all[profile] = open
	}
	return all
}

// but is everybody with one exception.
func but(profile string, open bool) map[string]bool {
	all := everybody(!open)
	all[profile] = open
	return all
}

// challenged is a meaning for the reason that a bot challenge was served.
func (m meaning) challenged() meaning {
	m.reasons = [2]string{"challenged", "challenged"}
	return m
}

const day = 24 * time.Hour

// rows are F1 to F12 as far as a server on this machine can play them. What it
// takes a public address for (F6) is tested with the dial guard; what it takes
// time for (F2, F11 with a copy, F13) with a store, or in fake time.
func rows(t *testing.T) []row {
	file, elsewhere := robotsTxt(private), play(t, serves(robotsTxt(private)))
	all := []row{
		// F1, RFC 9309 §2.4, RFC 9111 §4.2.
		{rule: "F1", name: "max-age", play: serves(file, "Cache-Control", "max-age=3600"), meaning: byRules, status: 200, least: time.Hour},
		{rule: "F1", name: "s-maxage", play: serves(file, "Cache-Control", "max-age=60, s-maxage=7200"), meaning: byRules, status: 200, least: 2 * time.Hour},
		{rule: "F1", name: "less Age", play: serves(file, "Cache-Control", "max-age=3600", "Age", "600"), meaning: byRules, status: 200, least: 50 * time.Minute},
		{
			rule: "F1", name: "Expires less Date", play: serves(file, "Date", "Thu, 01 Jan 2026 00:00:00 GMT", "Expires", "Thu, 01 Jan 2026 00:30:00 GMT"),
			meaning: byRules, status: 200, least: 30 * time.Minute,
		},
		{rule: "F1", name: "under Min", play: serves(file, "Cache-Control", "max-age=10"), meaning: byRules, status: 200, least: 5 * time.Minute},
		{rule: "F1", name: "over Max", play: serves(file, "Cache-Control", "max-age=9999999"), meaning: byRules, status: 200, least: day},
		{rule: "F1", name: "no-store", play: serves(file, "Cache-Control", "no-store"), meaning: byRules, status: 200, least: 5 * time.Minute},
		{rule: "F1", name: "no-cache", play: serves(file, "Cache-Control", "no-cache, max-age=3600"), meaning: byRules, status: 200, least: 5 * time.Minute},
		{rule: "F1", name: "in the past", play: serves(file, "Expires", "Thu, 01 Jan 1970 00:00:00 GMT"), meaning: byRules, status: 200, least: 5 * time.Minute},
		{rule: "F1", name: "unreadable", play: serves(file, "Expires", "soon"), meaning: byRules, status: 200, least: 5 * time.Minute},
		{rule: "F1", name: "not said", play: serves(file), meaning: byRules, status: 200, least: day * 9 / 10, most: day},
		{rule: "F1", name: "another 2xx", play: answers(203, file), meaning: byRules, status: 203, least: day * 9 / 10, most: day},
		{rule: "F1", name: "no content", play: says(204), meaning: empty, status: 204, least: day * 9 / 10, most: day},
		{rule: "F1", name: "an empty file", play: serves(""), meaning: empty, status: 200, least: day * 9 / 10, most: day},
		{rule: "F1", name: "gzip", play: serves(gzipped(file), "Content-Encoding", "gzip"), meaning: byRules, status: 200, least: day * 9 / 10, most: day},
		{rule: "F1", name: "deflate", play: serves(zlibbed(file), "Content-Encoding", "deflate"), meaning: byRules, status: 200, least: day * 9 / 10, most: day},

		{rule: "F3", name: "a page", play: serves("<p>Welcome", "Content-Type", "text/html; charset=utf-8"), meaning: soft404, status: 200, least: time.Hour},
		{rule: "F3", name: "a page that calls itself text", play: serves("\n<!DOCTYPE html><p>Welcome"), meaning: soft404, status: 200, least: time.Hour},
		{rule: "F1", name: "a file that calls itself a page", play: serves(file, "Content-Type", "text/html"), meaning: byRules, status: 200, least: day * 9 / 10, most: day},

		// F4, F5, §2.3.1.2.
		{rule: "F4", name: "1 redirect", play: leads(1, file), meaning: byRules, requests: 2, status: 200, least: day * 9 / 10, most: day},
		{rule: "F4", name: "5 redirects", play: leads(5, file), meaning: byRules, requests: 6, status: 200, least: day * 9 / 10, most: day},
		{rule: "F4", name: "another authority", play: says(308, "Location", elsewhere+"/rules"), meaning: byRules, requests: 2, status: 200, least: day * 9 / 10, most: day},
		{rule: "F4", name: "to where there is none", play: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/none" {
				says(404)(w, r)
				return
			}
			says(301, "Location", "none")(w, r)
		}, meaning: unavailable, requests: 2, status: 404, least: day},
		{rule: "F5", name: "6 redirects", play: leads(6, file), meaning: nowhere, requests: 6, status: 302, stop: "too-many-redirects", least: time.Hour},
		{rule: "F5", name: "a loop", play: says(307, "Location", "/robots.txt"), meaning: nowhere, status: 307, stop: "redirect-loop", least: time.Hour},
		{rule: "F5", name: "no Location", play: says(303), meaning: nowhere, status: 303, stop: "no-location", least: time.Hour},
		{rule: "F5", name: "300", play: says(300), meaning: nowhere, status: 300, stop: "no-location", least: time.Hour},
		{rule: "F5", name: "a bad Location", play: says(302, "Location", "http://[/"), meaning: nowhere, status: 302, stop: "no-location", least: time.Hour},
		{rule: "F6", name: "another scheme", play: says(302, "Location", "ftp://example.com/robots.txt"), meaning: unreachable, status: 302, stop: "other-scheme", least: time.Hour},

		{rule: "F8", name: "401", play: says(401), meaning: forbidden, status: 401, least: 6 * time.Hour},
		{rule: "F8", name: "402", play: says(402), meaning: forbidden, status: 402, least: 6 * time.Hour},
		{rule: "F8", name: "403 with a file", play: answers(403, file), meaning: forbidden, status: 403, least: 6 * time.Hour},
		{rule: "F8", name: "403, a challenge", play: says(403, "cf-mitigated", "challenge"), meaning: forbidden.challenged(), status: 403, least: 6 * time.Hour},

		{rule: "F10", name: "Retry-After in seconds", play: says(429, "Retry-After", "600"), meaning: unreachable, status: 429, least: 10 * time.Minute},
		{
			rule: "F10", name: "Retry-After, a date", play: says(429, "Retry-After", time.Now().Add(5*time.Hour).UTC().Format(http.TimeFormat)),
			meaning: unreachable, status: 429, least: 4 * time.Hour, most: 5 * time.Hour,
		},
		{rule: "F10", name: "Retry-After, for ever", play: says(429, "Retry-After", "99999999"), meaning: unreachable, status: 429, least: day},
		{rule: "F11", name: "503 with Retry-After", play: says(503, "Retry-After", "3600"), meaning: unreachable, status: 503, least: time.Hour},
		{rule: "F11", name: "503, a challenge", play: says(503, "cf-mitigated", "challenge"), meaning: unreachable.challenged(), status: 503, least: 54 * time.Second, most: time.Minute},
		{rule: "F11", name: "206", play: answers(206, file, "Content-Range", "bytes 0-30/31"), meaning: unreachable, status: 206, least: 54 * time.Second, most: time.Minute},

		{rule: "F12", name: "too long", play: serves(file + strings.Repeat("# filler\n", 70_000) + robotsTxt("/")), meaning: byRules, status: 200, least: day * 9 / 10, most: day, cut: true},
		{
			rule: "F12", name: "a gzip bomb", play: serves(gzipped(file+strings.Repeat("#\n", 20<<20)), "Content-Encoding", "gzip"),
			meaning: byRules, status: 200, least: day * 9 / 10, most: day, cut: true,
		},
	}
	for _, status := range []int{404, 410} {
		all = append(all, row{rule: "F7", name: strconv.Itoa(status), play: says(status), meaning: unavailable, status: status, least: day})
	}
	for _, status := range []int{400, 405, 406, 418, 451, 499} {
		all = append(all, row{rule: "F7", name: strconv.Itoa(status), play: answers(status, file), meaning: unavailable, status: status, least: 6 * time.Hour})
	}
	for rule, statuses := range map[string][]int{"F9": {408, 421, 425}, "F10": {429}, "F11": {304, 500, 501, 502, 503, 504, 599, 600, 999}} {
		for _, status := range statuses {
			all = append(all, row{rule: rule, name: strconv.Itoa(status), play: says(status), meaning: unreachable, status: status, least: 54 * time.Second, most: time.Minute})
		}
	}
	for _, failure := range []row{
		{name: "refused", failure: "connect"},
		{name: "reset", play: raw("", true), failure: "connect"},
		{name: "closed", play: sends(""), failure: "protocol"},
		{name: "not HTTP", play: sends("SSH-2.0-OpenSSH_9.9\r\n"), failure: "protocol"},
		{name: "a header without end", play: sends(header + strings.Repeat("X: "+strings.Repeat("x", 1000)+"\r\n", 100) + "\r\n"), failure: "protocol"},
		{name: "half a body", play: sends(header + "Content-Length: 1000\r\n\r\n" + file), status: 200, failure: "body"},
		{name: "half a chunk", play: sends(header + "Transfer-Encoding: chunked\r\n\r\n3E8\r\n" + file), status: 200, failure: "body"},
		{name: "no last chunk", play: sends(header + "Transfer-Encoding: chunked\r\n\r\n1\r\n#\r\n"), status: 200, failure: "body"},
		{name: "reset in the body", play: raw(header+"Content-Length: 1000\r\n\r\n"+file, true), status: 200, failure: "body"},
		{name: "half a gzip", play: serves(gzipped(file)[:30], "Content-Encoding", "gzip"), status: 200, failure: "body"},
		{name: "gzip that is none", play: serves(file, "Content-Encoding", "gzip"), status: 200, failure: "content-coding"},
		{name: "an unknown coding", play: serves(file, "Content-Encoding", "br"), status: 200, failure: "content-coding"},
	} {
		failure.rule, failure.meaning, failure.least, failure.most = "F11", unreachable, 54*time.Second, time.Minute
		all = append(all, failure)
	}
	return append(all, charsetRows()...)
}

// charsetRows are the order BOM, Content-Type, UTF-8; and labels that are wrong.
func charsetRows() (all []row) {
	in := func(e encoding.Encoding, text string) string {
		octets, err := e.NewEncoder().String(text)
		if err != nil {
			panic(err) // the row is wrong
		}
		return octets
	}
	wide := func(mark string, order func(u uint16) []byte, text string) string {
		var out strings.Builder
		out.WriteString(mark)
		for _, unit := range utf16.Encode([]rune(text)) {
			out.Write(order(unit))
		}
		return out.String()
	}
	little := func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }
	big := func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }
	for _, r := range []struct{ name, path, label, octets, charset string }{
		{"UTF-8, with a mark", "/café", "text/plain", "\uFEFF" + robotsTxt("/café"), "utf-8"},
		{"UTF-16LE, by its mark", "/café", "text/plain; charset=iso-8859-1", wide("\xFF\xFE", little, robotsTxt("/café")), "utf-16le"},
		{"UTF-16BE, by its mark", "/café", "text/plain", wide("\xFE\xFF", big, robotsTxt("/café")), "utf-16be"},
		{"windows-1251", "/личное", "text/plain; charset=windows-1251", in(charmap.Windows1251, robotsTxt("/личное")), "windows-1251"},
		{"Shift_JIS", "/秘密", "text/plain; charset=Shift_JIS", in(japanese.ShiftJIS, robotsTxt("/秘密")), "shift_jis"},
		{"ISO-8859-1", "/café", `text/plain; charset="ISO-8859-1"`, in(charmap.Windows1252, robotsTxt("/café")), "windows-1252"},
		{"GB18030", "/秘密", "text/plain; charset=gb18030", in(simplifiedchinese.GB18030, robotsTxt("/秘密")), "gb18030"},
		{"a wrong label over UTF-8", "/café", "text/plain; charset=iso-8859-1", robotsTxt("/café"), "utf-8"},
		{"an unknown label", "/café", "text/plain; charset=klingon", robotsTxt("/café"), "utf-8"},
		{"octets that are none", "/caf%E9", "text/plain", robotsTxt("/caf\xE9"), "utf-8"},
	} {
		all = append(all, row{
			rule: "F, charset", name: r.name, play: serves(r.octets, "Content-Type", r.label),
			meaning: byRules, path: r.path, status: 200, least: day * 9 / 10, most: day, charset: r.charset,
		})
	}
	return all
}
