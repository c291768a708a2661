// Converts JSON values to YAML with sigs.k8s.io/yaml: for each line of standard input, prints the line, a tab, and the YAML as a JSON
// string. With an argument N, generates N random values instead of reading them.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"sigs.k8s.io/yaml"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if len(os.Args) > 1 {
		count, err := strconv.Atoi(os.Args[1])
		if err != nil {
			panic(err)
		}
		random := rand.New(rand.NewPCG(uint64(count), 1))
		for range count {
			line, err := json.Marshal(value(random, 3))
			if err != nil {
				panic(err)
			}
			answer(out, line)
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	for lines.Scan() {
		answer(out, lines.Bytes())
	}
}

// answer skips values that the YAML reader refuses, such as those with control characters, and values with keys whose order is
// cyclic, such as "371." < "3z" < "7a" < "371.", since their order differs between runs.
func answer(out *bufio.Writer, line []byte) {
	line, err := numbers(line)
	if err != nil {
		panic(err)
	}
	// The reader would fold this character as a line break.
	line = bytes.ReplaceAll(line, []byte("\u0085"), []byte("\\u0085"))
	text, err := yaml.JSONToYAML(line)
	if err != nil {
		return
	}
	for range 20 {
		again, err := yaml.JSONToYAML(line)
		if err != nil || !bytes.Equal(text, again) {
			return
		}
	}
	encoded, err := json.Marshal(string(text))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(out, "%s\t%s\n", line, encoded)
}

// numbers rewrites the numbers of a value as Go marshals them: 1.0 as 1, 1e3 as 1000.
func numbers(line []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(convert(value))
}

func convert(value any) any {
	switch value := value.(type) {
	case json.Number:
		if _, err := strconv.ParseInt(value.String(), 10, 64); err == nil {
			return value
		}
		if _, err := strconv.ParseUint(value.String(), 10, 64); err == nil {
			return value
		}
		float, err := value.Float64()
		if err != nil {
			panic(err)
		}
		return float
	case []any:
		for i := range value {
			value[i] = convert(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = convert(value[key])
		}
	}
	return value
}

var pieces = []string{
	" ", " ", " ", " ", "  ", "\n", "\n\n", "\r", "\t", "a", "b", "word", "Word", "yes", "on", "null", "true", "~", "<<", "0", "1",
	"10", "007", "0x1f", "0b1", "0o7", "1_0", "1e3", ".5", ".inf", "-", "--", "---", "...", "+", ":", ": ", " #", "#", ",", "[", "]",
	"{", "}", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`", "?", "=", "\\", "/", ".", "é", "ж", "漢", "🚀", "\u2028", "\u0085",
	"\u00a0", "\ufeff", "2024-01-15", "T10:00:00Z", " 1:2:3", "1:30", "e", "E", "_", "y", "n", "controller-gen", "sentence of words",
}

func text(random *rand.Rand) string {
	most := 4
	switch random.IntN(4) {
	case 0:
		most = 60
	case 1:
		most = 1
	}
	text := ""
	for range random.IntN(most + 1) {
		text += pieces[random.IntN(len(pieces))]
	}
	return text
}

// key returns a key from a small set of characters, to test the order of keys.
func key(random *rand.Rand) string {
	if random.IntN(8) == 0 {
		return text(random)
	}
	const letters = "aabBz0012379-_./ é"
	runes := []rune(letters)
	key := ""
	for range random.IntN(6) {
		key += string(runes[random.IntN(len(runes))])
	}
	return key
}

func value(random *rand.Rand, depth int) any {
	kinds := 9
	if depth == 0 {
		kinds = 5
	}
	switch random.IntN(kinds) {
	case 0:
		switch random.IntN(4) {
		case 0:
			return nil
		case 1:
			return random.IntN(2) == 0
		case 2:
			return random.Int64() - random.Int64()
		}
		scale := []string{"", "e-9", "e-3", "e5", "e9"}[random.IntN(5)]
		return json.Number(strconv.FormatFloat(float64(random.IntN(100000))/1000, 'f', -1, 64) + scale)
	case 1, 2, 3, 4:
		return text(random)
	case 5, 6:
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = value(random, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range random.IntN(14) {
		object[key(random)] = value(random, depth-1)
	}
	return object
}
