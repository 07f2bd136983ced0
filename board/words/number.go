package words

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// This file decides when two numbers, dates or identifiers are equal. Each becomes a
// key:
//
//	n:4500000      4,500,000  $4.5M  4.5 million  4 500 000  450万
//	               four million five hundred thousand
//	n:12           12  twelve  a dozen
//	b:12           12 with no word after it that says of what, as in the cell of a table
//	p:15           15%  15.00%  15 percent  fifteen percent; p:75 also three quarters
//	u:time:5400    90 minutes  1.5 hours  1 h 30 min  one and a half hours; so for each dimension
//	u:bin:1536000  of sizes also with 1 KB as 1024 bytes: 1 MB is 1000 KB and 1024 KB
//	o:3            3rd  third
//	t:14:17        2:17 PM  14:17; t:17:00 also 5 pm
//	d:2026-03-23   March 23, 2026  23 March 2026  2026-03-23  03/23/2026  2026年3月23日
//	d:2026-03      March 2026
//	d:--03-23      March 23
//	i:oh20210109   OH-2021-0109: an identifier, compared whole, without its dashes
//
// Both numbers of a range have the unit that only the second is written with: 10-15 %,
// 5 to 7 hours. The sign and the currency are left out: texts write both in too many
// ways.

// maxDigits bounds the numbers that are treated as numbers; longer ones are compared as
// identifiers.
const maxDigits = 40

// decimal returns the canonical form of digits with an optional fraction, shifted left
// by scale digits, or "" if s is none.
func decimal(s string, scale int) string {
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "" && frac == "" || len(whole)+len(frac) > maxDigits ||
		strings.Trim(whole+frac, "0123456789") != "" {
		return ""
	}
	for range scale {
		if frac == "" {
			whole += "0"
		} else {
			whole, frac = whole+frac[:1], frac[1:]
		}
	}
	whole, frac = strings.TrimLeft(whole, "0"), strings.TrimRight(frac, "0")
	if whole == "" {
		whole = "0"
	}
	if frac == "" {
		return whole
	}
	return whole + "." + frac
}

// ungroup takes the thousands separators out of a number: 4,500,000 and 4'500'000 and
// 4.500.000,00 and 45,00,000. It returns "" if s is not digits with a sound use of
// separators.
func ungroup(s string) string {
	if s == "" || strings.Trim(s, "0123456789.,'’") != "" ||
		!Digits(s[:1]) || !Digits(s[len(s)-1:]) {
		return ""
	}
	if Digits(s) {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "’", ","), "'", ",")
	if strings.Count(s, ".") > 1 { // continental
		if strings.Count(s, ",") > 1 {
			return ""
		}
		s = strings.NewReplacer(".", ",", ",", ".").Replace(s)
		if strings.Contains(s, ".") && strings.LastIndex(s, ",") > strings.Index(s, ".") {
			return ""
		}
	}
	whole, frac, point := strings.Cut(s, ".")
	groups := strings.Split(whole, ",")
	for i, g := range groups {
		switch last := i == len(groups)-1; {
		case len(groups) == 1:
		case i == 0 && (g == "" || len(g) > 3),
			i > 0 && last && len(g) != 3,
			i > 0 && !last && len(g) != 2 && len(g) != 3:
			return ""
		}
	}
	if strings.Contains(frac, ",") {
		return ""
	}
	if whole = strings.Join(groups, ""); point {
		return whole + "." + frac
	}
	return whole
}

// quantity is a number with its attached letters: 4.5m, 3rd, 300ms.
type quantity struct {
	value string // as ungroup returns it
	unit  string // the letters after it, folded
}

func parseQuantity(s string) (quantity, bool) {
	i := strings.LastIndexAny(s, "0123456789") + 1
	q := quantity{value: ungroup(s[:i]), unit: s[i:]}
	if bare := strings.TrimPrefix(q.unit, "-"); isUnit(bare) { // 800-ms
		q.unit = bare
	}
	if q.value == "" || len(q.unit) > 4 && scaleOf(q.unit) == 0 {
		return q, false
	}
	// A leading zero that is not before a point is a code: 00198.
	if len(q.value) > 2 && q.value[0] == '0' && q.value[1] != '.' {
		return q, false
	}
	return q, len(q.value) <= maxDigits
}

