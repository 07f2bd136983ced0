package parse

import (
	"reflect"
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
