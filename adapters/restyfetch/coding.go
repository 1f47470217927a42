package restyfetch

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxCodings is how many codings may lie over one another: some servers compress
// what was compressed before, more is an attack.
const maxCodings = 2

// maxWindow is what RFC 9659 lets a zstd stream ask of its reader.
const maxWindow = 8 << 20

// codings lists what a Content-Encoding says was done to a body, in that order.
// net/http takes out the gzip that it has undone.
func codings(header http.Header) []string {
	var names []string
	for name := range strings.SplitSeq(strings.Join(header["Content-Encoding"], ","), ",") {
		name = strings.ToLower(strings.Trim(name, " \t"))
		if name != "" && name != "identity" {
			names = append(names, name)
		}
	}
	return names
}

// decoded returns a body with its codings undone. An empty body is empty under
// any coding, a known one or not.
func decoded(body io.Reader, names []string) (io.ReadCloser, error) {
	if len(names) == 0 {
		return io.NopCloser(body), nil
	}
	coded := bufio.NewReader(body)
	if _, err := coded.Peek(1); errors.Is(err, io.EOF) {
		return io.NopCloser(coded), nil
	}
	if len(names) > maxCodings {
		return nil, fmt.Errorf("%d content codings over one another", len(names))
	}
	content := &layers{}
	for _, name := range slices.Backward(names) {
		layer, err := newDecoder(name, coded)
		if err != nil {
			content.Close()
			return nil, err
		}
		content.closers = append(content.closers, layer)
		coded = bufio.NewReader(layer)
	}
	content.Reader = coded
	return content, nil
}

// newDecoder undoes one coding. gzip alone is asked for, by net/http; the others
// come from servers that send what they have. There is none for br: a stream may
// ask for a window of 16 MiB, twice what zstd is given here, and what is refused
// is unreachable (F11), never read as text.
func newDecoder(name string, coded *bufio.Reader) (io.ReadCloser, error) {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewReader(coded)
	case "deflate":
		// By RFC 9110 §8.4.1.2 the zlib format, but many take the name at its word.
		if start, _ := coded.Peek(2); isZlib(start) {
			return zlib.NewReader(coded)
		}
		return flate.NewReader(coded), nil
	case "zstd":
		decoder, err := zstd.NewReader(coded,
			zstd.WithDecoderConcurrency(1), // in this goroutine
			zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return decoder.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("content coding %.40q is not known", name)
}

// isZlib reports whether start is the header of RFC 1950 §2.2.
func isZlib(start []byte) bool {
	return len(start) == 2 && start[0]&0x0F == 8 && (int(start[0])<<8|int(start[1]))%31 == 0
}

// layers are the decoders of one body.
type layers struct {
	io.Reader
	closers []io.Closer
}

func (l *layers) Close() error {
	for _, layer := range l.closers {
		_ = layer.Close() // it gives back memory; the outcome is known by now
	}
	return nil
}
