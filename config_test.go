package polite_test

import (
	"strings"
	"testing"

	"github.com/polite-crawler/polite"
)

// C5 knows two modes; a number that is neither would pass for Closed.
func TestNewRefusesUnknownOutage(t *testing.T) {
	for _, row := range []struct {
		outage polite.Outage
		good   bool
	}{
		{polite.Local, true},
		{polite.Closed, true},
		{polite.Closed + 1, false},
		{255, false},
	} {
		gate, done, err := polite.New(t.Context(), polite.Config{UserAgent: "ExampleBot/1.0", Outage: row.outage})
		switch {
		case row.good && err != nil:
			t.Errorf("Outage %d: %v", row.outage, err)
		case !row.good && (err == nil || gate != nil || done != nil || !strings.Contains(err.Error(), "Config.Outage")):
			t.Errorf("Outage %d gave a Gate %v and the error %v, want one that names the field", row.outage, gate != nil, err)
		}
		if done != nil {
			done()
		}
	}
}
