// Package report writes what was measured: tables, bars and verdicts as Markdown
// that can also be read as it stands, into a part of a document.
//
// It is for the programs of this module, so that they all say it in one way.
package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A Table is Markdown that can also be read as it stands. Its columns are aligned
// to the right, but for the first and those whose heading starts with Words.
type Table [][]string

// Words marks the heading of a column of words.
const Words = "\x00"

// Row adds a row.
func (t *Table) Row(cells ...string) { *t = append(*t, cells) }

// Write writes the table.
func (t Table) Write(w io.Writer) {
	left := make([]bool, len(t[0]))
	widths := make([]int, len(t[0]))
	for i, heading := range t[0] {
		t[0][i] = strings.TrimPrefix(heading, Words)
		left[i] = i == 0 || t[0][i] != heading
	}
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range t {
		fmt.Fprint(w, "|")
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if left[i] {
				fmt.Fprint(w, " ", cell, space, " |")
			} else {
				fmt.Fprint(w, " ", space, cell, " |")
			}
		}
		fmt.Fprintln(w)
		if n == 0 {
			rule(w, widths, left)
		}
	}
	fmt.Fprintln(w)
}

// rule writes the line below the headings.
func rule(w io.Writer, widths []int, left []bool) {
	fmt.Fprint(w, "|")
	for i, width := range widths {
		dashes := strings.Repeat("-", width+1)
		if left[i] {
			fmt.Fprint(w, dashes, "-|")
		} else {
			fmt.Fprint(w, dashes, ":|")
		}
	}
	fmt.Fprintln(w)
}

// Number writes a figure with three digits that mean something.
func Number(f float64) string {
	switch {
	case math.IsNaN(f):
		return "–"
	case f == math.Trunc(f) && math.Abs(f) < 1000:
		return fmt.Sprintf("%.0f", f)
	case math.Abs(f) < 10:
		return fmt.Sprintf("%.2f", f)
	case math.Abs(f) < 100:
		return fmt.Sprintf("%.1f", f)
	}
	return thousands(fmt.Sprintf("%.0f", f))
}

// thousands separates them.
func thousands(digits string) string {
	if len(digits) <= 3 || strings.HasPrefix(digits, "-") {
		return digits
	}
	return thousands(digits[:len(digits)-3]) + "," + digits[len(digits)-3:]
}

// Times writes how many times as much it is.
func Times(f float64) string {
	if math.IsNaN(f) {
		return "–"
	}
	return Number(f) + "×"
}

// Quantity writes a figure and its unit.
func Quantity(f float64, unit string) string {
	switch {
	case math.IsNaN(f):
		return "–"
	case unit == "×":
		return Times(f)
	}
	return Number(f) + " " + unit
}

// Heading writes a section's heading and what it is about.
func Heading(w io.Writer, title, about string) { fmt.Fprintf(w, "### %s\n\n%s\n\n", title, about) }
