package main

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/polite-crawler/polite/domain/site"
)

// ask collects the questions of a list.
func ask(t *testing.T, l *list) (all []question) {
	t.Helper()
	questions, ended := make(chan question), make(chan error, 1)
	go func() {
		ended <- l.ask(t.Context(), questions)
		close(questions)
	}()
	for q := range questions {
		all = append(all, q)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return all
}

func TestListAsks(t *testing.T) {
	long := strings.Repeat("a", maxLine)
	for _, row := range []struct {
		name  string
		lines string
		want  []string // "place url", with "!" for what is too long
	}{
		{"nothing", "", nil},
		{"blank lines", "\n\r\n \t \n\n", nil},
		{"lines", "a\nb\n", []string{"1 a", "2 b"}},
		{"no last line end", "a\nb", []string{"1 a", "2 b"}},
		{"CRLF", "a\r\nb\r\n", []string{"1 a", "2 b"}},
		{"a blank line counts", "a\n\n\nb\n", []string{"1 a", "4 b"}},
		{"space around", "\t a b \t\n", []string{"1 a b"}},
		{"no comment", "#a\n", []string{"1 #a"}},
		{"a byte order mark", "\uFEFFa\n\uFEFFb\n", []string{"1 a", "2 \uFEFFb"}},
		{"octets as they are", "\xff\x00\n", []string{"1 \xff\x00"}},
		{"as long as can be", long + "\nb\n", []string{"1 " + long, "2 b"}},
		{"as long as can be, CRLF", "\uFEFF" + long + "\r\nb\n", []string{"1 " + long, "2 b"}},
		{"as long as can be, at the end", long, []string{"1 " + long}},
		{"one too long", long + "a\nb\n", []string{"1 !", "2 b"}},
		{"one too long, CRLF", long + "a\r\nb\n", []string{"1 !", "2 b"}},
		{"one too long, at the end", long + "a", []string{"1 !"}},
		{"just over the buffer", long + "abcde\nb\n", []string{"1 !", "2 b"}},
		{"just over the buffer, at the end", long + "abcde", []string{"1 !"}},
		{"far too long", "a\n" + long + long + long + "\nb\n" + long + long, []string{"1 a", "2 !", "3 b", "4 !"}},
	} {
		for _, reader := range []io.Reader{
			strings.NewReader(row.lines),
			iotest.DataErrReader(strings.NewReader(row.lines)),
			iotest.HalfReader(strings.NewReader(row.lines)),
		} {
			got := ask(t, &list{file: io.NopCloser(reader), name: "urls.txt"})
			if len(got) != len(row.want) {
				t.Errorf("%s: %d questions, want %d", row.name, len(got), len(row.want))
				continue
			}
			for i, q := range got {
				place, url, _ := strings.Cut(row.want[i], " ")
				if strconv.Itoa(q.place) != place || q.where() != "urls.txt:"+place {
					t.Errorf("%s: question %d is from %s, want line %s", row.name, i, q.where(), place)
				}
				var refused *site.ParseError
				switch {
				case url == "!" && (!errors.As(q.err, &refused) || len(q.url) > 110):
					t.Errorf("%s: question %d of %d octets has the error %v, want one of its length", row.name, i, len(q.url), q.err)
				case url != "!" && (q.err != nil || q.url != url):
					t.Errorf("%s: question %d is %.100q, %v", row.name, i, q.url, q.err)
				}
			}
		}
	}
}

// Where a long line is cut no character is.
func TestTooLong(t *testing.T) {
	for _, char := range []string{"a", "ü", "ツ", "𝔸"} {
		for lead := range 4 {
			line := strings.Repeat("x", lead) + strings.Repeat(char, maxLine)
			url, err := tooLong([]byte(line))
			if shown := strings.TrimSuffix(url, "…"); !utf8.ValidString(url) || !strings.HasPrefix(line, shown) || len(shown) < 90 {
				t.Errorf("a long line of %s after %d others is shown as %q", char, lead, url)
			}
			if err == nil || printable(err.Error()) != err.Error() {
				t.Errorf("the error is %v", err)
			}
		}
	}
	if url, _ := tooLong([]byte(strings.Repeat("\x80", maxLine+1))); len(url) < 90 {
		t.Errorf("without a character a long line is shown as %q", url)
	}
}

func TestListStopsWhenDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	questions := make(chan question)
	ended := make(chan error, 1)
	l := &list{arguments: []string{"a", "b"}, file: io.NopCloser(strings.NewReader("c\n")), name: "urls.txt"}
	go func() { ended <- l.ask(ctx, questions) }()
	<-questions
	cancel()
	if err := <-ended; err != nil { // nobody takes "b"
		t.Error(err)
	}
}
