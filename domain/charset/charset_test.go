package charset

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// The same robots.txt in legacy charsets, as octets, so that the rows do not
// stand on the encoders of the library that decodes them.
const (
	russian     = "Disallow: /\xEF\xF0\xE8\xE2\xE5\xF2"               // windows-1251
	russianKOI  = "Disallow: /\xD0\xD2\xC9\xD7\xC5\xD4"               // koi8-r
	latin       = "Disallow: /caf\xE9"                                // iso-8859-1
	latin9      = "Disallow: /\xA4"                                   // iso-8859-15
	greek       = "Disallow: /\xE1\xE2"                               // iso-8859-7
	japanese    = "Disallow: /\x93\xFA\x96\x7B\x8C\xEA"               // shift_jis
	japaneseEUC = "Disallow: /\xC6\xFC\xCB\xDC\xB8\xEC"               // euc-jp
	japanese7   = "Disallow: /\x1B$BF|K\\8l\x1B(B"                    // iso-2022-jp
	chinese     = "Disallow: /\xD6\xD0\xCE\xC4"                       // gb18030, gbk
	chineseFour = "Disallow: /\x95\x32\x82\x36"                       // gb18030, U+20000
	chineseBig5 = "Disallow: /\xA4\xA4\xA4\xE5"                       // big5
	korean      = "Disallow: /\xC7\xD1\xB1\xDB"                       // euc-kr
	utf8Text    = "Disallow: /привет"                                 // utf-8
	ascii       = "Disallow: /x"                                      // any
	utf16le     = "D\x00:\x00/\x00\x3F\x04\n\x00"                     // "D:/п\n"
	utf16be     = "\x00D\x00:\x00/\x04\x3F\x00\n"                     // the same
	hz          = "Disallow: /~{VPND~}"                               // hz-gb-2312
	utf16Pair   = "/\x00\x3D\xD8\x00\xDE"                             // utf-16le, "/😀"
	utf16Broken = "\xFF\xFE/\x00\x3D\xD8/\x00x"                       // a lone surrogate, an odd octet
	wrong       = "Disallow: /\xFF\xC3"                               // invalid utf-8, cut at its end
	cutSJIS     = "Disallow: /\x93\xFA\x96"                           // cut within a character
	strayGBK    = "Disallow: /\xFF\xD6\xD0"                           // a stray octet
	straySJIS   = "Disallow: /\x81\x20\x93\xFA"                       // a lead octet without its trail
	straySJISIs = "Disallow: /\x81 日"                                 //
	boms        = "\xEF\xBB\xBF\xEF\xBB\xBF" + ascii                  // two marks
	c1          = "Disallow: /\x81"                                   // not assigned in windows-1252
	undefined   = "Disallow: /\xAE\xE1"                               // \xAE is not assigned in iso-8859-7
	dollar      = "Disallow: /\x5C\x7E"                               // yen and overline in old JIS tables
	noEscape    = "Disallow: /\x1B$B\x1B(B\x1BX"                      // an escape of no charset
	nul         = "Disallow: /\x00x"                                  //
	mixed       = "Disallow: /\xE9\nDisallow: /\xD0\xBF\xD1\x80\xFFx" //
)

