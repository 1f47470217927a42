package robots_test

import (
	"os"
	"path/filepath"
	"testing"
)

// outside returns the folder that a variable of the environment names: data that
// is no part of the project. A relative one is meant from here or from the
// module's root. Without one it skips the test and says so.
func outside(t testing.TB, variable string) string {
	t.Helper()
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("SKIPPED: %s names no folder, so nothing is tested here", variable) //nolint:forbidigo // there is nothing to run on
	}
	for _, place := range []string{folder, filepath.Join("..", "..", folder)} {
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			return place
		}
	}
	t.Fatalf("%s=%s is no folder", variable, folder)
	return ""
}

// realFiles returns the files of POLITE_CORPUS, by host.
func realFiles(t testing.TB) map[string][]byte {
	t.Helper()
	folder := filepath.Join(outside(t, "POLITE_CORPUS"), "files")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte, len(entries))
	for _, entry := range entries {
		body, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = body
	}
	if len(files) < 100 {
		t.Fatalf("only %d files in %s", len(files), folder)
	}
	return files
}
