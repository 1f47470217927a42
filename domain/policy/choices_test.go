package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// Choices read the facts: one snapshot, and what it means with each choice to
// rfc, google, archive and strict in this order ("A" allowed, "D" disallowed,
// "C" by the copy; a lower-case letter where the choice decided and is named).
func TestChoices(t *testing.T) {
	const month = 30 * day
	tooLong := func(status int) *policy.Snapshot {
		s := policy.Next(nil, answer(200, policy.Response{Body: []byte(someFile), Truncated: true}), policy.Lifetimes{})
		if status != 200 {
			s = policy.Next(s, answer(status, policy.Response{}), policy.Lifetimes{})
		}
		return s
	}
	forbidden := policy.Next(withCopy(), answer(403, policy.Response{}), policy.Lifetimes{})
	challenged := policy.Next(nil, answer(401, policy.Response{Header: policy.Header{Challenge: "cf-mitigated: challenge"}}), policy.Lifetimes{})
	failing := policy.Next(nil, failure(policy.FailedConnect), policy.Lifetimes{})
	copied := policy.Next(withCopy(), failure(policy.FailedConnect), policy.Lifetimes{})
	loop := policy.Next(nil, stopped(policy.StopLoop), policy.Lifetimes{})

	allow := policy.Choices{OnForbidden: policy.ForbiddenAllow}
	disallow := policy.Choices{OnForbidden: policy.ForbiddenDisallow}
	unreachable := policy.Choices{OnTooLong: policy.TooLongUnreachable}
	unavailable := policy.Choices{OnLongUnreachable: policy.LongUnreachableUnavailable}
	all := policy.Choices{OnForbidden: policy.ForbiddenDisallow, OnTooLong: policy.TooLongUnreachable, OnLongUnreachable: policy.LongUnreachableUnavailable}
	for _, row := range []struct {
		rule     string
		section  string
		snapshot *policy.Snapshot
		choices  policy.Choices
		after    time.Duration
		want     string
		chosen   policy.Chosen
	}{
		{"F8", "§2.3.1.3", forbidden, policy.Choices{}, 0, "AAAD", policy.ChosenNothing},
		{"F8 allow", "§2.3.1.3", forbidden, allow, 0, "AAAa", policy.ChosenForbiddenAllow},
		{"F8 disallow", "§2.3.1.3", forbidden, disallow, 0, "dddD", policy.ChosenForbiddenDisallow},
		{"F8 disallow, a challenge", "§2.3.1.3", challenged, disallow, 0, "dddD", policy.ChosenForbiddenDisallow},
		{"F8 about something else", "§2.3.1.2", loop, disallow, 0, "AAAD", policy.ChosenNothing},

		{"F12", "§2.5", tooLong(200), policy.Choices{}, 0, "CCCC", policy.ChosenNothing},
		{"F12 unreachable", "§2.5, §2.3.1.4", tooLong(200), unreachable, 0, "ddad", policy.ChosenTooLongUnreachable},
		{"F12 unreachable for long", "§2.5, §2.3.1.4", tooLong(200), all, 12 * month, "ddad", policy.ChosenTooLongUnreachable},
		{"F12 a whole file", "§2.5", withCopy(), unreachable, 0, "CCCC", policy.ChosenNothing},
		{"F12 as the last good copy", "§2.3.1.4", tooLong(503), policy.Choices{}, 0, "CDCC", policy.ChosenNothing},
		{"F12 no last good copy", "§2.3.1.4", tooLong(503), unreachable, 0, "dDad", policy.ChosenTooLongUnreachable},
		{"F12 no last good copy", "§2.3.1.4; G: after 12 h", tooLong(503), unreachable, 13 * time.Hour, "daad", policy.ChosenTooLongUnreachable},
		{"F12 past its use", "§2.3.1.4; G: after 30 days", tooLong(503), unreachable, month, "dAAd", policy.ChosenTooLongUnreachable},

		{"F13", "§2.3.1.4", failing, policy.Choices{}, month, "DAAD", policy.ChosenNothing},
		{"F13 unavailable, not yet", "§2.3.1.4", failing, unavailable, month - 1, "DAAD", policy.ChosenNothing},
		{"F13 unavailable", "§2.3.1.4", failing, unavailable, month, "aAAa", policy.ChosenLongUnavailable},
		{"F13 unavailable, with a copy", "§2.3.1.4", copied, unavailable, month, "CAAC", policy.ChosenNothing},
		{"F13 unavailable, a loop", "§2.3.1.2", loop, unavailable, month, "AAAD", policy.ChosenNothing}, // it answers
		{"F12, F13", "§2.3.1.4", tooLong(503), all, month, "aAAa", policy.ChosenLongUnavailable},
	} {
		for profile := policy.RFC; profile <= policy.Strict; profile++ {
			p, err := policy.Compile(row.snapshot, policy.Reading{Profile: profile, Choices: row.choices}, nil)
			if err != nil {
				t.Fatal(err)
			}
			now := someTime.Add(row.after)
			private, public := p.Decide("/private", now), p.Decide("/public", now)
			got := map[[2]bool]string{{true, true}: "A", {false, false}: "D", {false, true}: "C"}[[2]bool{private.Allowed, public.Allowed}]
			if public.Chosen != policy.ChosenNothing {
				got = strings.ToLower(got)
			}
			if want := row.want[profile : profile+1]; got != want {
				t.Errorf("%s (%s), %s: %s, want %s: %s", row.rule, row.section, profile, got, want, public)
			}
			if chosen := public.Chosen; chosen != row.chosen && chosen != policy.ChosenNothing || chosen != private.Chosen {
				t.Errorf("%s, %s: %s was chosen, want %s", row.rule, profile, chosen, row.chosen)
			}
			if chosen := public.Chosen; (chosen != policy.ChosenNothing) != strings.Contains(public.String(), chosen.String()) {
				t.Errorf("%s, %s: the sentence does not name the choice: %s", row.rule, profile, public)
			}
			if public.Chosen == policy.ChosenTooLongUnreachable && (!public.Limited || public.Access != policy.AccessUnreachable) {
				t.Errorf("%s, %s: limited %t, access %s", row.rule, profile, public.Limited, public.Access)
			}
			if public.Chosen == policy.ChosenLongUnavailable && public.Access != policy.AccessUnavailable {
				t.Errorf("%s, %s: access %s", row.rule, profile, public.Access)
			}
			checkSentence(t, public)
			if own := p.Decide("/robots.txt", now); !own.Allowed {
				t.Errorf("M4: %s, %s: %s", row.rule, profile, own)
			}
		}
	}
}

