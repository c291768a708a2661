// Command roundtrip sends random objects of the golden Go APIs through their Rust types and compares the results: Rust must
// write the same JSON as Go, and Go must read it and write it again.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	shapes "example.com/shapes/api/v1"
	wardlev1alpha1 "k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1"
	wardlev1beta1 "k8s.io/sample-apiserver/pkg/apis/wardle/v1beta1"
	foos "k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	timersv1 "parity.example.com/parity/timers/v1"
	timersv2 "parity.example.com/parity/timers/v2"
)

// word returns a string that is valid in any field.
func word(c randfill.Continue) string {
	return fmt.Sprintf("w%d-%s", c.Intn(1000), strings.Repeat("é", c.Intn(3)))
}

func filler(seed int64) *randfill.Filler {
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(.4).NumElements(0, 3).MaxDepth(12).Funcs(
		func(t *metav1.Time, c randfill.Continue) {
			if c.Intn(4) > 0 {
				*t = metav1.Unix(c.Int63n(4e9), 0)
			}
		},
		func(t *metav1.MicroTime, c randfill.Continue) { *t = metav1.NewMicroTime(time.Unix(c.Int63n(4e9), 0)) },
		func(d *metav1.Duration, c randfill.Continue) { d.Duration = time.Duration(c.Int63n(1e15)) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1e9), resource.DecimalSI)
		},
		func(p *intstr.IntOrString, c randfill.Continue) {
			if c.Bool() {
				*p = intstr.FromInt32(int32(c.Intn(65536)))
			} else {
				*p = intstr.FromString(word(c))
			}
		},
		func(r *runtime.RawExtension, c randfill.Continue) {
			r.Raw = []byte(`{"kind":"X","n":` + strconv.Itoa(c.Intn(99)) + `}`)
		},
		func(j *apiextensionsv1.JSON, c randfill.Continue) { j.Raw = []byte(`[1,{"a":null}]`) },
		func(f *metav1.FieldsV1, c randfill.Continue) { f.Raw = []byte(`{"f:spec":{}}`) },
		// Kept small: k8s-openapi's own serde writes these types, which is not under test.
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			m.Name, m.Namespace, m.Generation = word(c), word(c), c.Int63()
			m.Labels = map[string]string{word(c): word(c)}
		},
		func(p *corev1.PodTemplateSpec, c randfill.Continue) {
			p.Spec.Containers = []corev1.Container{{Name: word(c), Image: word(c)}}
		},
		func(j *batchv1.JobTemplateSpec, c randfill.Continue) {
			parallelism := int32(c.Intn(9))
			j.Spec.Parallelism = &parallelism
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: word(c), Image: word(c)}}
		},
		func(p *metav1.Condition, c randfill.Continue) {
			p.Type, p.Status, p.Reason = word(c), metav1.ConditionTrue, word(c)
			p.LastTransitionTime = metav1.Unix(c.Int63n(4e9), 0)
		},
		func(s *string, c randfill.Continue) { *s = word(c) },
		func(f *float64, c randfill.Continue) { *f = float64(c.Intn(1000)) / 8 },
	)
}

// tame removes deliberate differences: Rust writes an empty list or map where Go writes null, and omits a zero time that Go writes as
// null, or an empty struct, since omitempty does not apply to those.
func tame(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			inner = tame(inner)
			value[key] = inner
			empty := inner == nil
			switch inner := inner.(type) {
			case map[string]any:
				empty = len(inner) == 0
			case []any:
				empty = len(inner) == 0
			}
			if empty {
				delete(value, key)
			}
		}
	case []any:
		for index := range value {
			value[index] = tame(value[index])
		}
	}
	return value
}

func parse(text []byte) any {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "not JSON: " + string(text)
	}
	return tame(value)
}

func main() {
	seed, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		panic(err)
	}
	count := 500
	fill := filler(seed)
	var lines []string
	var types []reflect.Type
	for index := 0; index < count; index++ {
		for apiVersion, objects := range map[string][]any{
			"shapes.example.com/v1":            {&shapes.Shape{}},
			"samplecontroller.k8s.io/v1alpha1": {&foos.Foo{}},
			"wardle.example.com/v1alpha1":      {&wardlev1alpha1.Flunder{}, &wardlev1alpha1.Fischer{}},
			"wardle.example.com/v1beta1":       {&wardlev1beta1.Flunder{}},
			"timers.example.com/v1":            {&timersv1.Timer{}, &timersv1.Holiday{}},
			"timers.example.com/v2":            {&timersv2.Timer{}, &timersv2.Holiday{}},
		} {
			for _, object := range objects {
				if index > 0 {
					fill.Fill(object)
				}
				kind := reflect.TypeOf(object).Elem()
				meta := reflect.ValueOf(object).Elem().FieldByName("TypeMeta")
				meta.Set(reflect.ValueOf(metav1.TypeMeta{APIVersion: apiVersion, Kind: kind.Name()}))
				text, err := json.Marshal(object)
				if err != nil {
					panic(err)
				}
				lines = append(lines, string(text))
				types = append(types, kind)
			}
		}
	}
	command := exec.Command(os.Args[1])
	command.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		panic(err)
	}
	scanner := bufio.NewScanner(strings.NewReader(string(out)))
	scanner.Buffer(nil, 1<<24)
	failed, read := 0, 0
	for ; scanner.Scan(); read++ {
		rust := scanner.Bytes()
		object := reflect.New(types[read]).Interface()
		var again []byte
		if err := json.Unmarshal(rust, object); err == nil {
			again, _ = json.Marshal(object)
		}
		if !reflect.DeepEqual(parse(rust), parse([]byte(lines[read]))) || !reflect.DeepEqual(parse(again), parse(rust)) {
			if failed++; failed <= 3 {
				fmt.Printf("Go:    %s\nRust:  %s\nagain: %s\n\n", lines[read], rust, again)
			}
		}
	}
	fmt.Printf("%d objects, %d differ (seed %d)\n", read, failed, seed)
	if failed > 0 || read != len(lines) {
		os.Exit(1)
	}
}
