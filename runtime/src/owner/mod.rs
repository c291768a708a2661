//! Owner references: the owners of an object, and its controller.
//!
//! An object may have several owners, whose deletion garbage-collects it; at most one of them is
//! its *controller*. [`set_controller_reference`] marks the objects that a reconciler creates;
//! [`ControllerRefManager`] adopts existing ones that match.
//!
//! ```
//! # use codegen_runtime::k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! # use codegen_runtime::owner;
//! let mut web = Deployment::default();
//! web.metadata.name = Some("web".to_owned());
//! web.metadata.namespace = Some("default".to_owned());
//! web.metadata.uid = Some("e4b0".to_owned());
//! let mut map = ConfigMap::default();
//! map.metadata.namespace = Some("default".to_owned());
//!
//! owner::set_controller_reference(&web, &mut map)?;
//! assert!(owner::is_controlled_by(&map, &web));
//! # Ok::<_, owner::OwnerError>(())
//! ```

mod adopt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;

pub use self::adopt::ControllerRefManager;

/// Why an object cannot have an owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// Another owner controls the object.
    #[error("object {object:?} is already controlled by {kind} {name:?}")]
    AlreadyOwned {
        /// The object's name.
        object: String,
        /// The other owner's kind.
        kind: String,
        /// The other owner's name.
        name: String,
    },
    /// The owner and the object are in different namespaces.
    #[error(
        "cross-namespace owner references are disallowed: owner in {owner:?}, object in {object:?}"
    )]
    CrossNamespace {
        /// The owner's namespace.
        owner: String,
        /// The object's namespace.
        object: String,
    },
    /// A cluster-scoped object cannot have a namespaced owner.
    #[error("cluster-scoped object must not have a namespaced owner (in {0:?})")]
    ClusterScopedObject(
        /// The owner's namespace.
        String,
    ),
    /// The owner lacks a name or uid: it was not read from the server.
    #[error("the owner has no name or no uid")]
    IncompleteOwner,
}

/// Returns the reference to the owner that controls `object`.
pub fn controller_of<K: Resource>(object: &K) -> Option<&OwnerReference> {
    object
        .meta()
        .owner_references
        .as_ref()?
        .iter()
        .find(|reference| reference.controller == Some(true))
}

/// Whether `owner` controls `object`; compares uids, so that another object with the owner's name
/// does not count.
pub fn is_controlled_by<K: Resource, O: Resource>(object: &K, owner: &O) -> bool {
    controller_of(object).is_some_and(|reference| Some(&reference.uid) == owner.meta().uid.as_ref())
}

/// Whether `reference` is to an earlier object of `claimant`'s kind and name, which is gone: the
/// garbage collector deletes what it owned.
pub fn is_predecessor<O: Resource<DynamicType = ()>>(
    reference: &OwnerReference,
    claimant: &O,
) -> bool {
    let meta = claimant.meta();
    reference.kind == O::kind(&())
        && Some(&reference.name) == meta.name.as_ref()
        && Some(&reference.uid) != meta.uid.as_ref()
}

/// Names the owner of `reference` in a message to `claimant`: `PodSet web`, or
/// `an earlier PodSet web (uid e4b0)` for its [predecessor](is_predecessor).
pub fn name_beside<O: Resource<DynamicType = ()>>(
    reference: &OwnerReference,
    claimant: &O,
) -> String {
    let (kind, name, uid) = (&reference.kind, &reference.name, &reference.uid);
    match is_predecessor(reference, claimant) {
        true => format!("an earlier {kind} {name} (uid {uid})"),
        false => format!("{kind} {name}"),
    }
}

/// Makes `owner` the controller of `object`, in memory. Foreground deletion of the owner waits for
/// the object (`blockOwnerDeletion`).
///
/// Updates an existing reference to the same owner; keeps references to other owners that are not
/// controllers.
///
/// # Errors
///
/// Another owner controls the object, or the scopes or namespaces are incompatible.
pub fn set_controller_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType = ()>,
    K: Resource,
{
    let reference = reference(owner, Some(true))?;
    check_scopes(owner, object)?;
    if let Some(other) = controller_of(object).filter(|other| !same_owner(other, &reference)) {
        return Err(OwnerError::AlreadyOwned {
            object: object.meta().name.clone().unwrap_or_default(),
            kind: other.kind.clone(),
            name: other.name.clone(),
        });
    }
    upsert(object, reference);
    Ok(())
}

/// Makes `owner` a non-controlling owner of `object`, in memory.
///
/// # Errors
///
/// The scopes or namespaces are incompatible.
pub fn set_owner_reference<O, K>(owner: &O, object: &mut K) -> Result<(), OwnerError>
where
    O: Resource<DynamicType = ()>,
    K: Resource,
{
    let reference = reference(owner, None)?;
    check_scopes(owner, object)?;
    upsert(object, reference);
    Ok(())
}

/// Removes the references to `owner` from `object`, in memory. Returns whether there were any.
pub fn remove_owner_reference<O: Resource, K: Resource>(owner: &O, object: &mut K) -> bool {
    let Some(list) = &mut object.meta_mut().owner_references else {
        return false;
    };
    let before = list.len();
    list.retain(|reference| Some(&reference.uid) != owner.meta().uid.as_ref());
    list.len() != before
}

fn reference<O: Resource<DynamicType = ()>>(
    owner: &O,
    controller: Option<bool>,
) -> Result<OwnerReference, OwnerError> {
    let meta = owner.meta();
    let (Some(name), Some(uid)) = (meta.name.clone(), meta.uid.clone()) else {
        return Err(OwnerError::IncompleteOwner);
    };
    Ok(OwnerReference {
        api_version: O::api_version(&()).into_owned(),
        kind: O::kind(&()).into_owned(),
        name,
        uid,
        controller,
        block_owner_deletion: controller,
    })
}

fn check_scopes<O: Resource, K: Resource>(owner: &O, object: &K) -> Result<(), OwnerError> {
    let namespace =
        |namespace: Option<&String>| namespace.filter(|namespace| !namespace.is_empty()).cloned();
    let Some(owner) = namespace(owner.meta().namespace.as_ref()) else {
        return Ok(());
    };
    match namespace(object.meta().namespace.as_ref()) {
        None => Err(OwnerError::ClusterScopedObject(owner)),
        Some(object) if object != owner => Err(OwnerError::CrossNamespace { owner, object }),
        Some(_) => Ok(()),
    }
}

/// Whether both refer to the same object: group, kind and name, in any version, as
/// controller-runtime compares them.
fn same_owner(a: &OwnerReference, b: &OwnerReference) -> bool {
    let group = |reference: &OwnerReference| {
        reference
            .api_version
            .split_once('/')
            .map_or(String::new(), |(group, _)| group.to_owned())
    };
    group(a) == group(b) && a.kind == b.kind && a.name == b.name
}

fn upsert<K: Resource>(object: &mut K, reference: OwnerReference) {
    let list = object.meta_mut().owner_references.get_or_insert_default();
    match list.iter_mut().find(|other| same_owner(other, &reference)) {
        Some(other) => *other = reference,
        None => list.push(reference),
    }
}
