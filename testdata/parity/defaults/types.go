// +groupName=parity.example.com
// +versionName=v1
package defaults

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaulted has values of its own.
// +kubebuilder:object:root=true
type Defaulted struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DefaultedSpec `json:"spec,omitempty"`
}

// DefaultedList is a list of Defaulted.
// +kubebuilder:object:root=true
type DefaultedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Defaulted `json:"items"`
}

type DefaultedSpec struct {
	// +kubebuilder:default=forty-two
	Bare string `json:"bare"`
	// +kubebuilder:default="quoted, with a comma"
	Quoted string `json:"quoted"`
	// +kubebuilder:default=42
	Number int64 `json:"number"`
	// +kubebuilder:default=true
	Flag bool `json:"flag"`
	// +kubebuilder:default={a,b}
	List []string `json:"list"`
	// +kubebuilder:default={}
	EmptyList []string `json:"emptyList"`
	// +kubebuilder:default={}
	EmptyMap map[string]string `json:"emptyMap"`
	// +kubebuilder:default={{nested: {foo: "baz", bar: true}},{nested: {bar: false}}}
	Objects []Outer `json:"objects"`
	// +kubebuilder:default={nested: {foo: "x"}}
	Object Outer `json:"object"`
	// +default="json"
	Json string `json:"json"`
	// +default=["one", "two"]
	JsonList []string `json:"jsonList"`
	// +default={"nested": {"foo": "y", "bar": false}}
	JsonObject Outer `json:"jsonObject"`
	// +kubebuilder:default=stronger
	// +default="weaker"
	Both string `json:"both"`
	// +kubebuilder:default="100Mi"
	Quantity string `json:"quantity"`
	// +kubebuilder:example={a,b}
	Example []string `json:"example,omitempty"`
	// +kubebuilder:example={key: {a: 1}}
	ExampleMap map[string]string `json:"exampleMap,omitempty"`
}

type Outer struct {
	Nested Inner `json:"nested"`
}

type Inner struct {
	// +kubebuilder:default=inner
	Foo string `json:"foo,omitempty"`
	Bar bool   `json:"bar,omitempty"`
}
