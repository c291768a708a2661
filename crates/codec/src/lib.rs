//! Lossless serde for Kubernetes types that are generated from CRDs: the module [`codec`](mod@codec).
//!
//! The runtime of generated code re-exports the module. Types that are generated without the runtime have a copy of it, made from
//! [`sources`]. Each stands behind a feature, `types` and `sources`, so that the generator links neither k8s-openapi nor serde_json
//! because of the codec.

#[cfg(feature = "types")]
pub mod codec;
#[cfg(feature = "sources")]
pub mod sources;

// Macros refer to it through this path.
#[cfg(feature = "types")]
#[doc(hidden)]
pub use k8s_openapi;
