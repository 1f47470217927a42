package robots

import (
	"iter"
	"slices"
	"strings"
)

// lists are the keys that a Dialect adds to those that are known, each list as
// ParseDialect writes it: in lower case, sorted, separated by '+'. As strings
// they keep a Dialect comparable.
type lists struct {
	group   string // keys of records that belong to a group (P9)
	path    string // keys of records whose value is a path, like a rule's
	aliases string // other names of known keys, each "alias:key"
}

// The names of the lists.
const (
	groupKeys  = "group-keys"
	pathKeys   = "path-keys"
	keyAliases = "key-aliases"
)

// set adds keys to a list and returns what is wrong with them, "" if nothing.
func (l *lists) set(name, keys string) (problem string) {
	list := map[string]*string{groupKeys: &l.group, pathKeys: &l.path, keyAliases: &l.aliases}[name]
	if list == nil {
		return "there is no such list of keys"
	}
	known := slices.Collect(l.each(*list))
	for key := range strings.SplitSeq(keys, "+") {
		key = strings.TrimSpace(key)
		if problem := checkKey(name, key); problem != "" {
			return problem
		}
		if alias, _, ok := strings.Cut(key, ":"); ok { // the last stands
			known = slices.DeleteFunc(known, func(k string) bool { return strings.HasPrefix(k, alias+":") })
		}
		known = append(known, key)
	}
	slices.Sort(known)
	*list = strings.Join(slices.Compact(known), "+")
	return ""
}

// each yields the keys of a list.
func (l *lists) each(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for list != "" {
			var key string
			if key, list, _ = strings.Cut(list, "+"); !yield(key) {
				return
			}
		}
	}
}

// checkKey returns what is wrong with an item of a list, "" if nothing.
func checkKey(list, key string) (problem string) {
	key, target, alias := strings.Cut(key, ":")
	if alias != (list == keyAliases) {
		if alias {
			return "a key holds no ':'"
		}
		return "an alias is written alias:key"
	}
	for i := 0; i < len(key); i++ {
		if c := key[i]; c < ' ' || c == '#' || c == 0x7F {
			return "a key holds neither '#' nor control characters"
		}
	}
	kind, _ := kindOf(key)
	switch {
	case trim(key) == "" || trim(key) != key:
		return "a key is not empty and neither starts nor ends with white space"
	case list == keyAliases:
		if kind != Other {
			return "an alias cannot be a key that is known"
		}
		if target, typo := kindOf(target); target == Other || typo {
			return "an alias stands for a key that is known"
		}
	case kind == UserAgentLine || kind == AllowLine || kind == DisallowLine:
		return "this key is no record's"
	}
	return ""
}

// write writes the lists as ParseDialect reads them.
func (l *lists) write(b *strings.Builder) {
	for _, list := range [...]struct{ name, keys string }{{groupKeys, l.group}, {pathKeys, l.path}, {keyAliases, l.aliases}} {
		if list.keys != "" {
			b.WriteString("," + list.name + "=" + list.keys)
		}
	}
}
