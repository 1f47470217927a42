package polite_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A layer is a row of the table of layers (docs/design.md, section 1): what a
// part of the module may import, and what not.
//
// Packages of this module are written "./domain/site", those of the standard
// library and of other modules by their import path. As in the go command,
// "x/..." is x and all below it, and "..." is everything.
type layer struct {
	part    string   // the directory whose packages it rules, unless a longer part does
	imports []string // allowed besides the standard library
	tests   []string // allowed in _test files besides imports and testLibraries
	never   []string // forbidden whatever else is allowed; _test files may
	noClock bool     // time is an argument
}

var layers = []layer{
	{
		part:    "./domain",
		imports: []string{"./domain/...", "github.com/dunglas/httpsfv", "golang.org/x/net/idna", "golang.org/x/text/..."},
		never: []string{
			"context", "crypto/rand", "log/...", "math/rand/...", "net", "net/http/...", "os/...", "syscall",
		},
		noClock: true,
	},
	{
		part:    "./ports",
		imports: []string{"./domain/..."},
		never:   []string{"net/http/...", "os/..."},
	},
	{
		part:    "./ports/porttest",
		imports: []string{"./domain/...", "./ports"},
		tests:   []string{"./adapters/memory"},
	},
	{
		part: "./app",
		imports: []string{
			"./domain/...", "./ports",
			"github.com/maypok86/otter/v2/...", "github.com/rs/zerolog", "golang.org/x/sync/...",
		},
		tests: []string{"./ports/porttest", "./adapters/memory"},
		never: []string{"net/http/...", "os/..."},
	},

	// Driven adapters: the application calls them through a port.
	{
		part: "./adapters/restyfetch",
		imports: []string{
			"./domain/...", "./ports",
			"code.dny.dev/ssrf", "github.com/go-resty/resty/v2", "github.com/klauspost/compress/...", "golang.org/x/net/...",
		},
		tests: []string{"./ports/porttest"},
	},
	{
		part: "./adapters/redisstore",
		imports: []string{
			"./domain/...", "./ports",
			"github.com/klauspost/compress/...", "github.com/redis/go-redis/v9/...", "github.com/sony/gobreaker/v2",
		},
		tests: []string{"./ports/porttest"},
	},
	{
		part:    "./adapters/memory",
		imports: []string{"./domain/...", "./ports", "github.com/maypok86/otter/v2/..."},
		tests:   []string{"./ports/porttest"},
	},

	// Driving adapters: they call the application.
	{
		part:    "./adapters/httpgate",
		imports: []string{"./app", "./domain/..."},
		tests:   []string{"./ports/...", "./adapters/memory"},
	},
	{
		part:    "./adapters/sidecar",
		imports: []string{"./app", "./domain/...", "github.com/rs/zerolog"},
		tests:   []string{"./ports/...", "./adapters/memory"},
	},
	{
		part:    "./adapters/promhooks",
		imports: []string{"./app", "./domain/...", "github.com/prometheus/client_golang/..."},
		tests:   []string{"./ports/...", "./adapters/memory"},
	},

	{
		part:    ".",
		imports: []string{"..."},
		never: []string{
			"./adapters/promhooks", "./adapters/sidecar", "./cmd/...", "./integration_test/...", "./ports/porttest",
		},
	},
	{
		part: "./cmd",
		imports: []string{
			".", "./domain/...", "./adapters/promhooks", "./adapters/sidecar",
			"github.com/alecthomas/kong", "github.com/mattn/go-colorable", "github.com/mattn/go-isatty",
			"github.com/prometheus/client_golang/...", "github.com/redis/go-redis/v9", "github.com/rs/zerolog",
			"github.com/schollz/progressbar/v3", "golang.org/x/term",
		},
	},
	{
		part:  "./integration_test",
		tests: []string{"..."},
	},
}

// testLibraries may be imported by every _test file.
var testLibraries = []string{
	"github.com/alicebob/miniredis/v2/...", "github.com/google/go-cmp/...", "github.com/rogpeppe/go-internal/...",
	"go.uber.org/goleak", "pgregory.net/rapid",
}

// clock is what of package time reads the clock or waits for it.
var clock = []string{
	"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until",
}

// Wire is a build-time tool: one file imports it, and no build includes that.
const (
	wirePath       = "github.com/google/wire"
	wireFile       = "wire.go"
	wireConstraint = "//go:build wireinject"
)

