//! The admission plugin `OwnerReferencesPermissionEnforcement`
//! (`k8s.io/kubernetes/plugin/pkg/admission/gc`).
//!
//! Whoever changes the owners of an object must be allowed to delete it, and whoever sets
//! `blockOwnerDeletion`, to update the finalizers of the owner. What a write needs is recorded even
//! where the plugin is off, for the assertions of tests.

use serde_json::Value;

use super::Admission;
use crate::authorization::authorize;
use crate::metadata::object;
use crate::rbac::access::{Access, Target};
use crate::registry::{Subresource, name_of};
use crate::status::ApiError;

const CANNOT_DELETE: &str = "cannot set an ownerRef on a resource you can't delete";
const CANNOT_BLOCK: &str = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";

impl Admission<'_> {
    /// Checks and records what a changed list of owners needs.
    ///
    /// # Errors
    /// 403.
    pub(super) fn check_owners(
        &self,
        object: Option<&Value>,
        old: Option<&Value>,
    ) -> Result<(), ApiError> {
        let (Some(object), Some(request)) = (object, self.by.request) else {
            return Ok(());
        };
        // A binding or an eviction is no object of the resource, and the status of a pod cannot
        // change its owners.
        let is_exempt = self.kind.is_some()
            || (self.served.is("", "pods") && self.subresource == Some(Subresource::Status))
            || owners(object).eq(old.into_iter().flat_map(owners));
        if is_exempt {
            return Ok(());
        }
        let needs = self.needs(object, old);
        let accesses = needs.iter().filter_map(|it| it.as_ref().ok());
        let accesses = accesses.map(|(access, _)| access.clone()).collect();
        self.core.interceptor.recorder.implied(request, accesses);
        if !self.core.options.owner_permissions {
            return Ok(());
        }
        for need in needs {
            let why = match need {
                Ok((access, why)) => {
                    let by = &self.by.user;
                    let decision = authorize(self.core, by, Target::Resource(&access));
                    if decision.allowed {
                        continue;
                    }
                    format!("{why}: {}, <nil>", decision.reason)
                }
                Err(why) => why,
            };
            let resource = self.served.resource.group_resource();
            let name = match object::name(object) {
                "" => object::text(object, &["metadata", "generateName"]),
                name => name,
            };
            return Err(ApiError::forbidden(&resource, name, &why));
        }
        Ok(())
    }

    /// Returns what the write needs, each with the message of its refusal; an error for an owner of
    /// an unknown kind.
    fn needs(
        &self,
        object: &Value,
        old: Option<&Value>,
    ) -> Vec<Result<(Access, &'static str), String>> {
        let mut needs = Vec::new();
        if self.operation != "CREATE" {
            let resource = &self.served.resource;
            let delete = Access {
                verb: "delete".to_owned(),
                group: resource.group.clone(),
                resource: resource.plural.clone(),
                subresource: name_of(self.subresource).to_owned(),
                namespace: self.namespace().to_owned(),
                name: self.name.to_owned(),
            };
            needs.push(Ok((delete, CANNOT_DELETE)));
        }
        for owner in owners(object).filter(|owner| blocks(owner)) {
            let was = old.into_iter().flat_map(owners);
            let mut was = was.filter(|it| it["uid"] == owner["uid"]);
            if !was.any(blocks) {
                needs.push(self.to_block(owner).map(|access| (access, CANNOT_BLOCK)));
            }
        }
        needs
    }

    fn to_block(&self, owner: &Value) -> Result<Access, String> {
        let text = |field| object::text(owner, &[field]);
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let served = self.core.registry.lookup_kind(group, version, kind);
        let served = served.ok_or_else(|| {
            format!(
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {api_version} Kind \
{kind}: no matches for kind {kind:?} in version {api_version:?}"
            )
        })?;
        let resource = &served.resource;
        Ok(Access {
            verb: "update".to_owned(),
            group: resource.group.clone(),
            resource: resource.plural.clone(),
            subresource: "finalizers".to_owned(),
            namespace: match resource.namespaced {
                true => self.namespace().to_owned(),
                false => String::new(),
            },
            name: text("name").to_owned(),
        })
    }
}

fn owners(object: &Value) -> impl Iterator<Item = &Value> {
    let owners = object["metadata"].get("ownerReferences");
    owners.and_then(Value::as_array).into_iter().flatten()
}

fn blocks(owner: &Value) -> bool {
    owner["blockOwnerDeletion"] == Value::Bool(true)
}
