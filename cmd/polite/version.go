package main

import (
	"fmt"
	"runtime/debug"
)

// version prints which build of the command this is.
type version struct{}

func (version) run(std streams) int {
	info, _ := debug.ReadBuildInfo()
	if _, err := fmt.Fprintln(std.out, describe(info)); err != nil {
		return std.unwritten("the version", err)
	}
	return exitAllowed
}

// describe names a build by what the go command knows about it.
func describe(info *debug.BuildInfo) string {
	if info == nil {
		return "polite, built without module support"
	}
	text := "polite " + info.Main.Version
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		text += ", commit " + revision[:min(len(revision), 12)]
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	return text + ", " + info.GoVersion
}