// SEMANTICS F: "Charset: BOM, Content-Type, the configured default, UTF-8;
// binary keeps the octets; invalid bytes are kept as bytes, not an error."
func TestDecode(t *testing.T) {
	for _, row := range []struct {
		name                        string
		body, contentType, fallback string
		text, charset               string
	}{
		// A byte order mark comes first and goes away.
		{"mark utf-8", "\xEF\xBB\xBF" + utf8Text, "text/plain; charset=windows-1251", "", utf8Text, "utf-8"},
		{"mark utf-16le", "\xFF\xFE" + utf16le, "text/plain; charset=utf-8", "", "D:/п\n", "utf-16le"},
		{"mark utf-16be", "\xFE\xFF" + utf16be, "", "windows-1251", "D:/п\n", "utf-16be"},
		{"mark over binary", "\xFF\xFE" + utf16le, "", "binary", "D:/п\n", "utf-16le"},
		{"mark alone", "\xEF\xBB\xBF", "", "", "", "utf-8"},
		{"mark alone, utf-16", "\xFF\xFE", "", "", "", "utf-16le"},
		{"only the first mark goes", boms, "", "", "\uFEFF" + ascii, "utf-8"},
		{"half a mark is text", "\xEF\xBB" + ascii, "", "", "\xEF\xBB" + ascii, "utf-8"},
		{"surrogates", "\xFF\xFE" + utf16Pair, "", "", "/😀", "utf-16le"},
		{"broken utf-16", utf16Broken, "", "", "/\uFFFD/\uFFFD", "utf-16le"},

		// Then the Content-Type.
		{"windows-1251", russian, "text/plain; charset=windows-1251", "", utf8Text, "windows-1251"},
		{"its alias", russian, "text/plain; charset=CP1251", "", utf8Text, "windows-1251"},
		{"koi8-r", russianKOI, "text/plain; charset=KOI8-R", "", utf8Text, "koi8-r"},
		{"iso-8859-1", latin, "text/plain; charset=ISO-8859-1", "", "Disallow: /café", "windows-1252"},
		{"latin1", latin, "text/plain; charset=latin1", "", "Disallow: /café", "windows-1252"},
		{"iso-8859-15", latin9, "text/plain; charset=iso-8859-15", "", "Disallow: /€", "iso-8859-15"},
		{"iso-8859-7", greek, "text/plain; charset=greek", "", "Disallow: /αβ", "iso-8859-7"},
		{"shift_jis", japanese, "text/plain; charset=Shift_JIS", "", "Disallow: /日本語", "shift_jis"},
		{"euc-jp", japaneseEUC, "text/plain; charset=euc-jp", "", "Disallow: /日本語", "euc-jp"},
		{"iso-2022-jp", japanese7, "text/plain; charset=iso-2022-jp", "", "Disallow: /日本語", "iso-2022-jp"},
		{"gb18030", chinese, "text/plain; charset=gb18030", "", "Disallow: /中文", "gb18030"},
		{"gb2312", chinese, "text/plain; charset=gb2312", "", "Disallow: /中文", "gbk"},
		{"gb18030, four octets", chineseFour, "text/plain; charset=gb18030", "", "Disallow: /𠀀", "gb18030"},
		{"big5", chineseBig5, "text/plain; charset=big5", "", "Disallow: /中文", "big5"},
		{"euc-kr", korean, "text/plain; charset=euc-kr", "", "Disallow: /한글", "euc-kr"},
		{"utf-16 by label", utf16le, "text/plain; charset=utf-16", "", "D:/п\n", "utf-16le"},
		{"utf-16be by label", utf16be, "text/plain; charset=utf-16be", "", "D:/п\n", "utf-16be"},
		{"backslash and tilde", dollar, "text/plain; charset=shift_jis", "", dollar, "utf-8"},

		// Then the fallback, then UTF-8.
		{"fallback", russian, "text/plain", "windows-1251", utf8Text, "windows-1251"},
		{"fallback without a type", russian, "", "windows-1251", utf8Text, "windows-1251"},
		{"the type before the fallback", latin, "text/plain; charset=latin1", "windows-1251", "Disallow: /café", "windows-1252"},
		{"utf-8 before the fallback", latin, "text/plain; charset=utf-8", "windows-1251", latin, "utf-8"},
		{"nothing said", utf8Text, "", "", utf8Text, "utf-8"},
		{"empty", "", "text/plain; charset=windows-1251", "", "", "utf-8"},

		// An unknown label is passed over.
		{"unknown label", russian, "text/plain; charset=klingon", "windows-1251", utf8Text, "windows-1251"},
		{"unknown label, no fallback", russian, "text/plain; charset=klingon", "", russian, "utf-8"},
		{"unknown fallback", russian, "text/plain", "klingon", russian, "utf-8"},
		{"very long label", russian, "text/plain; charset=" + strings.Repeat("x", 1<<20), "windows-1251", utf8Text, "windows-1251"},
		{"utf-7", "+AGE-/", "text/plain; charset=utf-7", "", "+AGE-/", "utf-8"},

		// The encodings that a browser replaces as a whole keep what they say.
		{"iso-2022-kr", ascii, "text/plain; charset=iso-2022-kr", "", ascii, "utf-8"},
		{"hz-gb-2312", hz, "text/plain; charset=hz-gb-2312", "", hz, "utf-8"},
		{"replacement", ascii, "text/plain; charset=replacement", "", ascii, "utf-8"},
		{"replacement, 8 bits", russian, "text/plain; charset=iso-2022-kr", "windows-1251", utf8Text, "windows-1251"},

		// A label that the octets contradict.
		{"utf-8 as windows-1251", utf8Text, "text/plain; charset=windows-1251", "", utf8Text, "utf-8"},
		{"utf-8 as latin1", utf8Text, "text/plain; charset=iso-8859-1", "", utf8Text, "utf-8"},
		{"utf-8 as shift_jis", utf8Text, "text/plain; charset=shift_jis", "", utf8Text, "utf-8"},
		{"utf-8 as iso-2022-jp", utf8Text, "text/plain; charset=iso-2022-jp", "", utf8Text, "utf-8"},
		{"utf-8 as the fallback", utf8Text, "", "gb18030", utf8Text, "utf-8"},
		{"ascii as utf-16", ascii, "text/plain; charset=utf-16", "", ascii, "utf-8"},
		{"windows-1251 as utf-16", russian, "text/plain; charset=utf-16", "windows-1251", utf8Text, "windows-1251"},
		{"utf-16be as utf-16", utf16be, "text/plain; charset=utf-16", "", "D:/п\n", "utf-16be"},
		{"windows-1251 as utf-8", russian, "text/plain; charset=utf-8", "", russian, "utf-8"},
		{"utf-8 after 2 KiB of ascii", strings.Repeat("# ascii\n", 256) + utf8Text, "text/plain", "", strings.Repeat("# ascii\n", 256) + utf8Text, "utf-8"},

		// binary keeps the octets.
		{"binary", russian, "text/plain; charset=binary", "windows-1251", russian, "binary"},
		{"binary as the fallback", russian, "text/plain", " Binary ", russian, "binary"},
		{"a type before binary", russian, "text/plain; charset=windows-1251", "binary", utf8Text, "windows-1251"},

		// Invalid octets stay.
		{"invalid utf-8", wrong, "", "", wrong, "utf-8"},
		{"invalid utf-8, labelled", wrong, "text/plain; charset=utf-8", "", wrong, "utf-8"},
		{"cut within a character", cutSJIS, "text/plain; charset=shift_jis", "", "Disallow: /日\x96", "shift_jis"},
		{"cut within four octets", chineseFour[:len(chineseFour)-1], "text/plain; charset=gb18030", "", chineseFour[:len(chineseFour)-1], "gb18030"},
		{"stray octet", strayGBK, "text/plain; charset=gbk", "", "Disallow: /\xFF中", "gbk"},
		{"stray lead octet", straySJIS, "text/plain; charset=shift_jis", "", straySJISIs, "shift_jis"},
		{"unassigned", undefined, "text/plain; charset=iso-8859-7", "", "Disallow: /\xAEα", "iso-8859-7"},
		{"unassigned in latin1", c1, "text/plain; charset=latin1", "", c1, "windows-1252"},
		{"no escape sequence", noEscape, "text/plain; charset=iso-2022-jp", "", "Disallow: /\x1BX", "iso-2022-jp"},
		{"8 bits as iso-2022-jp", latin, "text/plain; charset=iso-2022-jp", "", latin, "iso-2022-jp"},
		{"a zero in utf-8", nul, "", "", nul, "utf-8"},
		{"mixed", mixed, "", "", mixed, "utf-8"},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := []byte(row.body)
			text, charset := Decode(body, row.contentType, row.fallback)
			if string(text) != row.text || charset != row.charset {
				t.Errorf("Decode(%.60q, %.60q, %q) = %.60q, %q; want %.60q, %q",
					row.body, row.contentType, row.fallback, text, charset, row.text, row.charset)
			}
			if string(body) != row.body {
				t.Errorf("Decode changed its argument to %.60q", body)
			}
		})
	}
}