// Choices hold for a file and an answer in hand, too.
func TestChoicesOffline(t *testing.T) {
	reading := crawler(t, "foobot")
	reading.Choices = policy.Choices{OnForbidden: policy.ForbiddenDisallow, OnTooLong: policy.TooLongUnreachable}
	whole := policy.Copy{Body: []byte(someFile)}
	cut := whole
	cut.Truncated = true
	for _, row := range []struct {
		rule    string
		policy  *policy.Policy
		allowed bool
		access  policy.Access
		chosen  policy.Chosen
	}{
		{"F8", policy.FromStatus(403, reading), false, policy.AccessUnavailable, policy.ChosenForbiddenDisallow},
		{"F12", policy.OfCopy(cut, reading), false, policy.AccessUnreachable, policy.ChosenTooLongUnreachable},
		{"F12", policy.FromResponse(policy.Response{Status: 200, Body: cut.Body, Truncated: true}, reading), false, policy.AccessUnreachable, policy.ChosenTooLongUnreachable},
		{"F1", policy.OfCopy(whole, reading), true, policy.AccessOffline, policy.ChosenNothing},
	} {
		if d := row.policy.Decide("/public", someTime); d.Allowed != row.allowed || d.Access != row.access || d.Chosen != row.chosen {
			t.Errorf("%s: access %s, chosen %s: %s", row.rule, d.Access, d.Chosen, d)
		}
	}
}

// A choice has a name, and what is none is refused with those that are.
func TestChoiceNames(t *testing.T) {
	var (
		forbidden policy.OnForbidden
		tooLong   policy.OnTooLong
		long      policy.OnLongUnreachable
	)
	for _, row := range []struct {
		value interface {
			MarshalText() ([]byte, error)
			UnmarshalText([]byte) error
		}
		names []string
	}{
		{&forbidden, []string{"profile", "allow", "disallow"}},
		{&tooLong, []string{"cut", "unreachable"}},
		{&long, []string{"profile", "unavailable"}},
	} {
		for _, name := range row.names {
			if err := row.value.UnmarshalText([]byte(name)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if text, err := row.value.MarshalText(); err != nil || string(text) != name {
				t.Errorf("%s reads as %s, %v", name, text, err)
			}
		}
		err := row.value.UnmarshalText([]byte("\x1B[31m"))
		var refused *policy.NameError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), strings.Join(row.names, ", ")) || strings.Contains(err.Error(), "\x1B") {
			t.Errorf("what is no name: %v", err)
		}
		if text, _ := row.value.MarshalText(); string(text) != row.names[len(row.names)-1] {
			t.Errorf("what is no name has changed the value to %s", text)
		}
	}
	if err := (policy.Choices{OnForbidden: forbidden, OnTooLong: tooLong, OnLongUnreachable: long}).Check(); err != nil {
		t.Error(err)
	}
	for field, choices := range map[string]policy.Choices{
		"OnForbidden": {OnForbidden: 3}, "OnTooLong": {OnTooLong: 2}, "OnLongUnreachable": {OnLongUnreachable: 2},
	} {
		if err := choices.Check(); err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "use policy.") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if text, err := policy.ChosenTooLongUnreachable.MarshalText(); err != nil || string(text) != "on-too-long=unreachable" {
		t.Errorf("chosen: %s, %v", text, err)
	}
	if text := policy.Chosen(9).String(); text != "unknown-9" {
		t.Errorf("chosen: %s", text)
	}
}

// A crawler that takes "forbidden" for a "no", where the profile would go on.
func ExampleChoices() {
	reading := policy.Reading{Choices: policy.Choices{OnForbidden: policy.ForbiddenDisallow}}
	fmt.Println(policy.FromStatus(403, reading).Decide("/page", time.Time{}))
	fmt.Println(policy.FromStatus(404, reading).Decide("/page", time.Time{}))
	// Output:
	// disallowed: access to robots.txt is forbidden: the answer is 403 (on-forbidden=disallow)
	// allowed: robots.txt is unavailable: the answer is 404
}