func TestLayers(t *testing.T) {
	packages := listPackages(t)
	for _, path := range []string{".", "./domain/site", "./ports"} {
		if !slices.ContainsFunc(packages, func(p pkg) bool { return p.path == path }) {
			t.Errorf("package %s was not listed: this test looks at too little", path)
		}
	}
	for _, p := range packages {
		for _, finding := range p.check(layers) {
			t.Error(finding)
		}
	}
}

// A pkg is a package of this module: its path, as in layer, and its files,
// those that build constraints exclude here among them.
type pkg struct {
	path  string
	files []file
}

// A file is one source file, parsed.
type file struct {
	name   string // as people find it, "app/gate.go"
	fset   *token.FileSet
	syntax *ast.File
}

// check returns what p does against the layers, each with place, import and rule.
func (p pkg) check(layers []layer) (findings []string) {
	l, ok := layerOf(layers, p.path)
	if !ok {
		return []string{fmt.Sprintf(
			"package %s belongs to no layer: add a row to the table of layers in imports_test.go and docs/design.md", p.path)}
	}
	for _, f := range p.files {
		for _, spec := range f.syntax.Imports {
			if rule := l.breaks(p, f, importPath(spec)); rule != "" {
				findings = append(findings, fmt.Sprintf(
					"%s: package %s imports %s: %s", f.position(spec), p.path, importPath(spec), rule))
			}
		}
		if l.noClock && !f.isTest() {
			for _, spec := range f.syntax.Imports {
				if importPath(spec) == "time" && spec.Name != nil && spec.Name.Name == "." {
					findings = append(findings, fmt.Sprintf(
						"%s: package %s imports time under the name \".\": its use of the clock cannot be seen", f.position(spec), p.path))
				}
			}
			for _, use := range f.clockUses() {
				findings = append(findings, fmt.Sprintf(
					"%s: package %s uses %s: in %s/... time is an argument", f.position(use), p.path, use.Sel.Name, l.part))
			}
		}
	}
	return findings
}

// layerOf returns the layer with the longest part that path lies in. The root's
// part is the root alone, so that a new directory needs a row of its own.
func layerOf(layers []layer, path string) (found layer, ok bool) {
	for _, l := range layers {
		in := path == l.part || l.part != "." && matches(l.part+"/...", path)
		if in && len(l.part) > len(found.part) {
			found, ok = l, true
		}
	}
	return found, ok
}

// breaks returns the rule that an import breaks, or "".
func (l layer) breaks(p pkg, f file, path string) string {
	in := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, path) })
	}
	switch {
	case path == wirePath || strings.HasPrefix(path, wirePath+"/"):
		if p.path == "." && f.name == wireFile && f.constraint() == wireConstraint {
			return ""
		}
		return fmt.Sprintf("only the root's %s does, under %s", wireFile, wireConstraint)
	case path == p.path: // an external test of its own package
		return ""
	case f.isTest() && (in(l.tests) || in(testLibraries)):
		return ""
	case !f.isTest() && in(l.never):
		return fmt.Sprintf("the layer %s never does", l.part)
	case isStandard(path) || in(l.imports):
		return ""
	case f.isTest():
		return fmt.Sprintf("tests of the layer %s may import %s",
			l.part, strings.Join(slices.Concat(l.imports, l.tests, testLibraries), ", "))
	default:
		return fmt.Sprintf("the layer %s may import %s", l.part, strings.Join(l.imports, ", "))
	}
}

// matches reports whether path is what pattern means.
func matches(pattern, path string) bool {
	if pattern == "..." {
		return true
	}
	tree, below := strings.CutSuffix(pattern, "/...")
	return path == tree || below && strings.HasPrefix(path, tree+"/")
}

// isStandard reports whether path is of the standard library, by the go
// command's own rule: no dot in the first element.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func (f file) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

func (f file) position(n ast.Node) token.Position { return f.fset.Position(n.Pos()) }

// constraint returns the file's build constraint as it is written, or "".
func (f file) constraint() string {
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if comment.Pos() < f.syntax.Package && strings.HasPrefix(comment.Text, "//go:build ") {
				return comment.Text
			}
		}
	}
	return ""
}

// clockUses returns every mention, call or not, of a function that reads the clock.
func (f file) clockUses() (uses []*ast.SelectorExpr) {
	name := ""
	for _, spec := range f.syntax.Imports {
		if importPath(spec) == "time" {
			name = "time"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok && slices.Contains(clock, selector.Sel.Name) {
			if from, ok := selector.X.(*ast.Ident); ok && from.Name == name {
				uses = append(uses, selector)
			}
		}
		return true
	})
	return uses
}

