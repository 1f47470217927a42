package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/polite-crawler/polite/domain/site"
)

// A question is a URL and where it stands.
type question struct {
	url   string
	from  string // the file; "" for an argument
	place int    // its line or its place among the arguments, from 1
	err   error  // it cannot be asked
}

// where says where the question stands.
func (q question) where() string {
	if q.from == "" {
		return "argument " + strconv.Itoa(q.place)
	}
	return printable(q.from) + ":" + strconv.Itoa(q.place)
}

// A list is all that is asked: arguments, then the lines of a file.
type list struct {
	arguments []string
	file      io.ReadCloser // nil for none
	name      string        // of the file
}

// openList opens the file of --file, if there is one.
func openList(ctx context.Context, arguments []string, file string, stdin io.Reader) (*list, error) {
	l := &list{arguments: arguments}
	if file == "" {
		return l, nil
	}
	l.name = inputName(file)
	var err error
	l.file, err = unlessDone(ctx, func() (io.ReadCloser, error) { return openInput(file, stdin) })
	if err != nil {
		return nil, fmt.Errorf("--file: %w", unreadable(l.name, err))
	}
	return l, nil
}

// ask sends the questions, until there are no more or ctx is done. The error is
// that of reading the file.
func (l *list) ask(ctx context.Context, questions chan<- question) error {
	send := func(q question) bool {
		select {
		case questions <- q:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for i, url := range l.arguments {
		if !send(question{url: url, place: i + 1}) {
			return nil
		}
	}
	if l.file == nil {
		return nil
	}
	defer l.file.Close()
	return l.askLines(send)
}

// maxLine bounds a line, and with it what a stream can make us hold.
const maxLine = 64 << 10

// askLines sends the lines of the file that are not blank.
func (l *list) askLines(send func(question) bool) error {
	lines := bufio.NewReaderSize(l.file, maxLine+len("\uFEFF\r\n"))
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		q := question{from: l.name, place: n}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF")) // as some editors write it
		}
		if text := bytes.TrimRight(line, "\r\n"); len(text) <= maxLine {
			q.url = string(bytes.Trim(text, " \t"))
		} else {
			q.url, q.err = tooLong(text)
		}
		for errors.Is(err, bufio.ErrBufferFull) { // to the end of the line
			_, err = lines.ReadSlice('\n')
		}
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended { // q may be half a line
			return fmt.Errorf("--file: line %d of %s cannot be read: %w; what came before it is answered, try again with the rest",
				n, printable(l.name), bare(err))
		}
		if q.url != "" && !send(q) || ended {
			break
		}
	}
	return nil
}

// tooLong returns what stands for a line over the limit: its beginning, and why
// it is not asked.
func tooLong(line []byte) (url string, err error) {
	const shown = 100
	end := shown
	for end > shown-utf8.UTFMax && !utf8.RuneStart(line[end]) {
		end--
	}
	url = string(line[:end]) + "…"
	return url, &site.ParseError{
		Input:   url,
		Problem: "the line is longer than " + strconv.Itoa(maxLine) + " octets",
		Remedy:  "write one URL a line",
	}
}
