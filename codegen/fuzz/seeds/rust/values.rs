pub struct A { // +kubebuilder:default={a: {1,2}, b: `x`, "c": "\u00e9"}
 // +kubebuilder:validation:Pattern=`^\d,;}$`
 pub a: u8 }
