//! Typed Kubernetes clients for cloudnative.czs, storage.example.com.
//!
//! Each API group has its own feature; all are enabled by default.
//!
//! - `cloudnative`: cloudnative.czs (v1alpha1)
//! - `storage`: storage.example.com (v1, v1beta1)
//!
//! ```no_run
//! # #[cfg(feature = "cloudnative")]
//! # async fn example() -> Result<(), codegen_runtime::kube::Error> {
//! use codegen_runtime::kube::api::ListParams;
//! use scaffold_example::generated::clientset::Clientset;
//!
//! let clientset = Clientset::try_default().await?;
//! let virtual_machines = clientset.cloudnative_v1alpha1().virtual_machines("default");
//! for object in virtual_machines.list(&ListParams::default()).await? {
//!     println!("{:?}", object.metadata.name);
//! }
//! # Ok(())
//! # }
//! ```

pub mod apis;
pub mod generated;
