//! Servers that KubeVirt runs in the cluster, on more than one host.
//!
//! A server is a KubeVirt `VirtualMachine` in the same namespace, named [`ServerRef::id`]. KubeVirt
//! keeps it running on any node; this driver writes its spec and reads its status, through a client
//! and informers [generated](api) from KubeVirt's CRDs.
//!
//! | ours | KubeVirt's |
//! |---|---|
//! | the object | label `cloudnative.czs/virtualmachine-uid`, annotation `cloudnative.czs/virtualmachine`, controller reference |
//! | processors | `cpu.cores`, with one socket and one thread per core |
//! | memory | `memory.guest` |
//! | root disk | a `dataVolumeTemplates` entry `<id>-root`: blank, or imported from [`Options::image`]. CDI must be installed |
//! | power | `runStrategy`, `Always` or `Halted` |
//!
//! The disk grows through its PersistentVolumeClaim, since KubeVirt creates the claim once and
//! ignores later changes to the template. The storage class must allow expansion, and the claim
//! must be bound; with `WaitForFirstConsumer` that is after the first start. The owner reference is
//! a safety net: the garbage collector deletes what no finalizer removed.
//!
//! Each write includes the resourceVersion that it is based on, and stores the [epoch](Term::epoch)
//! in the annotation `cloudnative.czs/epoch`. An old leader's write therefore either precedes the
//! new leader's first one to that server, or is rejected. A leader reads the newest epoch before
//! its first call, and takes a higher one, since a Lease that was deleted and recreated may not
//! know it.
//!
//! KubeVirt's status has no usage, so [`Server::usage`] is always `None`. A server can only be
//! ended by shutting down its guest, so [`delete`](Driver::delete) takes up to [`Options::grace`]
//! as well.
//!
//! [`state`] has the table of states; start reading at [`KubeVirt`].

mod cache;
mod object;
pub mod state;
mod writes;

/// Code generated from KubeVirt's CRDs, by the build script.
pub mod api {
    include!(concat!(env!("OUT_DIR"), "/mod.rs"));
}

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::error::chain;
use codegen_runtime::kube;
use codegen_runtime::kube::api::ListParams;
use codegen_runtime::kube::{Client, Resource};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::api::apis::kubevirt::v1::{VirtualMachine as Vm, VirtualMachineInstance as Vmi};
use self::api::generated::clientset::Clientset;
use self::cache::Cache;
use super::{
    Changed, Driver, DriverError, DriverFuture, Power, Resources, Server, ServerRef, ServerSpec,
    Term,
};

/// The settings for new servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The namespaces to watch; empty for all.
    pub namespaces: Vec<String>,
    /// The image for new root disks, such as `docker://quay.io/containerdisks/fedora:latest`; blank
    /// disks if `None`.
    pub image: Option<String>,
    /// The storage class of root disks; the cluster's default if `None`.
    pub storage_class: Option<String>,
    /// How long a guest may take to shut down before it is powered off; truncated to whole seconds.
    pub grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            namespaces: Vec::new(),
            image: None,
            storage_class: None,
            grace: Duration::from_secs(30),
        }
    }
}

// +kubebuilder:rbac:groups=kubevirt.io,resources=virtualmachines,verbs=create;delete;get;list;patch;watch,roleName=virtualmachine-controller-kubevirt
// +kubebuilder:rbac:groups=kubevirt.io,resources=virtualmachineinstances,verbs=delete;get;list;watch,roleName=virtualmachine-controller-kubevirt
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;patch,roleName=virtualmachine-controller-kubevirt
//
// KubeVirt's machines have ours as owners, with owner references that block the owners' deletion.
// +kubebuilder:rbac:groups=cloudnative.czs,resources=virtualmachines/finalizers,verbs=update,roleName=virtualmachine-controller-kubevirt

/// The KubeVirt driver. Clones share their cache.
#[derive(Clone)]
pub struct KubeVirt {
    clientset: Clientset,
    options: Arc<Options>,
    cache: Arc<Cache>,
}

impl KubeVirt {
    /// Creates a driver for the cluster of `client`.
    pub fn new(client: Client, options: Options) -> Self {
        Self {
            clientset: Clientset::new(client),
            options: Arc::new(options),
            cache: Arc::default(),
        }
    }

