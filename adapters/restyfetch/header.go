package restyfetch

import (
	"net/http"
	"strings"

	"github.com/polite-crawler/polite/domain/policy"
)

// maxField is how long a field may be. A longer one counts as not sent, since a
// part of a Location or an ETag is another one.
const maxField = 8 << 10

// headerOf picks the fields that bear on robots.txt.
func headerOf(header http.Header) policy.Header {
	return policy.Header{
		Age:          field(header, "Age"),
		CacheControl: list(header, "Cache-Control"),
		ContentType:  field(header, "Content-Type"),
		Date:         field(header, "Date"),
		ETag:         field(header, "Etag"),
		Expires:      field(header, "Expires"),
		LastModified: field(header, "Last-Modified"),
		Location:     field(header, hiddenLocation),
		RetryAfter:   field(header, "Retry-After"),
		Challenge:    challenge(header),
	}
}

// field returns the first field line of a name in the map's own spelling.
func field(header http.Header, name string) string {
	values := header[name]
	if len(values) == 0 || len(values[0]) > maxField {
		return ""
	}
	return values[0]
}

// list returns all field lines of a name as one (RFC 9110 §5.3).
func list(header http.Header, name string) string {
	all := strings.Join(header[name], ", ")
	if len(all) > maxField {
		return ""
	}
	return all
}

// challenge returns the marker by which a bot defence says that the answer is
// its own and not the site's.
func challenge(header http.Header) string {
	for _, marker := range []struct{ name, value string }{
		{"cf-mitigated", "challenge"},      // Cloudflare
		{"x-amzn-waf-action", "challenge"}, // AWS WAF, with 202
		{"x-amzn-waf-action", "captcha"},
		{"x-vercel-mitigated", "challenge"},
	} {
		if strings.EqualFold(strings.TrimSpace(header.Get(marker.name)), marker.value) {
			return marker.name + ": " + marker.value
		}
	}
	return ""
}

// conditions adds what makes the request conditional, if it is for the URL that
// gave the validators. A validator that cannot be sent as it came is left out.
func conditions(request policy.Request, set func(name, value string)) {
	validators := request.Validators
	if validators.URL != request.URL {
		return
	}
	if validators.ETag != "" && sendable(validators.ETag) {
		set("If-None-Match", validators.ETag)
	}
	if validators.LastModified != "" && sendable(validators.LastModified) {
		set("If-Modified-Since", validators.LastModified)
	}
}

// sendable reports whether a field value has no control character but HT
// (RFC 9110 §5.5).
func sendable(value string) bool {
	for i := range len(value) {
		if value[i] < ' ' && value[i] != '\t' || value[i] == 0x7F {
			return false
		}
	}
	return true
}
