// +groupName=parity.example.com
// +versionName=v1
package shadows

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Shadow has fields of the same name.
// +kubebuilder:object:root=true
type Shadow struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// first of the root.
	First string `json:"first,omitempty"`
	Inner `json:",inline"`

	Spec ShadowSpec   `json:"spec,omitempty"`
	List []ShadowSpec `json:"list,omitempty"`
}

type ShadowSpec struct {
	// first of the outer.
	First string `json:"first,omitempty"`
	Inner `json:",inline"`
	// second of the outer.
	// +kubebuilder:validation:MinLength=1
	Second string `json:"second,omitempty"`
	Third  string `json:"third,omitempty"`
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:title=Outer
	Fourth string `json:"fourth,omitempty"`
	// object of the outer.
	Object *Object `json:"object,omitempty"`
	// +kubebuilder:default=a
	Defaulted string `json:"defaulted,omitempty"`
	// +kubebuilder:validation:Enum=a;b
	Enum string `json:"enum,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self != 'outer'"
	Ruled string `json:"ruled,omitempty"`
	// +optional
	Gone string `json:"gone"`
	// +kubebuilder:validation:Pattern=^a
	Pattern string `json:"pattern,omitempty"`
	// +nullable
	Nullable *string  `json:"nullable,omitempty"`
	Items    []string `json:"items,omitempty"`
	Same     Named    `json:"same,omitempty"`
	Nested   *Nested  `json:"nested,omitempty"`
}

// Named is named.
// +kubebuilder:validation:MaxLength=7
// +kubebuilder:validation:Pattern=^x
// +kubebuilder:validation:XValidation:rule="self != 'named'"
type Named string

type Inner struct {
	Deep `json:",inline"`
	// first of the inner.
	// +kubebuilder:validation:MaxLength=9
	First string `json:"first"`
	// +optional
	Second string `json:"second"`
	// third of the inner.
	Third string `json:"third"`
	// +kubebuilder:validation:MaxLength=6
	// +kubebuilder:title=Inner
	Fourth string `json:"fourth,omitempty"`
	Object *Other `json:"object,omitempty"`
	// +kubebuilder:default=b
	Defaulted string `json:"defaulted,omitempty"`
	// +kubebuilder:validation:Enum=c;d
	Enum string `json:"enum,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self != 'inner'"
	Ruled string `json:"ruled,omitempty"`
	Gone  string `json:"gone,omitempty"`
	// +kubebuilder:validation:Pattern=^b
	Pattern  string  `json:"pattern,omitempty"`
	Nullable *string `json:"nullable,omitempty"`
	// items of the inner.
	Items  []string `json:"items,omitempty"`
	Nested *Nested  `json:"nested,omitempty"`
	// same of the inner.
	Same Named `json:"same,omitempty"`
}

type Deep struct {
	// third of the deep.
	Third string `json:"third,omitempty"`
	Fifth string `json:"fifth,omitempty"`
}

// Nested is the type of both fields.
type Nested struct {
	Selector *Selector `json:"selector,omitempty"`
	// +kubebuilder:default="b"
	Name string `json:"name,omitempty"`
}

type Selector struct {
	Object `json:",inline"`
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:default="c"
	Key string `json:"key"`
}

// Object is one.
type Object struct {
	// a of one.
	A string `json:"a"`
	B string `json:"b,omitempty"`
}

// Other is another.
type Other struct {
	// a of another.
	A string `json:"a,omitempty"`
	C string `json:"c"`
}
