package porttest

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"

	"github.com/polite-crawler/polite/domain/policy"
)

func fetcherBodyChecks() []Check[OpenFetcher] {
	return []Check[OpenFetcher]{
		{"a body is cut and marked at the limit", "SEMANTICS F12", fetchesUpToLimit},
		{"an empty body is not an absent one", "policy.Response.Body", fetchesEmpty},
		{"a body becomes UTF-8", "SEMANTICS F, charset", fetchesCharsets},
		{"the default charset comes last", "SEMANTICS F, charset", fetchesDefaultCharset},
		{"the limit holds for the text as well", "SEMANTICS F12", fetchesCharsetsUpToLimit},
		{"a coded body is decoded or refused", "SEMANTICS F11", fetchesCodings},
		{"a corrupt coding is a failure", "SEMANTICS F11", fetchesCorrupt},
		{"the limit counts decoded octets", "SEMANTICS F12", fetchesBomb},
		{"a bomb costs no more than the limit", "SEMANTICS F12", fetchesBombCheaply},
		{"a body that is not whole is a failure", "SEMANTICS F11", fetchesBroken},
		{"a limit's worth is enough of a broken body", "SEMANTICS F12", fetchesBrokenPastLimit},
	}
}

func fetchesUpToLimit(t T, open OpenFetcher) {
	const limit = fetcherLimit
	text := strings.Repeat("# 4567890\n", limit)
	fetcher := openFetcher(t, open)
	for _, size := range []int{1, limit - 1, limit, limit + 1, 10 * limit} {
		for name, handler := range map[string]http.HandlerFunc{
			"with its length": answers(text[:size], "Content-Length", strconv.Itoa(size)),
			"in chunks": func(w http.ResponseWriter, r *http.Request) {
				_ = http.NewResponseController(w).Flush()
				answers(text[:size])(w, r)
			},
			"until the end": sends("HTTP/1.0 200 OK\r\n\r\n" + text[:size]),
			"in gzip":       answers(gzipped(text[:size]), "Content-Encoding", "gzip"),
		} {
			response, ok := fetched(t, fetcher, policy.Request{URL: serve(t, handler).URL})
			if !ok {
				continue
			}
			if want := text[:min(size, limit)]; string(response.Body) != want {
				t.Errorf("%d octets %s: a body of %d octets, want the first %d", size, name, len(response.Body), len(want))
			}
			if want := size > limit; response.Truncated != want {
				t.Errorf("%d octets %s: truncated is %t, want %t", size, name, response.Truncated, want)
			}
		}
	}
	response, ok := fetched(t, fetcher, policy.Request{URL: serve(t, floods).URL})
	if ok && (len(response.Body) != limit || !response.Truncated) {
		t.Errorf("endless: a body of %d octets, truncated %t", len(response.Body), response.Truncated)
	}
}

// fetchesEmpty: a nil Copy.Body stands for "not at hand" (ports.Cache.Put).
func fetchesEmpty(t T, open OpenFetcher) {
	fetcher := openFetcher(t, open)
	for name, handler := range map[string]http.HandlerFunc{
		"plain":          answers(""),
		"in gzip":        answers(gzipped(""), "Content-Encoding", "gzip"),
		"called gzip":    answers("", "Content-Encoding", "gzip"),
		"a mark":         answers("\xEF\xBB\xBF"),
		"in no chunks":   sends(inChunks("0\r\n\r\n")),
		"without length": sends("HTTP/1.0 200 OK\r\n\r\n"),
	} {
		response, ok := fetched(t, fetcher, policy.Request{URL: serve(t, handler).URL})
		if ok && (response.Body == nil || len(response.Body) > 0 || response.Truncated) {
			t.Errorf("%s: body %q (nil: %t), truncated %t", name, response.Body, response.Body == nil, response.Truncated)
		}
	}
}