// A stray octet sends the text the slow way; it must say the same as the fast
// one about all the other characters.
func TestDecodeKeepingAgreesWithDecode(t *testing.T) {
	for label, text := range map[string]string{
		"windows-1251": russian, "shift_jis": japanese, "euc-jp": japaneseEUC, "gb18030": chinese + chineseFour,
		"big5": chineseBig5 + "\x88\x62\x88\xA3", "euc-kr": korean, "iso-2022-jp": japanese7,
	} {
		enc, _ := lookup(label)
		fast := decode([]byte(text), enc)
		if bytes.Contains(fast, replacement) {
			t.Errorf("%s: the text of this test is not valid", label)
		}
		// Before the text, as an invalid octet may take the next as its trail;
		// 0xFF leads nothing.
		slow := decodeKeeping([]byte("\xFF\n"+text), enc)
		want := append(decodeKeeping([]byte("\xFF\n"), enc), fast...)
		if !bytes.Equal(slow, want) {
			t.Errorf("%s: character by character %q, at once %q", label, slow, want)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, row := range []struct{ contentType, labels string }{
		{"text/plain; charset=utf-8", "utf-8"},
		{"text/plain;charset=UTF-8", "utf-8"},
		{`text/plain; charset="windows-1251"`, "windows-1251"},
		{"text/plain; charset='windows-1251'", "windows-1251"}, // RFC 9110 §5.6.4 knows no single quotes
		{`text/plain; charset="windows-1251`, "windows-1251"},
		{`text/plain; charset=" windows-1251 "`, "windows-1251"},
		{"text/plain; charset = windows-1251 ; x=y", "windows-1251"},
		{"text/plain charset=windows-1251", "windows-1251"},
		{"charset=windows-1251", "windows-1251"},
		{"TEXT/PLAIN; CHARSET=WINDOWS-1251", "windows-1251"},
		{"text/plain; format=flowed; charset=koi8-r", "koi8-r"},
		{"text/plain; charset=utf-8; charset=koi8-r", "utf-8 koi8-r"},
		{"text/plain; charset=utf-8, text/plain; charset=koi8-r", "utf-8 koi8-r"},
		{"text/plain; charset", ""},
		{"text/plain; charset=", ""},
		{"text/plain; charset=;x=y", ""},
		{"text/plain; charset=charset=koi8-r", "charset=koi8-r koi8-r"},
		{"text/plain; xcharset=koi8-r", ""},
		{"text/plain; x-charset=koi8-r; charset=utf-8", "utf-8"},
		{"text/plain", ""},
		{"", ""},
		{"utf-8", ""},
		{"\xFF\xFE; charset=\xFF", "\uFFFD"},
	} {
		var got []string
		for label := range labels(row.contentType) {
			got = append(got, label)
		}
		if joined := strings.Join(got, " "); joined != row.labels {
			t.Errorf("labels(%q) = %q, want %q", row.contentType, joined, row.labels)
		}
	}
}

func TestValid(t *testing.T) {
	for _, label := range []string{"", "utf-8", "UTF8", " windows-1251 ", "latin1", "shift_jis", "utf-16", "binary", "BINARY"} {
		if err := Valid(label); err != nil {
			t.Errorf("Valid(%q) = %v, want nil", label, err)
		}
	}
	for _, label := range []string{"klingon", "utf-7", "utf-32", "iso-2022-kr", "hz-gb-2312", "replacement", "binary2", " ", strings.Repeat("x", 1<<20)} {
		err := Valid(label)
		if err == nil {
			t.Errorf("Valid(%.60q) = nil, want an error", label)
		} else if len(err.Error()) > 200 {
			t.Errorf("Valid(%.60q) says %d octets", label, len(err.Error()))
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, label := range []string{
		"", "utf-8", "utf-16", "utf-16be", "windows-1251", "iso-8859-8-i", "macintosh", "x-mac-cyrillic", "x-user-defined", "shift_jis",
		"euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr", "iso-2022-kr", "binary", "klingon",
	} {
		f.Add([]byte(russian), "text/plain; charset="+label, "")
		f.Add([]byte(japanese7+straySJIS), "", label)
	}
	f.Add([]byte(utf16Broken), "charset=charset=", "'")
	f.Fuzz(func(t *testing.T, body []byte, contentType, fallback string) {
		before := bytes.Clone(body)
		text, name := Decode(body, contentType, fallback)
		if !bytes.Equal(body, before) {
			t.Errorf("Decode changed its argument")
		}
		if len(text) > 3*len(body) {
			t.Errorf("%d octets became %d as %s", len(body), len(text), name)
		}
		if name != Binary {
			if _, err := htmlindex.Get(name); err != nil {
				t.Errorf("no charset is called %q", name)
			}
		}
		if name == UTF8 && !bytes.HasSuffix(body, text) {
			t.Errorf("octets changed under UTF-8")
		}
		if strings.HasPrefix(name, "utf-16") && !utf8.Valid(text) {
			t.Errorf("UTF-16 became invalid UTF-8")
		}
		if (Valid(fallback) != nil) != (fallback != "" && !knows(fallback)) {
			t.Errorf("Valid(%q) = %v", fallback, Valid(fallback))
		}
	})
}

// knows reports whether Decode makes use of label: a text with a zero in it is
// UTF-8, ASCII and UTF-16, whatever is asked for.
func knows(label string) bool {
	_, name := decodeAs([]byte("/\x00"), label)
	return name != ""
}
