//! One manager, a changing set of clusters.
//!
//! A [`ClusterSource`] says which clusters there are: kubeconfig files in a folder
//! ([`KubeconfigFolder`]), Secrets ([`KubeconfigSecrets`]), or anything that sends a
//! [`ClusterMap`]. [`Clusters`] builds controllers for each of them, runs these with a factory of
//! their own, and stops them when the cluster is gone or is reached in another way. Errors, hangs
//! and panics of one cluster harm no other: what fails is tried again with a growing pause, logged,
//! counted (`background_task_failing{task="cluster", name="west"}`), and told by `/readyz`, which
//! does not fail for it.
//!
//! A controller's name gets its cluster's in front (`west/copies`), in metrics, logs and errors.
//!
//! ```no_run
//! # use codegen_runtime::controller::{Action, Controller, reconcile_fn};
//! # use codegen_runtime::informer::SharedInformerFactory;
//! # use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
//! # use codegen_runtime::manager::Manager;
//! # use codegen_runtime::manager::clusters::{Cluster, Clusters, KubeconfigFolder};
//! # use codegen_runtime::kube::Client;
//! # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
//! let clusters = Clusters::new("clusters", KubeconfigFolder::new("/etc/clusters"), |cluster: &Cluster| {
//!     let (client, name) = (cluster.client().clone(), cluster.name().to_owned());
//!     let controller = Controller::builder("maps", cluster.factory())
//!         .for_::<ConfigMap>()
//!         .build(reconcile_fn(move |request| {
//!             let (_client, name) = (client.clone(), name.clone());
//!             async move {
//!                 println!("{} in {name}", request.key);
//!                 Ok::<_, std::convert::Infallible>(Action::done())
//!             }
//!         }))?;
//!     Ok(vec![controller])
//! });
//! let factory = SharedInformerFactory::builder(client).build();
//! let manager = Manager::builder(&factory).clusters(clusters).build()?;
//! # Ok(())
//! # }
//! ```

mod access;
mod engaged;
mod folder;
mod run;
mod secrets;
mod source;

pub use self::access::{Access, NotSelfContained};
pub use self::folder::KubeconfigFolder;
pub use self::run::{Cluster, Clusters};
pub use self::secrets::KubeconfigSecrets;
pub use self::source::{ClusterMap, ClusterSource};
