package models

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ONNX builds a model file by hand: protobuf's wire format needs little. Weights come from a fixed
// generator, so that a file is the same on every machine and golden vectors can be recorded for
// it.
type ONNX struct {
	nodes, weights []byte
	state          uint64
	n              int
}

// field appends a field of wire type 2: text, bytes or a message.
func field(out []byte, number int, data ...byte) []byte {
	out = binary.AppendUvarint(out, uint64(number)<<3|2)
	out = binary.AppendUvarint(out, uint64(len(data)))
	return append(out, data...)
}

// number appends an integer field.
func number(out []byte, field int, n int64) []byte {
	out = binary.AppendUvarint(out, uint64(field)<<3)
	return binary.AppendUvarint(out, uint64(n))
}

// Attr is an attribute of a node: an integer or a list of them.
func Attr(name string, value any) []byte {
	out := field(nil, 1, []byte(name)...)
	switch v := value.(type) {
	case int:
		out = number(number(out, 3, int64(v)), 20, 2)
	case []int:
		for _, i := range v {
			out = number(out, 8, int64(i))
		}
		out = number(out, 20, 7)
	}
	return out
}

// Node adds a node and returns the name of its output.
func (o *ONNX) Node(op string, inputs []string, attrs ...[]byte) string {
	o.n++
	name := fmt.Sprintf("%s_%d", op, o.n)
	return o.NodeAs(name, op, inputs, attrs...)
}

// NodeAs adds a node whose output has the name.
func (o *ONNX) NodeAs(name, op string, inputs []string, attrs ...[]byte) string {
	o.node([]string{name}, op, inputs, attrs...)
	return name
}

func (o *ONNX) node(outputs []string, op string, inputs []string, attrs ...[]byte) {
	var out []byte
	for _, in := range inputs {
		out = field(out, 1, []byte(in)...)
	}
	for _, name := range outputs {
		out = field(out, 2, []byte(name)...)
	}
	out = field(out, 4, []byte(op)...)
	for _, a := range attrs {
		out = field(out, 5, a...)
	}
	o.nodes = field(o.nodes, 1, out...)
}

// Tensor adds a constant and returns its name.
func (o *ONNX) Tensor(kind int64, data []byte, dims ...int) string {
	o.n++
	name := fmt.Sprintf("weight_%d", o.n)
	var out []byte
	for _, d := range dims {
		out = number(out, 1, int64(d))
	}
	out = number(out, 2, kind)
	out = field(out, 8, []byte(name)...)
	out = field(out, 9, data...)
	o.weights = field(o.weights, 5, out...)
	return name
}

// Ints is a constant list of integers.
func (o *ONNX) Ints(v ...int) string {
	var data []byte
	for _, i := range v {
		data = binary.LittleEndian.AppendUint64(data, uint64(i))
	}
	return o.Tensor(7, data, len(v))
}

// Scalar is a constant number without dimensions.
func (o *ONNX) Scalar(x float32) string {
	return o.Tensor(1, binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
}

// Random is a tensor of numbers around mean, at most spread away from it.
func (o *ONNX) Random(mean, spread float32, dims ...int) string {
	numbers := o.numbers(mean, spread, dims)
	data := make([]byte, 0, 4*len(numbers))
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return o.Tensor(1, data, dims...)
}

func (o *ONNX) numbers(mean, spread float32, dims []int) []float32 {
	size := 1
	for _, d := range dims {
		size *= d
	}
	numbers := make([]float32, size)
	for i := range numbers {
		o.state += 0x9e3779b97f4a7c15 // splitmix64
		z := o.state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		numbers[i] = mean + spread*(float32(z>>40)/(1<<23)-1)
	}
	return numbers
}

// Random8 is the same tensor as Random with a mean of 0, in signed integers of 8 bits: it
// returns their names and that of the scale.
func (o *ONNX) Random8(spread float32, dims ...int) (integers, scale string) {
	const most = 127
	numbers := o.numbers(0, spread, dims)
	data := make([]byte, len(numbers))
	for i, x := range numbers {
		data[i] = byte(int8(math.Round(float64(x / spread * most))))
	}
	return o.Tensor(kindInt8, data, dims...), o.Scalar(spread / most)
}

const kindInt8 = 3

// Zero8 is the zero of tensors of Random8.
func (o *ONNX) Zero8() string { return o.Tensor(kindInt8, []byte{0}) }

// Product8 multiplies by a tensor of Random8, as quantized models are published: what is
// multiplied is quantized too, by the range of its numbers.
func (o *ONNX) Product8(x string, integers, scale string) string {
	o.n++
	at := fmt.Sprintf("_%d", o.n)
	quantized := []string{"quantized" + at, "scale" + at, "zero" + at}
	o.node(quantized, "DynamicQuantizeLinear", []string{x})
	sums := o.Node("MatMulInteger", []string{quantized[0], integers, quantized[2], o.Zero8()})
	sums = o.Node("Cast", []string{sums}, Attr("to", 1))
	return o.Node("Mul", []string{sums, o.Node("Mul", []string{quantized[1], scale})})
}

// Value describes an input or output; a dimension below 0 is unknown.
func Value(name string, kind int64, dims ...int) []byte {
	var shape []byte
	for i, d := range dims {
		var dim []byte
		if d < 0 {
			dim = field(nil, 2, []byte([]string{"batch", "sequence", "hidden"}[i])...)
		} else {
			dim = number(nil, 1, int64(d))
		}
		shape = field(shape, 1, dim...)
	}
	tensor := field(number(nil, 1, kind), 2, shape...)
	return field(field(nil, 1, []byte(name)...), 2, field(nil, 1, tensor...)...)
}

// File returns the model file.
func (o *ONNX) File(inputs, outputs [][]byte) []byte {
	graph := append([]byte{}, o.nodes...)
	graph = field(graph, 2, []byte("test")...)
	graph = append(graph, o.weights...)
	for _, in := range inputs {
		graph = field(graph, 11, in...)
	}
	for _, out := range outputs {
		graph = field(graph, 12, out...)
	}
	opset := number(field(nil, 1), 2, 13)
	return field(field(number(nil, 1, 7), 7, graph...), 8, opset...)
}
