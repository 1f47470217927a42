package main

import (
	"context"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// purposes are what --for asks about.
type purposes []polite.Purpose

// Decode adds the purposes of one --for, separated by commas.
func (p *purposes) Decode(ctx *kong.DecodeContext) error {
	for name := range strings.SplitSeq(value(ctx), ",") {
		purpose, err := policy.ParsePurpose(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		if !slices.Contains(*p, purpose) {
			*p = append(*p, purpose)
		}
	}
	return nil
}

// A verdict is a decision, and what --for asked about the content.
type verdict struct {
	decision polite.Decision
	uses     []polite.Use
}

// A user answers whether the content of a URL may be used for a purpose.
type user func(ctx context.Context, url string, purpose polite.Purpose) (polite.Use, error)

// forPurposes returns who decides, and answers for purposes, too.
func (ask user) forPurposes(decide judge[polite.Decision], purposes []polite.Purpose) judge[verdict] {
	return func(ctx context.Context, url string) (v verdict, err error) {
		if v.decision, err = decide(ctx, url); err != nil {
			return v, err
		}
		for _, purpose := range purposes {
			use, err := ask(ctx, url, purpose)
			if err != nil {
				return v, err
			}
			v.uses = append(v.uses, use)
		}
		return v, nil
	}
}

// newVerdictPrinter writes decisions and uses, a line each.
func newVerdictPrinter(std streams, format string, explain bool) *printer[verdict] {
	return newPrinter(std, func(a *answer[verdict]) ([]byte, error) {
		r := &result{URL: a.url, Decision: a.value.decision, Err: a.err}
		switch {
		case r.Err != nil:
			return resultLine(r, format, explain)
		case format == "json":
			return a.value.jsonLine(r, explain)
		}
		return a.value.textLine(r, explain), nil
	}, func(v *verdict) int {
		code := weigh(&v.decision)
		for _, use := range v.uses {
			if use.Permission == policy.No {
				code = max(code, exitDisallowed)
			}
		}
		return code
	})
}

// textLine is a verdict for people: "URL: allowed; train-ai: no".
func (v *verdict) textLine(r *result, explain bool) []byte {
	line := textLine(r, explain)
	line = line[:len(line)-1]
	for _, use := range v.uses {
		text := string(use.Purpose) + ": " + use.Permission.String()
		if explain {
			text = use.String()
		}
		line = append(append(line, "; "...), text...)
	}
	return append(line, '\n')
}

// jsonLine is a verdict for programs: the decision with the key "uses".
func (v *verdict) jsonLine(r *result, explain bool) ([]byte, error) {
	line, err := resultJSON(r, explain)
	if err != nil {
		return nil, err
	}
	uses := make([]useJSON, 0, len(v.uses))
	for _, use := range v.uses {
		uses = append(uses, newUseJSON(use, explain))
	}
	if line, err = withKey(line, "uses", uses); err != nil {
		return nil, err
	}
	return append(harmless(line), '\n'), nil
}

func newUseJSON(use polite.Use, explain bool) useJSON {
	out := useJSON{Purpose: use.Purpose, Permission: use.Permission, Limited: use.Limited}
	if use.Permission != policy.NotSaid {
		out.Path = &use.Path
		out.Record = &statementJSON{Kind: use.Record.Kind.String(), Key: use.Record.Key, Value: use.Record.Value, Line: use.Record.Line}
	}
	if g := use.Group; g.Line > 0 {
		out.Group = &lineJSON{Agent: g.Agent, Line: g.Line, Specificity: g.Specificity}
	}
	if explain {
		sentence := use.String()
		out.Explanation = &sentence
	}
	return out
}

type useJSON struct {
	Purpose     polite.Purpose    `json:"purpose"`
	Permission  policy.Permission `json:"permission"`
	Record      *statementJSON    `json:"record"`
	Path        *string           `json:"path"`  // "" for every path
	Group       *lineJSON         `json:"group"` // null: the record is the whole file's
	Limited     bool              `json:"limited"`
	Explanation *string           `json:"explanation,omitempty"`
}

type statementJSON struct {
	Kind  string `json:"kind"`
	Key   string `json:"key"`
	Value string `json:"value"`
	Line  int    `json:"line"`
}
