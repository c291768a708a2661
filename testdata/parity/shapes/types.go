// +groupName=parity.example.com
// +versionName=v1
package shapes

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ShapedSpec has a field for each shape of a type.
type ShapedSpec struct {
	Hidden       string                                  `json:"-"`
	Dash         string                                  `json:"-,"`
	Bytes        []byte                                  `json:"bytes"`
	NamedBytes   Blob                                    `json:"namedBytes,omitempty"`
	Array        [4]string                               `json:"array,omitempty"`
	Small        int8                                    `json:"small,omitempty"`
	Unsigned     uint32                                  `json:"unsigned,omitempty"`
	Wide         uint64                                  `json:"wide,omitempty"`
	Number       float64                                 `json:"number,omitempty"`
	Pointers     map[string]*string                      `json:"pointers,omitempty"`
	Lists        map[string][]string                     `json:"lists,omitempty"`
	ByteLists    map[string][]byte                       `json:"byteLists,omitempty"`
	Maps         map[string]map[string]string            `json:"maps,omitempty"`
	DeepMaps     map[string]map[string]map[string]string `json:"deepMaps,omitempty"`
	NamedMaps    map[string]HasMap                       `json:"namedMaps,omitempty"`
	NamedKeys    map[Key]string                          `json:"namedKeys,omitempty"`
	Texts        []TextKey                               `json:"texts,omitempty"`
	Floats       map[string][]float64                    `json:"floats,omitempty"`
	Again        *Again                                  `json:"again,omitempty"`
	Wait         metav1.Duration                         `json:"wait,omitempty"`
	Nanoseconds  time.Duration                           `json:"nanoseconds,omitempty"`
	At           metav1.Time                             `json:"at,omitempty"`
	AtMicro      *metav1.MicroTime                       `json:"atMicro,omitempty"`
	Amount       resource.Quantity                       `json:"amount,omitempty"`
	Port         intstr.IntOrString                      `json:"port,omitempty"`
	Raw          runtime.RawExtension                    `json:"raw,omitempty"`
	Anything     apiextensionsv1.JSON                    `json:"anything,omitempty"`
	Meta         metav1.ObjectMeta                       `json:"meta,omitempty"`
	Selector     *metav1.LabelSelector                   `json:"selector,omitempty"`
	Secret       corev1.LocalObjectReference             `json:"secret,omitempty"`
	Reference    corev1.ObjectReference                  `json:"reference,omitempty"`
	Env          []corev1.EnvVar                         `json:"env,omitempty"`
	Conditions   []metav1.Condition                      `json:"conditions,omitempty"`
	Website      *Website                                `json:"website,omitempty"`
	OtherWebsite *OtherWebsite                           `json:"otherWebsite,omitempty"`
	Switch       *Switch                                 `json:"switch,omitempty"`
	Period       *Period                                 `json:"period,omitempty"`
	Kept         Kept                                    `json:"kept,omitempty"`
	// +kubebuilder:validation:EmbeddedResource
	Embedded runtime.RawExtension `json:"embedded,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	Unpruned HasMap `json:"unpruned,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:EmbeddedResource
	UnprunedEmbedded runtime.RawExtension `json:"unprunedEmbedded,omitempty"`
	// Of any kind.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:EmbeddedResource
	Unstructured unstructured.Unstructured            `json:"unstructured"`
	Pruned       *unstructured.Unstructured           `json:"pruned,omitempty"`
	Objects      []unstructured.Unstructured          `json:"objects,omitempty"`
	ByName       map[string]unstructured.Unstructured `json:"byName,omitempty"`
	// Says nothing but this.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Schemaless []byte `json:"schemaless,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	SchemalessObject HasMap `json:"schemalessObject,omitempty"`
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern="^((100|[0-9]{1,2})%|[0-9]+)$"
	Share *intstr.IntOrString `json:"share,omitempty"`
	// +kubebuilder:validation:nullable
	Ignored string `json:"ignored,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	SchemalessMessage json.RawMessage `json:"schemalessMessage,omitempty"`
	NamedInline       NamedInline     `json:"namedInline"`
	InlineMap         InlineMap       `json:"inlineMap"`
	InlineOwn         InlineOwn       `json:"inlineOwn"`
	InlineAny         InlineAny       `json:"inlineAny"`
	InlineBeside      InlineBeside    `json:"inlineBeside"`

	Inlined   `json:",inline"`
	*Embedded `json:",inline"`
}

// Inlined has fields that stand in its user.
type Inlined struct {
	// InlinedName is a name.
	InlinedName string `json:"inlinedName"`
}

// Embedded is another.
type Embedded struct {
	EmbeddedName string `json:"embeddedName"`
}

// NamedInline has fields that encoding/json does not inline, as they have names.
type NamedInline struct {
	// The documentation of what is inlined is left out.
	Field    Inlined   `json:",inline"`
	Pointer  *Embedded `json:",omitempty"`
	HasMap   `json:"hasMap,inline"`
	Property string `json:"property,omitempty"`
}

// InlineMap is a map.
type InlineMap struct {
	// +kubebuilder:validation:MinProperties=1
	Values map[string]int32 `json:",inline"`
}

// InlineOwn is a map that writes itself.
type InlineOwn struct {
	// Pairs are left out.
	Pairs map[string]apiextensionsv1.JSON `json:",inline"`
}

// MarshalJSON writes the pairs.
func (o *InlineOwn) MarshalJSON() ([]byte, error) { return json.Marshal(o.Pairs) }

// UnmarshalJSON reads the pairs.
func (o *InlineOwn) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &o.Pairs) }

// InlineAny is anything.
type InlineAny struct {
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Object map[string]interface{} `json:",inline"`
}

// InlineBeside is a property and anything.
type InlineBeside struct {
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Rest map[string]string `json:",inline"`

	Beside string `json:"beside"`
}

// Blob is bytes.
type Blob []byte

type HasMap struct {
	Inner map[string]string `json:"inner,omitempty"`
}

type Again HasMap

type Key string

type TextKey struct {
	a, b string
}

func (t TextKey) MarshalText() ([]byte, error) { return []byte(t.a + t.b), nil }

func (t *TextKey) UnmarshalText(text []byte) error { t.a = string(text); return nil }

// Website is written as a text.
// +kubebuilder:validation:Type=string
type Website struct {
	url.URL
}

func (w *Website) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf("%q", w.URL.String())), nil
}

func (w *Website) UnmarshalJSON(text []byte) error { return nil }

// +kubebuilder:validation:Type=string
// OtherWebsite is not embedded.
type OtherWebsite url.URL

func (w *OtherWebsite) MarshalJSON() ([]byte, error) { return []byte(`""`), nil }

// Switch is a boolean that is written as a text.
// +kubebuilder:validation:Type=string
type Switch bool

func (s Switch) MarshalJSON() ([]byte, error) { return []byte(`"on"`), nil }

// Period writes itself, and no marker says as what.
type Period struct {
	Value time.Duration `json:"value"`
}

func (p Period) MarshalJSON() ([]byte, error) { return json.Marshal(p.Value) }

// Kept keeps what it does not know.
// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
type Kept struct {
	Known string         `json:"known"`
	Rest  map[string]any `json:"-"`
}

func (k *Kept) MarshalJSON() ([]byte, error) { return json.Marshal(k.Rest) }

// +kubebuilder:object:root=true

// Shaped is of every shape.
type Shaped struct {
	/*
	   A block comment.
	*/
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShapedSpec   `json:"spec,omitempty"`
	Status ShapedStatus `json:"status,omitempty"`
}

// ShapedStatus is what is.
type ShapedStatus struct {
	Active []corev1.ObjectReference `json:"active,omitempty"`
}
