package main

import (
	"runtime/debug"
	"testing"
)

func TestDescribe(t *testing.T) {
	for _, row := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"nothing known", nil, "polite, built without module support"},
		{"installed", &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v0.1.0"}}, "polite v0.1.0, go1.26.0"},
		{"from a working tree", &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.modified", Value: "true"},
		}}, "polite (devel), commit 0123456789ab with changes, go1.26.0"},
		{"with a short revision", &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "1234"}, {Key: "vcs.modified", Value: "false"},
		}}, "polite (devel), commit 1234, go1.26.0"},
	} {
		if got := describe(row.info); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
