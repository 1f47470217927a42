package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-colorable"
	"github.com/mattn/go-isatty"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

// logging is the flag of every command that has something to log.
type logging struct {
	LogLevel string `group:"output" enum:"debug,info,warn,error,off" default:"warn" placeholder:"NAME" help:"What is logged on standard error, besides errors: debug, info, warn, error or off; debug says why an origin could not be reached. Default: ${default}."`
}

// logLevels are the names of --log-level.
var logLevels = map[string]zerolog.Level{
	"debug": zerolog.DebugLevel,
	"info":  zerolog.InfoLevel,
	"warn":  zerolog.WarnLevel,
	"error": zerolog.ErrorLevel,
	"off":   zerolog.Disabled,
}

func (l *logging) logger(std streams) zerolog.Logger {
	return newLogger(std.err, std.watched, logLevels[l.LogLevel])
}

// newLogger writes what an operator should know: for people where somebody
// watches, else a JSON object a line.
func newLogger(to io.Writer, terminal bool, level zerolog.Level) zerolog.Logger {
	if terminal {
		to = zerolog.ConsoleWriter{Out: to, TimeFormat: "15:04:05"}
	}
	return zerolog.New(to).Level(level).With().Timestamp().Logger()
}

// terminal returns to, in a form that takes colours on every system, and whether
// it is one.
func terminal(to io.Writer) (io.Writer, bool) {
	file, ok := to.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return to, false
	}
	return colorable.NewColorable(file), true
}

// hushRedis keeps go-redis from writing to stderr itself, a line for each failed
// dial: the Gate says once that Redis is down. It is global to the process,
// which is why it is done here and not in the library.
func hushRedis(logger zerolog.Logger) { redis.SetLogger(redisLog{logger}) }

// A redisLog writes what go-redis says where only those who ask will see it.
type redisLog struct{ logger zerolog.Logger }

func (l redisLog) Printf(_ context.Context, format string, values ...any) {
	if event := l.logger.Debug(); event.Enabled() {
		event.Str("detail", fmt.Sprintf(format, values...)).Msg("redis client")
	}
}
