//! What a request needs, as an authorizer sees it.

use std::fmt;

use crate::status::{ApiError, GroupResource};

/// One verb on one resource: what a request needs a permission for.
///
/// Displayed as `list pods` or `patch deployments/scale.apps in shop`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// The verb, such as `get`.
    pub verb: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural name of the resource, such as `pods`.
    pub resource: String,
    /// The subresource; empty for none.
    pub subresource: String,
    /// The namespace; empty for cluster-scoped resources and all namespaces.
    pub namespace: String,
    /// The object's name; empty for collections.
    pub name: String,
}

impl Access {
    /// Returns the resource with `/` before the subresource, as rules name it.
    pub(crate) fn full_resource(&self) -> String {
        match self.subresource.as_str() {
            "" => self.resource.clone(),
            subresource => format!("{}/{subresource}", self.resource),
        }
    }

    /// 403, with the message of kube-apiserver, for a user without the permission.
    pub(crate) fn forbidden(&self, user: &str, reason: &str) -> ApiError {
        let Self {
            verb,
            group,
            namespace,
            ..
        } = self;
        let resource = self.full_resource();
        let scope = match namespace.as_str() {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace {namespace:?}"),
        };
        let denied = format!(
            "User {user:?} cannot {verb} resource {resource:?} in API group {group:?} {scope}"
        );
        let resource = GroupResource::new(group, &self.resource);
        ApiError::forbidden(&resource, &self.name, &explained(denied, reason))
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.full_resource())?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        if !self.namespace.is_empty() {
            write!(f, " in {}", self.namespace)?;
        }
        Ok(())
    }
}

/// Adds the authorizer's reason to a message.
fn explained(denied: String, reason: &str) -> String {
    match reason {
        "" => denied,
        reason => format!("{denied}: {reason}"),
    }
}

/// What a rule may allow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// An access to a resource.
    Resource(&'a Access),
    /// A request for a path that is not of a resource, such as `/version`.
    Path {
        /// The HTTP method in lower case.
        verb: &'a str,
        /// The path.
        path: &'a str,
    },
}

impl<'a> Target<'a> {
    pub(crate) fn verb(&self) -> &'a str {
        match self {
            Self::Resource(access) => &access.verb,
            Self::Path { verb, .. } => verb,
        }
    }

    /// The namespace whose role bindings apply; empty for none.
    pub(crate) fn namespace(&self) -> &'a str {
        match self {
            Self::Resource(access) => &access.namespace,
            Self::Path { .. } => "",
        }
    }

    /// 403, with the message of kube-apiserver.
    pub(crate) fn forbidden(&self, user: &str, reason: &str) -> ApiError {
        match self {
            Self::Resource(access) => access.forbidden(user, reason),
            Self::Path { verb, path } => {
                let denied = format!("User {user:?} cannot {verb} path {path:?}");
                let message = format!("forbidden: {}", explained(denied, reason));
                ApiError::new(403, "Forbidden", message).with_causes(Vec::new())
            }
        }
    }
}