const module = "github.com/polite-crawler/polite"

// importPath returns what spec imports, with packages of this module as "./x".
func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(err) // the parser has accepted it
	}
	return local(path)
}

func local(path string) string {
	if path == module {
		return "."
	}
	if below, ok := strings.CutPrefix(path, module+"/"); ok {
		return "./" + below
	}
	return path
}

// listPackages asks the go command for the packages of this module.
func listPackages(t *testing.T) (packages []pkg) {
	t.Helper()
	var stderr bytes.Buffer
	list := exec.CommandContext(t.Context(), "go", "list", "-json", "./...")
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list -json ./...: %v\n%s", err, stderr.Bytes())
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct {
			ImportPath, Dir                                              string
			GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		switch err := decoder.Decode(&listed); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatalf("the answer of go list -json ./...: %v", err)
		}
		p := pkg{path: local(listed.ImportPath)}
		for _, base := range slices.Concat(
			listed.GoFiles, listed.CgoFiles, listed.IgnoredGoFiles, listed.TestGoFiles, listed.XTestGoFiles) {
			name := filepath.ToSlash(filepath.Join(strings.TrimPrefix(p.path, "./"), base))
			p.files = append(p.files, parse(t, name, nil))
		}
		packages = append(packages, p)
	}
}

// parse reads a file, from source unless that is nil.
func parse(t *testing.T, name string, source any) file {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file{name, fset, syntax}
}

