use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    // +kubebuilder:default=1
    pub text: String,
    // +kubebuilder:default=many
    pub number: i32,
    // +kubebuilder:default=1.5
    pub whole: u8,
    // +default=["a", 1]
    pub list: Vec<String>,
    // +kubebuilder:default={name: a, siez: 3}
    pub object: Part,
    // +kubebuilder:default={size: 3}
    pub partial: Part,
    // +kubebuilder:default=Sometimes
    pub word: Word,
    // +kubebuilder:validation:Maximum=3
    // +kubebuilder:default=4
    pub bounded: i32,
    // +kubebuilder:validation:Enum=a;b
    // +kubebuilder:default=c
    pub listed: String,
    // +kubebuilder:validation:Enum=1;2
    pub texts: Option<String>,
    // +kubebuilder:default={}
    pub empty: Option<Loose>,
    // +kubebuilder:default={}
    pub no_items: Vec<String>,
    // +default=null
    pub none: String,
    // +kubebuilder:validation:Type=string
    // +kubebuilder:default=b
    pub declared: bool,
}

/// A part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub size: Option<i64>,
}

/// A part whose fields are optional.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loose {
    pub size: Option<i64>,
}

/// A word.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Word {
    Always,
    Never,
}
