package claims

import (
	"reflect"
	"strings"
	"testing"
)

// TestFigureHasAllOfAQuantity changes each field of a quantity: another figure may be judged otherwise.
func TestFigureHasAllOfAQuantity(t *testing.T) {
	same := (&Detail{Q: &Quantity{Number: 46}}).Figure()
	for i := range reflect.TypeFor[Quantity]().NumField() {
		q := Quantity{Number: 46}
		switch f := reflect.ValueOf(&q).Elem().Field(i); f.Kind() {
		case reflect.Float64:
			f.SetFloat(7)
		case reflect.String:
			f.SetString("month")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"month"}))
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.SetInt(1)
		}
		if (&Detail{Q: &q}).Figure() == same {
			t.Errorf("two quantities are the same figure and differ in %s", reflect.TypeFor[Quantity]().Field(i).Name)
		}
	}
	if (&Detail{Q: &Quantity{Number: 46}, Cell: &Cell{}}).Figure() == same {
		t.Error("a figure of a cell is that of a sentence")
	}
}

// TestFigureHasTheDayOfATime tells a time in a line of one day of a log from that of another one.
func TestFigureHasTheDayOfATime(t *testing.T) {
	at := func(day int) *Detail {
		return &Detail{T: &Instant{Clock: 60, day: &Instant{Dated: true, Clock: day}}}
	}
	if at(1).Figure() == at(2).Figure() || at(1).Figure() != at(1).Figure() {
		t.Error("the day of a time counts")
	}
}

// TestSharedIsExact: what two claims share is the same however often it is asked, although stems have no order.
func TestSharedIsExact(t *testing.T) {
	text := `The supplier of the northern warehouse delivered eleven pallets of insulated glass late, so that
		painters, glaziers and electricians waited for nine days and the owner withheld a third payment.`
	var all []*Claim
	for i := range 12 { // stems of many weights
		all = append(all, ExtractText(strings.Join(strings.Fields(text)[i:], " "), ""))
	}
	ev := NewEvidence(all)
	want, both := ev.shared(all[0], all[3])
	for range 200 {
		if a, b := ev.shared(all[0], all[3]); a != want || b != both {
			t.Fatalf("%v and %v, then %v and %v", want, both, a, b)
		}
	}
}
