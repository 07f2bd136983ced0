package documents

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// builtinFormats are the number formats that a workbook names without saying them.
var builtinFormats = [50]string{1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0",
	6: "$#,##0", 7: "$#,##0.00", 8: "$#,##0.00",
	9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm",
	17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
	20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
	39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)",
	41: "#,##0", 42: "$#,##0", 43: "#,##0.00", 44: "$#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss",
	47: "mm:ss.0", 48: "##0.0E+0"}

// xlsxStyle is a number format: for numbers that are positive, negative, and zero.
// Without sections it is General.
type xlsxStyle []xlsxSection

// xlsxSection is one of the formats that semicolons part.
type xlsxSection struct {
	tokens     []xlsxToken
	decimals   int
	optional   int // of the decimals those that are shown only if they are not 0
	thousands  bool
	scale      float64 // 100 for percent, 1/1000 for each comma at the end
	scientific bool
	date       bool
	clock12    bool
	digits     bool // it shows the number
	general    bool
}

// xlsxToken is a literal text, a part of a date (its kind is the letters), or the
// number ("0").
type xlsxToken struct{ kind, text string }

func parseFormat(code string) xlsxStyle {
	var style xlsxStyle
	if code == "" || strings.EqualFold(code, "general") || code == "@" || len(code) > 255 {
		return style
	}
	for code != "" && len(style) < 3 {
		var s xlsxSection
		s, code = parseSection(code)
		style = append(style, s)
	}
	return style
}

// parseSection reads a format to the next semicolon.
func parseSection(code string) (s xlsxSection, rest string) {
	s.scale = 1
	literal := func(text string) { s.tokens = append(s.tokens, xlsxToken{"", text}) }
	for code != "" {
		c := code[0]
		n := 1
		switch {
		case c == ';':
			return s.finish(), code[1:]
		case c == '"':
			text, _, _ := strings.Cut(code[1:], `"`)
			literal(text)
			n = min(len(code), len(text)+2)
		case c == '\\' || c == '!':
			n = 1 + runeLength(code[1:])
			literal(code[1:n])
		case c == '_' || c == '*': // room for a character; a character that fills the cell
			n = 1 + runeLength(code[1:])
			literal(" ")
		case c == '[':
			in, _, _ := strings.Cut(code[1:], "]")
			n = min(len(code), len(in)+2)
			if currency, ok := strings.CutPrefix(in, "$"); ok {
				currency, _, _ = strings.Cut(currency, "-")
				literal(currency)
			} else if low := strings.ToLower(in); low != "" && strings.Trim(low, low[:1]) == "" &&
				strings.Contains("hms", low[:1]) {
				s.tokens, s.date = append(s.tokens, xlsxToken{"[" + low[:1], low}), true
			}
		case strings.ContainsRune("0#?.,", rune(c)):
			n = len(code) - len(strings.TrimLeft(code, "0#?.,"))
			s.digitsOf(code[:n])
		case (c == 'E' || c == 'e') && s.digits && len(code) > 1 &&
			(code[1] == '+' || code[1] == '-'):
			n = 2 + len(code[2:]) - len(strings.TrimLeft(code[2:], "0#?"))
			s.scientific = true
		case len(code) >= 7 && strings.EqualFold(code[:7], "general"):
			n, s.general, s.digits = 7, true, true
			s.tokens = append(s.tokens, xlsxToken{kind: "0"})
		case len(code) >= 5 && strings.EqualFold(code[:5], "am/pm"):
			n, s.clock12 = 5, true
			s.tokens = append(s.tokens, xlsxToken{kind: "am"})
		case strings.ContainsRune("ymdhsYMDHS", rune(c)):
			n = len(code) - len(strings.TrimLeft(code, code[:1]))
			s.tokens, s.date = append(s.tokens,
				xlsxToken{strings.ToLower(code[:1]), code[:n]}), true
		case c == '%':
			s.scale *= 100
			literal("%")
		default:
			n = runeLength(code)
			literal(code[:n])
		}
		code = code[n:]
	}
	return s.finish(), ""
}

