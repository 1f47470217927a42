package robots_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/robots"
)

// P1: what is over the limit is refused, and the line is named.
func TestParseStrictSize(t *testing.T) {
	fitting := []byte("user-agent: a\n" + strings.Repeat("#\r\n", (robots.DefaultBytes-14)/3))
	fitting = append(fitting, bytes.Repeat([]byte("#"), robots.DefaultBytes-len(fitting))...)
	for _, row := range []struct {
		text    []byte
		options robots.Options
		want    *robots.SizeError
	}{
		{fitting, robots.Options{}, nil},
		{append(fitting[:len(fitting):len(fitting)], '#'), robots.Options{}, &robots.SizeError{Size: robots.DefaultBytes + 1, Limit: robots.DefaultBytes, Line: 2 + (robots.DefaultBytes-14)/3}},
		{append(fitting[:len(fitting):len(fitting)], '#'), robots.Options{Dialect: robots.Google()}, nil},
		{[]byte("a: b\r\nc: d"), robots.Options{Limits: robots.Limits{Bytes: 9}}, &robots.SizeError{Size: 10, Limit: 9, Line: 2}},
		{[]byte("a: b\r\nc: d"), robots.Options{Limits: robots.Limits{Bytes: 3}}, &robots.SizeError{Size: 10, Limit: 3, Line: 1}},
		{[]byte("a\r\rb\n\nc"), robots.Options{Limits: robots.Limits{Bytes: 6}}, &robots.SizeError{Size: 7, Limit: 6, Line: 5}},
	} {
		file, err := robots.ParseStrict(row.text, row.options)
		if row.want == nil {
			if err != nil || !reflect.DeepEqual(file, robots.Parse(row.text, row.options)) {
				t.Errorf("%d octets by %+v: %v", len(row.text), row.options, err)
			}
			continue
		}
		var wrong *robots.SizeError
		if file != nil || !errors.As(err, &wrong) || *wrong != *row.want || wrong.Error() == "" {
			t.Errorf("%d octets by %+v: %v, want %v", len(row.text), row.options, err, row.want)
		}
	}
}

// P1: what is not UTF-8 is refused, and the place is named.
func TestParseStrictEncoding(t *testing.T) {
	for _, row := range []struct {
		text string
		want *robots.EncodingError
	}{
		{"", nil},
		{"user-agent: a\ndisallow: /ツ\n", nil},
		{"\xEF\xBB\xBFuser-agent: a", nil},
		{"a: \uFFFD", nil},
		{"\xFF", &robots.EncodingError{Line: 1, Column: 1, Offset: 0, Octet: 0xFF}},
		{"user-agent: a\r\ndisallow: /\xE4\n", &robots.EncodingError{Line: 2, Column: 12, Offset: 26, Octet: 0xE4}},
		{"a\r\r\n\n\xC3", &robots.EncodingError{Line: 4, Column: 1, Offset: 5, Octet: 0xC3}},
		{"ツ\xE3\x83\n", &robots.EncodingError{Line: 1, Column: 4, Offset: 3, Octet: 0xE3}},
		{"a\xED\xA0\x80", &robots.EncodingError{Line: 1, Column: 2, Offset: 1, Octet: 0xED}},
	} {
		file, err := robots.ParseStrict([]byte(row.text), robots.Options{})
		if row.want == nil {
			if err != nil || file == nil {
				t.Errorf("%q: %v", row.text, err)
			}
			continue
		}
		var wrong *robots.EncodingError
		if file != nil || !errors.As(err, &wrong) || *wrong != *row.want || wrong.Error() == "" {
			t.Errorf("%q: %v, want %v", row.text, err, row.want)
		}
	}
}

// P11: so are limits that cannot be.
func TestParseStrictLimits(t *testing.T) {
	_, err := robots.ParseStrict(nil, robots.Options{Limits: robots.Limits{KeyBytes: 9}})
	var wrong *robots.LimitError
	if !errors.As(err, &wrong) {
		t.Error(err)
	}
}