// date returns the keys a date answers to, the most exact first. A year of 0 is
// unknown, a day of 0 as well. It is nil for no date.
func date(year, month, day int) []string {
	if month < 1 || month > 12 || day < 0 || day > 31 || year != 0 &&
		(year < 1000 || year > 2999) {
		return nil
	}
	md := fmt.Sprintf("d:--%02d-%02d", month, day)
	ym := fmt.Sprintf("d:%04d-%02d", year, month)
	switch {
	case year == 0 && day == 0:
		return nil
	case year == 0:
		return []string{md}
	case day == 0:
		return []string{ym, "n:" + strconv.Itoa(year)}
	}
	return []string{fmt.Sprintf("%s-%02d", ym, day), ym, md, "n:" + strconv.Itoa(year)}
}

// numericDate reads 2026-03-23, 2026/3/23, 20260323, 03/23/2026, 23.03.2026,
// 23-Mar-2026 and 3/23/26. Where day and month could be either way round, it answers to
// both readings: want lists those that each alone satisfy an item.
func numericDate(s string) (keys, want []string) {
	if len(s) == 8 && Digits(s) && (s[:2] == "19" || s[:2] == "20") { // 20260323
		a, _ := strconv.Atoi(s[:4])
		b, _ := strconv.Atoi(s[4:6])
		c, _ := strconv.Atoi(s[6:])
		if keys = date(a, b, c); keys != nil && c > 0 {
			keys = append(keys, "n:"+s)
			return keys, []string{keys[0], "n:" + s}
		}
		return nil, nil
	}
	sep := strings.IndexAny(s, "-/.")
	if sep < 0 || len(s) > 17 {
		return nil, nil
	}
	f := strings.Split(s, s[sep:sep+1])
	// 23-Mar-2026
	if len(f) == 3 && Digits(f[0]) && len(f[0]) <= 2 && numerals()[f[1]].month > 0 &&
		Digits(f[2]) && len(f[2]) == 4 {
		a, _ := strconv.Atoi(f[0])
		c, _ := strconv.Atoi(f[2])
		if keys = date(c, numerals()[f[1]].month, a); keys == nil || a == 0 {
			return nil, nil
		}
		return keys, keys[:1:1]
	}
	if len(s) > 10 || len(f) != 3 || !Digits(f[0]) || !Digits(f[1]) || !Digits(f[2]) {
		return nil, nil
	}
	a, _ := strconv.Atoi(f[0])
	b, _ := strconv.Atoi(f[1])
	c, _ := strconv.Atoi(f[2])
	readings := [][3]int{}
	switch {
	case len(f[0]) == 4 && len(f[1]) <= 2 && len(f[2]) <= 2:
		readings = append(readings, [3]int{a, b, c})
	case len(f[0]) > 2 || len(f[1]) > 2:
	case len(f[2]) == 4, len(f[2]) == 2 && s[sep] == '/':
		if c < 100 {
			c += 2000
		}
		readings = append(readings, [3]int{c, a, b}, [3]int{c, b, a})
		if s[sep] == '.' { // the day comes first, if it can
			slices.Reverse(readings)
			if b <= 12 {
				readings = readings[:1]
			}
		}
	}
	for i, r := range readings {
		if r[2] == 0 || i == 1 && a == b {
			continue
		}
		if k := date(r[0], r[1], r[2]); k != nil {
			keys, want = append(keys, k...), append(want, k[0])
		}
	}
	return keys, want
}

// period reads a quarter and a fiscal year: 2026-Q1, FY2025.
func period(c string) []string {
	switch {
	case len(c) != 6:
	case c[4] == 'q' && Digits(c[:4]) && Digits(c[5:]):
		return []string{"i:" + c, "i:" + c[4:], "n:" + c[:4]}
	case (c[:2] == "fy" || c[:2] == "cy") && Digits(c[2:]):
		return []string{"i:" + c, "n:" + c[2:]}
	}
	return nil
}

