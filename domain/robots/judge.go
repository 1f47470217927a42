package robots

import "net/url"

// judgeRecord takes note of a value that will not be understood, or not as its
// author may think (P9, P10).
func (p *parser) judgeRecord(f *Field) {
	if !isUsual(f.Kind, f.Value) {
		fault := faultOf(f.Kind, f.Value)
		if fault == InvalidNoindex && p.completeSlash {
			fault = SlashCompleted
		}
		f.blame(fault)
	}
	if f.isPath() {
		p.judgePath(f)
	}
}

// faultOf returns what is wrong with a record's value.
func faultOf(kind Kind, value string) WarningKind {
	valid, fault := true, NoFault
	switch kind {
	case Sitemap:
		return faultOfSitemap(value)
	case CrawlDelay:
		_, valid = ParseDelay(value)
		fault = InvalidDelay
	case RequestRate:
		_, valid = ParseRate(value)
		fault = InvalidRate
	case VisitTime:
		_, valid = ParseVisitTime(value)
		fault = InvalidTime
	case Host:
		_, valid = ParseHost(value)
		fault = InvalidHost
	case CleanParam:
		_, valid = ParseCleanParam(value)
		fault = InvalidCleanParam
	case Noindex:
		valid = value == "" || isPattern(value)
		fault = InvalidNoindex
	case ContentUsage:
		return readContentUsage(value).fault
	case ContentSignal:
		return readContentSignal(value).fault
	case License:
		valid = isAbsolute(value)
		fault = InvalidLicense
	}
	if valid {
		return NoFault
	}
	return fault
}

// faultOfSitemap tells what is relative, and resolved, from what is no sitemap.
func faultOfSitemap(value string) WarningKind {
	if isAbsolute(value) {
		return NoFault
	}
	if location, err := url.Parse(value); err != nil || value == "" || location.Scheme != "" {
		return InvalidSitemap
	}
	return RelativeSitemap
}
