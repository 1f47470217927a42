package restyfetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
)

// readBody reads a body and undoes its content codings, up to limit octets of
// what comes out: a bomb costs no more than that. An error means that neither
// the whole of it came nor a limit's worth.
func readBody(response *http.Response, limit int) (octets []byte, truncated bool, err error) {
	body := &source{reader: response.Body}
	names := codings(response.Header)
	content, err := decoded(body, names)
	if err != nil {
		return nil, false, body.blame(err)
	}
	defer content.Close()
	octets, err = io.ReadAll(io.LimitReader(content, int64(limit)+1))
	if err == nil {
		err = body.failed // some decoders take a stream that breaks off early for one that ends
	}
	switch {
	case len(octets) > limit, len(octets) == limit && err != nil:
		octets, truncated = octets[:limit], true
	case err == nil:
	case len(names) > 0:
		return nil, false, body.blame(err)
	case response.Uncompressed:
		return nil, false, blameGzip(err)
	default:
		return nil, false, err
	}
	if (len(names) > 0 || response.Uncompressed) && bytes.HasPrefix(octets, gzipMagic) {
		return nil, false, &codingError{errTwice}
	}
	return octets, truncated, nil
}

// Some servers compress twice and say so once. As text the rest would be lines
// without a rule, and everything were allowed.
var (
	gzipMagic = []byte{0x1F, 0x8B, 0x08}
	errTwice  = errors.New("gzip under a content coding that was undone")
)

// A source is a body as it was sent. It remembers its own failure, so that a
// broken connection is not taken for broken compression.
type source struct {
	reader io.Reader
	failed error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	return n, err
}

// blame says whose an error of a decoder is: the connection's or its own.
func (s *source) blame(err error) error {
	if s.failed != nil {
		return s.failed
	}
	return &codingError{err}
}

// blameGzip does the same where net/http undid the gzip that it had asked for
// and both come from one reader. A stream that just ends counts as broken off.
func blameGzip(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return &codingError{err}
	}
	return err
}

// A codingError says that a content coding is unknown or corrupt.
type codingError struct{ err error }

func (e *codingError) Error() string { return e.err.Error() }
func (e *codingError) Unwrap() error { return e.err }