// times are the keys of a time: of one with seconds also that of its minute.
func times(s, half string) []string {
	key := clock(s, half)
	if key == "" {
		return nil
	}
	if minute := key[:len("t:00:00")]; minute != key {
		return []string{key, minute}
	}
	return []string{key}
}

// clock returns the key of 2:17 or 14:17:05, "" for what is no time; half is am, pm or empty.
func clock(s, half string) string {
	if len(s) > 8 || !strings.Contains(s, ":") {
		return ""
	}
	f := strings.Split(s, ":")
	if len(f) > 3 {
		return ""
	}
	n := [3]int{}
	for i, p := range f {
		if !Digits(p) || len(p) > 2 || i > 0 && len(p) != 2 {
			return ""
		}
		n[i], _ = strconv.Atoi(p)
	}
	if half != "" && n[0] <= 12 {
		n[0] %= 12
		if half == "pm" {
			n[0] += 12
		}
	}
	if n[0] > 24 || n[1] > 59 || n[2] > 59 {
		return ""
	}
	key := fmt.Sprintf("t:%02d:%02d", n[0], n[1])
	if n[2] > 0 {
		key += fmt.Sprintf(":%02d", n[2])
	}
	return key
}

// numeral is the number that a word stands for.
type numeral struct {
	cardinal bool
	value    int64 // of a cardinal: twelve, million
	ordinal  int   // 3 of third
	scale    int   // how many zeros it adds to the number before it: million, bn
	month    int   // 3 of March and Mar
}

// numerals has the words that are numbers, parts of numbers or months.
var numerals = sync.OnceValue(func() map[string]numeral {
	m := map[string]numeral{"sept": {month: 9}}
	for i, w := range strings.Fields(`zero one two three four five six seven eight nine ten eleven
		twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen`) {
		m[w] = numeral{cardinal: true, value: int64(i)}
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		m[w] = numeral{cardinal: true, value: int64(20 + 10*i)}
	}
	for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth " +
		"ninth tenth eleventh twelfth") {
		m[w] = numeral{ordinal: i + 1}
	}
	for i, w := range strings.Fields("january february march april may june july august " +
		"september october november december") {
		m[w], m[w[:3]] = numeral{month: i + 1}, numeral{month: i + 1}
	}
	for scale, list := range map[int]string{2: "hundred", 3: "k thousand thousands", 4: "万 萬",
		5: "lakh lakhs", 6: "m mm mn mio million millions",
		7: "crore crores", 8: "亿 億", 9: "b bn billion billions", 12: "tn trillion trillions"} {
		for _, w := range strings.Fields(list) {
			m[w] = numeral{scale: scale}
		}
	}
	for _, w := range strings.Fields("hundred thousand million billion trillion") {
		m[w] = numeral{cardinal: true, value: int64(math.Pow10(m[w].scale)), scale: m[w].scale}
	}
	return m
})

// scaleOf is how many zeros a word adds to the number before it.
func scaleOf(w string) int { return numerals()[w].scale }

// spelled returns the value of number words such as one million five hundred thousand,
// and how many of the words it took.
func spelled(words []string) (value int64, used int) {
	var group int64 // below the next thousand
	for i, w := range words {
		n := numerals()[w]
		v, ok := n.value, n.cardinal
		if !ok && w == "and" && used == i && i > 0 {
			continue // "two hundred and five"; a trailing "and" is not used
		}
		switch {
		case !ok:
			return value + group, used
		case v >= 1e3:
			if used == 0 {
				return 0, 0 // "million" alone is a scale
			}
			if group == 0 || value%(v*1000) != 0 {
				return value + group, used
			}
			value, group = value+group*v, 0
		case v == 100:
			if group == 0 || group > 99 {
				return value + group, used
			}
			group *= 100
		case v >= 20 && group%100 != 0, v < 20 && v >= 10 && group%100 != 0, v < 10 &&
			(group%10 != 0 || group%100 == 10):
			return value + group, used // a new number begins
		case v == 0 && used > 0:
			return value + group, used
		default:
			group += v
		}
		used = i + 1
	}
	return value + group, used
}

// Digits reports whether a text is ASCII digits and nothing else.
func Digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