    /// Returns the server from the cache, or else from the API server. Only the API server can
    /// confirm that it does not exist: a cache may lag behind, and a machine without a server loses
    /// its finalizer.
    async fn read(&self, server: &ServerRef) -> Result<Option<Server>, DriverError> {
        if let Some((vm, vmi)) = self.cache.get(server) {
            return Ok(Some(state::server(&vm, vmi.as_deref())));
        }
        let failed = |error| writes::refusal("read", server, &error);
        let vm = self.vms(server).get_opt(&server.id()).await;
        let vm = vm.map_err(failed)?.filter(|vm| object::owns(server, vm));
        let vmi = self.vmis(server).get_opt(&server.id()).await;
        let vmi = vmi.map_err(failed)?.filter(|vmi| object::owns(server, vmi));
        Ok(match (vm, vmi) {
            (Some(vm), vmi) => Some(state::server(&vm, vmi.as_ref())),
            (None, Some(vmi)) => Some(state::remains(&vmi)),
            (None, None) => None,
        })
    }

    /// Returns all machines that this driver created, from the cache, or else from the API server.
    async fn all(&self) -> Result<Vec<Arc<Vm>>, DriverError> {
        if let Some(vms) = self.cache.all() {
            return Ok(vms);
        }
        let params = ListParams::default().labels(&object::selector());
        let namespaces = match self.options.namespaces.as_slice() {
            [] => &[String::new()],
            namespaces => namespaces,
        };
        let mut all = Vec::new();
        for namespace in namespaces {
            let vms = self.clientset.kubevirt_v1().virtual_machines(namespace);
            let vms = vms.list(&params).await.map_err(|error| {
                DriverError::failed("list KubeVirt's virtual machines", chain(&error))
            })?;
            all.extend(vms.items.into_iter().map(Arc::new));
        }
        Ok(all)
    }

    async fn create_server(
        &self,
        term: &Term,
        server: &ServerRef,
        spec: &ServerSpec,
    ) -> Result<(), DriverError> {
        let vm = object::vm(server, term, spec, &self.options);
        match self.vms(server).create(&vm, &Default::default()).await {
            Ok(vm) => self.cache.wrote(server, &vm),
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                self.claim(term, server).await?;
            }
            Err(error) => return Err(writes::refusal("create", server, &error)),
        }
        Ok(())
    }

    async fn grow_and_set(
        &self,
        term: &Term,
        server: &ServerRef,
        wanted: &Resources,
    ) -> Result<(), DriverError> {
        let vm = self.change(term, server, |_| Ok(Value::Null)).await?;
        let disk = state::disk(&vm);
        if wanted.disk < disk {
            return Err(DriverError::Refused("a disk can only grow".to_owned()));
        }
        if wanted.disk > disk {
            self.grow_claim(server, wanted.disk).await?;
        }
        let resize = |vm: &Vm| {
            if state::resources(vm, None) == *wanted {
                return Ok(Value::Null);
            }
            object::resize(server, vm, wanted)
        };
        self.change(term, server, resize).await.map(drop)
    }
}

impl Driver for KubeVirt {
    fn name(&self) -> &'static str {
        "kubevirt"
    }

    fn list(&self) -> DriverFuture<'_, Vec<ServerRef>> {
        Box::pin(async {
            let vms = self.all().await?;
            let stays = vms
                .iter()
                .filter(|vm| vm.meta().deletion_timestamp.is_none());
            Ok(stays.filter_map(|vm| object::server_of(&**vm)).collect())
        })
    }

    fn newest_epoch(&self) -> DriverFuture<'_, u64> {
        Box::pin(async {
            let vms = self.all().await?;
            Ok(vms.iter().map(|vm| object::epoch(vm)).max().unwrap_or(0))
        })
    }

    fn status<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, Option<Server>> {
        Box::pin(self.read(server))
    }

    fn create<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        spec: &'a ServerSpec,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.create_server(term, server, spec))
    }

    fn set_power<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        power: Power,
    ) -> DriverFuture<'a, ()> {
        let edit = move |vm: &Vm| {
            Ok(if state::is_on(vm) == (power == Power::On) {
                Value::Null
            } else {
                // `running` is the deprecated alternative to `runStrategy`; only one of the two may
                // be set.
                json!({"runStrategy": object::run_strategy(power), "running": null})
            })
        };
        Box::pin(async move { self.change(term, server, edit).await.map(drop) })
    }

    fn resize<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        resources: &'a Resources,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.grow_and_set(term, server, resources))
    }

    fn delete<'a>(&'a self, term: &'a Term, server: &'a ServerRef) -> DriverFuture<'a, ()> {
        Box::pin(self.remove(term, server))
    }

    fn run(&self, changed: Changed, stop: CancellationToken) -> DriverFuture<'_, ()> {
        Box::pin(async move {
            let factory = cache::informers(&self.clientset, &self.options.namespaces);
            self.cache
                .open(&factory, &changed)
                .map_err(|error| DriverError::failed("watch KubeVirt's virtual machines", error))?;
            factory.start(&stop);
            stop.cancelled().await;
            self.cache.close();
            factory.shutdown().await;
            Ok(())
        })
    }
}

impl fmt::Debug for KubeVirt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KubeVirt")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
