package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/rs/zerolog"
)

// Text from the network stands in fields, where no form of the log prints it raw.
func TestLogIsHarmless(t *testing.T) {
	const hostile = "\x1b]0;title\x07\r\n\x00"
	for _, terminal := range []bool{false, true} {
		var b bytes.Buffer
		logger := newLogger(&b, terminal, zerolog.DebugLevel)
		redisLog{logger}.Printf(t.Context(), "dial %s", hostile)
		line := b.String()
		if !strings.Contains(line, "title") {
			t.Fatalf("terminal %t: %q was logged", terminal, line)
		}
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\x1b[", "") // the logger's own colours
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("terminal %t: %q was logged", terminal, line)
		}
	}
}

func TestLogLevel(t *testing.T) {
	var b bytes.Buffer
	redisLog{newLogger(&b, false, logLevels["warn"])}.Printf(t.Context(), "dial")
	if b.Len() > 0 {
		t.Errorf("at the default level %q was logged", b.String())
	}
	off := newLogger(&b, false, logLevels["off"])
	off.Error().Msg("down")
	if b.Len() > 0 {
		t.Errorf("switched off, %q was logged", b.String())
	}
}
