// Evaluates quantities with k8s.io/apimachinery/pkg/api/resource: prints a line of tab-separated columns for each line of
// standard input. crates/quantity/src/tests.rs compares them, and documents the columns.
//
//	A <tab> B <tab> N     two strings and an integer: A by itself, A with B, A times N
//	text <tab> A          A alone, for exponents that Go cannot compute with
//	json <tab> VALUE      a JSON value, decoded
//
// A column is "-" if Go's result is wrong because of an overflow or a suffix that does not exist. A huge exponent makes Go's
// computations exhaust memory.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		line := lines.Text()
		columns := strings.Split(line, "\t")
		var answers []string
		switch {
		case line == "" || line[0] == '#':
		case columns[0] == "json":
			answers = decoded(columns[1])
		case columns[0] == "text":
			answers = read(columns[1])
		default:
			answers = computed(columns[0], columns[1], columns[2])
		}
		fmt.Fprintln(out, strings.Join(append(columns, answers...), "\t"))
	}
}

func decoded(value string) []string {
	var q resource.Quantity
	if json.Unmarshal([]byte(value), &q) != nil {
		return []string{"error"}
	}
	text, err := json.Marshal(q)
	if err != nil {
		return []string{"error"}
	}
	return []string{string(text)}
}

func read(a string) []string {
	q, err := resource.ParseQuantity(a)
	if err != nil {
		return []string{"error"}
	}
	return []string{string(q.Format), q.String()}
}

func computed(a, b, n string) []string {
	q, err := resource.ParseQuantity(a)
	if err != nil {
		return []string{"error"}
	}
	answers := []string{string(q.Format), strconv.Itoa(q.Sign()), text(q)}
	for _, scale := range []resource.Scale{0, resource.Milli, resource.Nano, resource.Mega, resource.Tera} {
		answers = append(answers, scaled(q, scale))
	}
	negated := q.DeepCopy()
	negated.Neg()
	rounded := q.DeepCopy()
	exact := rounded.RoundUp(0)
	answers = append(answers, text(negated), text(rounded), strconv.FormatBool(exact))
	factor, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		panic(err)
	}
	product := q.DeepCopy()
	product.Mul(factor)
	answers = append(answers, text(product), scaled(product, 0))
	other, err := resource.ParseQuantity(b)
	if err != nil {
		return answers
	}
	sum, rest := q.DeepCopy(), q.DeepCopy()
	sum.Add(other.DeepCopy())
	rest.Sub(other.DeepCopy())
	x, y := q.DeepCopy(), other.DeepCopy()
	compared := strconv.Itoa(x.Cmp(y))
	return append(answers, compared, text(sum), scaled(sum, 0), text(rest), scaled(rest, 0))
}

// text formats a quantity, or returns "-" if the result parses as another number.
func text(q resource.Quantity) string {
	written := q.String()
	again, err := resource.ParseQuantity(written)
	if q := q.DeepCopy(); err != nil || again.Cmp(q) != 0 {
		// The parser caps values with a binary suffix at 2^63-1.
		if !strings.HasSuffix(written, "i") {
			return "-"
		}
	}
	return written
}

var (
	least = big.NewInt(-1 << 63)
	most  = big.NewInt(1<<63 - 1)
)

// scaled returns the scaled value, or "-" if it overflows.
func scaled(q resource.Quantity, scale resource.Scale) string {
	exact := q.DeepCopy()
	dec := exact.AsDec()
	bound := new(inf.Dec).Round(dec, inf.Scale(-scale), inf.RoundUp).UnscaledBig()
	if bound.Cmp(least) < 0 || bound.Cmp(most) > 0 {
		return "-"
	}
	// Go truncates a big decimal below the minimum int64 to its low bits.
	if _, small := q.AsInt64(); !small && dec.UnscaledBig().Cmp(least) < 0 {
		return "-"
	}
	return strconv.FormatInt(q.ScaledValue(scale), 10)
}