// A check that finds nothing may be one that cannot: here are packages as they
// must not be, and their lawful neighbours.
func TestLayersCanFail(t *testing.T) {
	imports := func(paths ...string) string {
		source := "package made_up\n"
		for _, path := range paths {
			source += fmt.Sprintf("import %q\n", path)
		}
		return source
	}
	const wireSource = "package polite\nimport \"github.com/google/wire\"\nvar _ = wire.Build\n"
	tests := []struct {
		name   string
		path   string
		file   string
		source string
		want   string // part of the only finding; "" for none
	}{
		{"an adapter in the domain", "./domain/robots", "domain/robots/x.go", imports(module + "/adapters/memory"),
			"domain/robots/x.go:2:8: package ./domain/robots imports ./adapters/memory: the layer ./domain may import ./domain/..., github.com/dunglas/httpsfv, golang"},
		{"HTTP in the domain", "./domain/policy", "domain/policy/x.go", imports("net/http"),
			"package ./domain/policy imports net/http: the layer ./domain never does"},
		{"below HTTP", "./domain/policy", "domain/policy/x.go", imports("net/http/httptrace"), "never does"},
		{"the dialler's package", "./domain/site", "domain/site/x.go", imports("net"), "never does"},
		{"values of the network", "./domain/site", "domain/site/x.go", imports("net/netip", "net/url", "strings"), ""},
		{"files", "./domain/robots", "domain/robots/x.go", imports("os/exec"), "never does"},
		{"logging", "./domain/robots", "domain/robots/x.go", imports("log/slog"), "never does"},
		{"context", "./domain/robots", "domain/robots/x.go", imports("context"), "never does"},
		{"chance", "./domain/pacing", "domain/pacing/x.go", imports("math/rand/v2"), "never does"},
		{"a library", "./domain/robots", "domain/robots/x.go", imports("github.com/rs/zerolog"), "may import"},
		{"the domain's libraries", "./domain/site", "domain/site/x.go",
			imports("golang.org/x/net/idna", "golang.org/x/text/encoding/htmlindex", "github.com/dunglas/httpsfv", module+"/domain/agent"), ""},
		{"a neighbour of idna", "./domain/site", "domain/site/x.go", imports("golang.org/x/net/html"), "may import"},
		{"a file in the domain's test", "./domain/site", "domain/site/x_test.go", imports("os", "pgregory.net/rapid"), ""},
		{"a layer above in the domain's test", "./domain/site", "domain/site/x_test.go", imports(module + "/app"),
			"tests of the layer ./domain may import"},

		{"the clock", "./domain/policy", "domain/policy/x.go", "package policy\nimport \"time\"\nvar t = time.Now()\n",
			"domain/policy/x.go:3:9: package ./domain/policy uses Now: in ./domain/... time is an argument"},
		{"the clock as a value", "./domain/policy", "domain/policy/x.go", "package policy\nimport \"time\"\nvar f = time.Sleep\n", "uses Sleep"},
		{"the clock by another name", "./domain/policy", "domain/policy/x.go", "package policy\nimport t \"time\"\nvar f = t.After\n", "uses After"},
		{"the clock by no name", "./domain/policy", "domain/policy/x.go", "package policy\nimport . \"time\"\nvar t = Now()\n", "cannot be seen"},
		{"times and durations", "./domain/policy", "domain/policy/x.go", "package policy\nimport \"time\"\nfunc f(t time.Time) bool { return t.After(t.Add(time.Hour)) }\n", ""},
		{"the clock in a test", "./domain/policy", "domain/policy/x_test.go", "package policy\nimport \"time\"\nvar t = time.Now()\n", ""},
		{"the clock above the domain", "./app", "app/x.go", "package app\nimport \"time\"\nvar t = time.Now()\n", ""},

		{"the contract suite in the app", "./app", "app/x.go", imports(module + "/ports/porttest"), "./ports/porttest: the layer ./app may import"},
		{"the contract suite in its test", "./app", "app/x_test.go", imports(module + "/ports/porttest"), ""},
		{"the contract suite in the root", ".", "x.go", imports(module + "/ports/porttest"), "never does"},
		{"the suite's imports", "./ports/porttest", "ports/porttest/x.go", imports("testing", module+"/ports", module+"/domain/site"), ""},
		{"the app in the ports", "./ports", "ports/x.go", imports(module + "/app"), "the layer ./ports may import"},
		{"an adapter in the app", "./app", "app/x.go", imports(module + "/adapters/memory"), "may import"},
		{"files in the app", "./app", "app/x.go", imports("os"), "never does"},
		{"an adapter in an adapter", "./adapters/redisstore", "adapters/redisstore/x.go", imports(module + "/adapters/memory"), "may import"},
		{"the app in a driven adapter", "./adapters/redisstore", "adapters/redisstore/x.go", imports(module + "/app"), "may import"},
		{"another adapter's library", "./adapters/memory", "adapters/memory/x.go", imports("github.com/redis/go-redis/v9"), "may import"},
		{"ports in a driving adapter", "./adapters/httpgate", "adapters/httpgate/x.go", imports(module + "/ports"), "may import"},
		{"a driving adapter", "./adapters/httpgate", "adapters/httpgate/x.go", imports("net/http", module+"/app", module+"/domain/site"), ""},
		{"a test library", "./adapters/memory", "adapters/memory/x.go", imports("go.uber.org/goleak"), "may import"},
		{"the command line in the root", ".", "x.go", imports(module + "/cmd/polite"), "the layer . never does"},
		{"metrics in the root", ".", "x.go", imports(module + "/adapters/promhooks"), "never does"},
		{"the root puts it together", ".", "x.go", imports(module+"/app", module+"/adapters/redisstore", "github.com/rs/zerolog"), ""},
		{"the app in the command", "./cmd/polite", "cmd/polite/x.go", imports(module + "/app"), "may import"},
		{"the command", "./cmd/polite", "cmd/polite/x.go", imports("os", module, module+"/domain/robots", "github.com/alecthomas/kong"), ""},

		{"a package without a layer", "./utils", "utils/x.go", imports("fmt"), "package ./utils belongs to no layer"},
		{"an adapter without a layer", "./adapters/etcd", "adapters/etcd/x.go", imports("fmt"), "belongs to no layer"},
		{"a name that only begins alike", "./application", "application/x.go", imports("fmt"), "belongs to no layer"},

		{"wire in a build", ".", "polite.go", wireSource, "package . imports github.com/google/wire: only the root's wire.go does"},
		{"wire without its constraint", ".", "wire.go", wireSource, "only the root's wire.go does, under //go:build wireinject"},
		{"wire under another constraint", ".", "wire.go", "//go:build !wireinject\n\n" + wireSource, "only the root's"},
		{"wire in another package", "./app", "app/wire.go", "//go:build wireinject\n\n" + wireSource, "only the root's"},
		{"wire where it belongs", ".", "wire.go", "//go:build wireinject\n\n// Package polite.\n" + wireSource, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := pkg{test.path, []file{parse(t, test.file, test.source)}}
			findings := p.check(layers)
			switch {
			case test.want == "" && len(findings) > 0:
				t.Errorf("found %q, want nothing", findings)
			case test.want != "" && (len(findings) != 1 || !strings.Contains(findings[0], test.want)):
				t.Errorf("found %q, want one finding with %q", findings, test.want)
			}
		})
	}
}