func fetchesCharsets(t T, open OpenFetcher) {
	fetcher := openFetcher(t, open)
	const text = "Disallow: /привет"
	for _, row := range []struct{ name, contentType, body, text, charset string }{
		{"utf-8", "text/plain; charset=utf-8", text, text, "utf-8"},
		{"nothing said", "text/plain", text, text, "utf-8"},
		{"a mark", "text/plain; charset=windows-1251", "\xEF\xBB\xBF" + text, text, "utf-8"},
		{"utf-16 and its mark", "text/plain", "\xFF\xFE/\x00\x3F\x04", "/п", "utf-16le"},
		{"the other utf-16, and a label that is not true", "text/plain; charset=utf-8", "\xFE\xFF\x00/\x04\x3F", "/п", "utf-16be"},
		{"iso-8859-1", "text/plain; charset=ISO-8859-1", "Disallow: /caf\xE9", "Disallow: /café", "windows-1252"},
		{"shift_jis", "text/plain; charset=Shift_JIS", "Disallow: /\x93\xFA\x96\x7B\x8C\xEA", "Disallow: /日本語", "shift_jis"},
		{"gb18030", "text/plain; charset=gb18030", "Disallow: /\xD6\xD0\x95\x32\x82\x36", "Disallow: /中𠀀", "gb18030"},
		{"windows-1251", "text/plain; charset=windows-1251", "Disallow: /\xEF\xF0\xE8\xE2\xE5\xF2", text, "windows-1251"},
		{"a wrong label", "text/plain; charset=iso-8859-1", text, text, "utf-8"},
		{"an unknown label", "text/plain; charset=klingon", text, text, "utf-8"},
		{"invalid octets stay", "text/plain", "Disallow: /\xFF", "Disallow: /\xFF", "utf-8"},
		{"late in the body", "text/plain", strings.Repeat("#\n", 400) + text, strings.Repeat("#\n", 400) + text, "utf-8"},
	} {
		server := serve(t, answers(row.body, "Content-Type", row.contentType))
		response, ok := fetched(t, fetcher, policy.Request{URL: server.URL})
		if ok && (string(response.Body) != row.text || response.Charset != row.charset) {
			t.Errorf("%s: %q in %q, want %q in %q", row.name, response.Body, response.Charset, row.text, row.charset)
		}
	}
}

// fetchesDefaultCharset: what the operator says comes behind what the server does.
func fetchesDefaultCharset(t T, open OpenFetcher) {
	fetcher := open(t, FetcherSettings{UserAgent: fetcherAgent, MaxBytes: fetcherLimit, Timeout: fetcherSoon, Charset: "windows-1251"})
	for _, row := range []struct{ name, contentType, body, text, charset string }{
		{"nothing said", "text/plain", "/\xEF\xF0\xE8", "/при", "windows-1251"},
		{"an unknown label", "text/plain; charset=klingon", "/\xEF\xF0\xE8", "/при", "windows-1251"},
		{"another label", "text/plain; charset=iso-8859-1", "/caf\xE9", "/café", "windows-1252"},
		{"utf-8, and labelled so", "text/plain; charset=utf-8", "/при", "/при", "utf-8"},
		{"a mark", "text/plain", "\xEF\xBB\xBF/при", "/при", "utf-8"},
	} {
		response, ok := fetched(t, fetcher, policy.Request{URL: serve(t, answers(row.body, "Content-Type", row.contentType)).URL})
		if ok && (string(response.Body) != row.text || response.Charset != row.charset) {
			t.Errorf("%s: %q in %q, want %q in %q", row.name, response.Body, response.Charset, row.text, row.charset)
		}
	}
}

func fetchesCharsetsUpToLimit(t T, open OpenFetcher) {
	// 600 octets that become 1199.
	server := serve(t, answers("/"+strings.Repeat("\xEF", 599), "Content-Type", "text/plain; charset=windows-1251"))
	response, ok := fetched(t, openFetcher(t, open), policy.Request{URL: server.URL})
	if want := "/" + strings.Repeat("п", 499); ok && (string(response.Body) != want || !response.Truncated) {
		t.Errorf("%d octets, truncated %t, want %d", len(response.Body), response.Truncated, len(want))
	}
}

// fetchesCodings: what cannot be undone must not reach the parser, who would see
// a file without any rule.
func fetchesCodings(t T, open OpenFetcher) {
	const text = "User-agent: *\nDisallow: /\n"
	fetcher := openFetcher(t, open)
	for _, row := range []struct {
		coding, body string
		must         bool // be decoded
	}{
		{"gzip", gzipped(text), true},
		{"GZIP", gzipped(text), true},
		{"identity", text, true},
		{"x-gzip", gzipped(text), false},
		{"deflate", zlibbed(text), false},
		{"deflate", deflated(text), false},
		{"gzip, gzip", gzipped(gzipped(text)), false},
		{"deflate, gzip", gzipped(zlibbed(text)), false},
		{"gzip", gzipped(gzipped(text)), false}, // twice, and said so once
		{"br", "\x8b\x0c\x80" + text + "\x03", false},
		{"zstd", "\x28\xb5\x2f\xfd\x20\x1a\xd1\x00\x00" + text, false},
		{"compress", "\x1f\x9d" + text, false},
		{"aes128gcm", text, false},
	} {
		response, err := fetcher.Fetch(t.Context(), policy.Request{
			URL: serve(t, answers(row.body, "Content-Encoding", row.coding, "Content-Type", "text/plain")).URL,
		})
		switch {
		case err == nil && string(response.Body) == text:
		case row.must && err != nil:
			t.Errorf("%s: %v, want the text", row.coding, err)
		case err == nil:
			t.Errorf("%s: a body of %.40q, which is not the text", row.coding, response.Body)
		default:
			fetchFailed(t, row.coding, response, err, false, policy.FailedCoding)
		}
	}
}