func runeLength(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// digitsOf reads the placeholders of the number.
func (s *xlsxSection) digitsOf(p string) {
	if strings.Trim(p, ".,") == "" || s.date {
		if s.date && strings.Trim(p, ".,") != "" {
			return // the fraction of a second
		}
		s.tokens = append(s.tokens, xlsxToken{"", p})
		return
	}
	whole, fraction, _ := strings.Cut(p, ".")
	for _, part := range []*string{&fraction, &whole} {
		for strings.HasSuffix(*part, ",") && (part == &fraction || fraction == "") {
			*part = strings.TrimSuffix(*part, ",")
			s.scale /= 1000
		}
	}
	s.thousands = s.thousands || strings.Contains(whole, ",")
	if !s.digits {
		s.tokens = append(s.tokens, xlsxToken{kind: "0"})
	}
	s.digits = true
	s.decimals += len(fraction)
	s.optional += strings.Count(fraction, "#")
}

// finish tells months from minutes: an m after hours or before seconds is minutes.
func (s xlsxSection) finish() xlsxSection {
	if s.digits {
		s.date = false
	}
	var parts []int
	for i := range s.tokens {
		if k := s.tokens[i].kind; k != "" && k != "am" {
			parts = append(parts, i)
		}
	}
	for j, i := range parts {
		after := j > 0 && strings.HasSuffix(s.tokens[parts[j-1]].kind, "h")
		before := j+1 < len(parts) && strings.HasSuffix(s.tokens[parts[j+1]].kind, "s")
		if s.tokens[i].kind == "m" && (after || before) {
			s.tokens[i].kind = "min"
		}
	}
	return s
}

// show is a value as the format shows it. Where that is another number, or a date that
// is not written as ISO 8601 says, the plain value follows in brackets.
func (f xlsxStyle) show(v float64, date04 bool) string {
	plain := strconv.FormatFloat(v, 'g', 15, 64)
	if x, err := strconv.ParseFloat(plain, 64); err == nil && math.Abs(v) < 1e15 &&
		math.Abs(v) >= 1e-6 || v == 0 {
		plain = strconv.FormatFloat(x, 'f', -1, 64)
	}
	if len(f) == 0 {
		return plain
	}
	s, sign := f[0], ""
	switch {
	case v < 0 && len(f) > 1:
		s = f[1]
	case v < 0:
		sign = "-"
	case v == 0 && len(f) > 2:
		s = f[2]
	}
	if s.date {
		if iso, ok := s.formatTime(v, date04, true); ok {
			if text, _ := s.formatTime(v, date04, false); text != iso {
				return text + " (" + iso + ")"
			}
			return iso
		}
		return plain
	}
	if !s.digits { // a text instead of the number, or nothing at all
		return s.formatText("")
	}
	digits, same := strings.TrimPrefix(plain, "-"), true
	if !s.general {
		digits, same = s.formatNumber(math.Abs(v))
	}
	text := sign + s.formatText(digits)
	if same && (v >= 0 || strings.Contains(text, "-")) {
		return text
	}
	return text + " (" + plain + ")"
}

// formatText puts the number into the literals.
func (s xlsxSection) formatText(digits string) string {
	var b strings.Builder
	for _, t := range s.tokens {
		if t.kind == "0" {
			b.WriteString(digits)
		} else {
			b.WriteString(t.text)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// formatNumber returns the digits of a value that is not negative, and whether they are the
// value itself.
func (s xlsxSection) formatNumber(v float64) (digits string, same bool) {
	decimals := min(s.decimals, 30)
	if s.scientific {
		digits = strings.ToUpper(strconv.FormatFloat(v, 'e', decimals, 64))
		x, err := strconv.ParseFloat(digits, 64)
		return digits, err == nil && x == v
	}
	digits = strconv.FormatFloat(roundHalfUp(v*s.scale), 'f', decimals, 64)
	x, err := strconv.ParseFloat(digits, 64)
	same = err == nil && s.scale == 1 && math.Abs(x-v) <= math.Abs(v)*1e-14
	for range min(s.optional, decimals) {
		if !strings.HasSuffix(digits, "0") {
			break
		}
		digits = strings.TrimSuffix(digits, "0")
	}
	digits = strings.TrimSuffix(digits, ".")
	if s.thousands {
		digits = groupThousands(digits)
	}
	return digits, same
}

// roundHalfUp returns a value of 15 digits, a little larger: half of the last digit shown is
// rounded up, as it is in a sheet, and the binary fraction behind it does not count.
func roundHalfUp(v float64) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		return v
	}
	return math.Nextafter(x, math.Inf(1))
}

// groupThousands puts commas between the thousands.
func groupThousands(digits string) string {
	whole, fraction, _ := strings.Cut(digits, ".")
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// formatTime returns the value as a date, a time, or both: as the format says, or as ISO 8601
// does; false for a value that is no date, such as one before 1900.
func (s xlsxSection) formatTime(v float64, date04, iso bool) (string, bool) {
	if v < 0 || v >= 2958466 { // the year 10000
		return "", false
	}
	if s.isDuration() {
		iso = false
	}
	day := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case date04:
		day = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case v < 60: // 1900 counts as a leap year
		day = day.AddDate(0, 0, 1)
	}
	days, part := math.Modf(v)
	at := day.AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	if iso {
		return at.Format(s.isoLayout()), true
	}
	seconds := int64(math.Round(v * 86400))
	var b strings.Builder
	for _, t := range s.tokens {
		switch t.kind {
		case "[h":
			b.WriteString(strconv.FormatInt(seconds/3600, 10))
		case "[m":
			b.WriteString(strconv.FormatInt(seconds/60, 10))
		case "[s":
			b.WriteString(strconv.FormatInt(seconds, 10))
		case "":
			b.WriteString(t.text)
		default:
			b.WriteString(at.Format(s.layout(t)))
		}
	}
	return strings.Join(strings.Fields(b.String()), " "), true
}

// isDuration reports whether the format is of a span of time, such as [h]:mm.
func (s xlsxSection) isDuration() bool {
	return slices.ContainsFunc(s.tokens,
		func(t xlsxToken) bool { return strings.HasPrefix(t.kind, "[") })
}

// dateLayouts are the parts of a date as package time says them, by their letters: with one of
// them, with two, and so on. The last stands for more.
var dateLayouts = sync.OnceValue(func() map[string][]string {
	return map[string][]string{"y": {"06", "06", "2006"}, "m": {"1", "01", "Jan", "January"},
		"d": {"2", "02", "Mon", "Monday"}, "h": {"15"}, "h12": {"3", "03"}, "min": {"4", "04"},
		"s": {"5", "05"}, "am": {"PM"}}
})

// layout is a part of a date as package time says it.
func (s xlsxSection) layout(t xlsxToken) string {
	kind := t.kind
	if kind == "h" && s.clock12 {
		kind = "h12"
	}
	if all := dateLayouts()[kind]; all != nil {
		return all[min(max(len(t.text), 1), len(all))-1]
	}
	return ""
}

// isoLayout is what ISO 8601 has for the parts that the format shows.
func (s xlsxSection) isoLayout() string {
	has := map[string]bool{}
	for _, t := range s.tokens {
		has[t.kind] = true
	}
	date, clock := "", ""
	switch {
	case has["d"]:
		date = "2006-01-02"
	case has["m"]:
		date = "2006-01"
	case has["y"]:
		date = "2006"
	}
	switch {
	case has["s"]:
		clock = "15:04:05"
	case has["h"], has["min"]:
		clock = "15:04"
	}
	return strings.TrimSpace(date + " " + clock)
}