func fetchesCorrupt(t T, open OpenFetcher) {
	text := strings.Repeat("Disallow: /\n", 20)
	whole := gzipped(text)
	checksum := len(whole) - 8
	for name, body := range map[string]string{
		"no gzip at all":   text,
		"a wrong checksum": whole[:checksum] + "\x00\x00\x00\x00" + whole[checksum+4:],
		"broken inside":    whole[:12] + "\xFF\xFF\xFF\xFF" + whole[16:],
	} {
		server := serve(t, answers(body, "Content-Encoding", "gzip"))
		response, err := openFetcher(t, open).Fetch(t.Context(), policy.Request{URL: server.URL})
		fetchFailed(t, name, response, err, false, policy.FailedCoding)
	}
	// Whether the stream or the connection broke off, nobody needs to know.
	server := serve(t, answers(whole[:len(whole)-10], "Content-Encoding", "gzip"))
	response, err := openFetcher(t, open).Fetch(t.Context(), policy.Request{URL: server.URL})
	fetchFailed(t, "cut short", response, err, false, policy.FailedCoding, policy.FailedBody)
}

func fetchesBomb(t T, open OpenFetcher) {
	text := strings.Repeat("#", 2<<20)
	server := serve(t, answers(gzipped(text), "Content-Encoding", "gzip"))
	response, ok := fetched(t, openFetcher(t, open), policy.Request{URL: server.URL})
	if ok && (string(response.Body) != text[:fetcherLimit] || !response.Truncated) {
		t.Errorf("a body of %d octets, truncated %t, want the first %d", len(response.Body), response.Truncated, fetcherLimit)
	}
}

// fetchesBombCheaply measures all that is allocated meanwhile, by whomever: far
// more than an exchange takes, and far less than the bomb.
func fetchesBombCheaply(t T, open OpenFetcher) {
	const size, most = 64 << 20, 24 << 20
	server := serve(t, answers(strings.Repeat(gzipped(strings.Repeat("#", 1<<20)), size>>20), "Content-Encoding", "gzip"))
	fetcher := openFetcher(t, open)
	fetched(t, fetcher, policy.Request{URL: server.URL}) // what is allocated once is not the bomb's
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	response, ok := fetched(t, fetcher, policy.Request{URL: server.URL})
	runtime.ReadMemStats(&after)
	if ok && (len(response.Body) != fetcherLimit || !response.Truncated) {
		t.Errorf("a body of %d octets, truncated %t", len(response.Body), response.Truncated)
	}
	if cost := after.TotalAlloc - before.TotalAlloc; cost > most {
		t.Errorf("a bomb of %d MiB cost %d MiB of memory, want at most %d", size>>20, cost>>20, most>>20)
	}
}

// fetchesBroken: a partial robots.txt allows what its missing part disallows.
func fetchesBroken(t T, open OpenFetcher) {
	for name, handler := range map[string]http.HandlerFunc{
		"shorter than promised":         sends(withLength(100, "User-agent: *\n")),
		"nothing of what was promised":  sends(withLength(100, "")),
		"a chunk shorter than its size": sends(inChunks("FF\r\nUser-agent: *\n")),
		"no last chunk":                 sends(inChunks("5\r\nhello\r\n")),
		"no chunk size":                 sends(inChunks("5\r\nhello\r\nzz\r\n")),
		"a chunk longer than its size":  sends(inChunks("2\r\nhello\r\n0\r\n\r\n")),
		"gzip, shorter than promised":   sends("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n" + gzipped("User-agent: *\n")[:20]),
	} {
		response, err := openFetcher(t, open).Fetch(t.Context(), policy.Request{URL: serve(t, handler).URL})
		fetchFailed(t, name, response, err, false, policy.FailedBody)
	}
	// A reset may overtake what was sent before it.
	server := serve(t, resets(withLength(100, "User-agent: *\n")))
	response, err := openFetcher(t, open).Fetch(t.Context(), policy.Request{URL: server.URL})
	fetchFailed(t, "reset within", response, err, false, policy.FailedBody, policy.FailedConnect)
}

func fetchesBrokenPastLimit(t T, open OpenFetcher) {
	text := strings.Repeat("#", 2*fetcherLimit)
	for name, answer := range map[string]string{
		"past the limit": withLength(9*fetcherLimit, text),
		"at the limit":   withLength(9*fetcherLimit, text[:fetcherLimit]),
		"in chunks":      inChunks("FFFF\r\n" + text),
	} {
		response, ok := fetched(t, openFetcher(t, open), policy.Request{URL: serve(t, sends(answer)).URL})
		if ok && (string(response.Body) != text[:fetcherLimit] || !response.Truncated) {
			t.Errorf("%s: a body of %d octets, truncated %t", name, len(response.Body), response.Truncated)
		}
	}
}
