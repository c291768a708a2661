//! RBAC assertions: checks that a client's requests are covered by its roles, and finds unused
//! permissions.
//!
//! By default the server allows everything, so a controller that lacks a permission would pass its
//! tests and fail on a cluster. [`Roles`] checks its recorded requests afterwards, with the rules
//! of kube-apiserver's RBAC authorizer. Requests are told apart by user: [`ApiServer::client_as`]
//! returns a client for a user; over HTTP, use `Impersonate-User`.
//!
//! A write that sets `blockOwnerDeletion` needs `update` on the owner's `finalizers`, as the
//! admission plugin `OwnerReferencesPermissionEnforcement` demands.
//!
//! For a test with one server, [`assert_rbac`] is enough.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use parking_lot::Mutex;
use serde_json::Value;

use crate::ApiServer;
use crate::rbac::access::Access;
use crate::rbac::rules::{self, texts};
use crate::testing::recorder::Action;

/// Why a YAML string is not a list of roles.
#[derive(Debug, thiserror::Error)]
pub enum RolesError {
    /// The string is not valid YAML.
    #[error("invalid YAML: {0}")]
    Yaml(String),
    /// A document is neither a ClusterRole nor a Role.
    #[error("document {index} is a {kind}, expected a ClusterRole or a Role")]
    Kind {
        /// The number of the document, from 1.
        index: usize,
        /// The kind of the document.
        kind: String,
    },
    /// A Role without a namespace.
    #[error("Role {0:?}: metadata.namespace is required")]
    NoNamespace(String),
    /// The strings contain no role.
    #[error("no roles: expected a ClusterRole or a Role")]
    Empty,
}

/// A permission of a role: one verb on one resource of one group.
///
/// Displayed as `list pods` or `patch deployments/scale.apps in shop`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The API group; empty for the core group, `*` for every group.
    pub group: String,
    /// The resource, with `/` before a subresource; `*` for every resource.
    pub resource: String,
    /// The verb; `*` for every verb.
    pub verb: String,
    /// The namespace of the Role; empty for a ClusterRole, which is assumed to be bound
    /// cluster-wide.
    pub namespace: String,
    /// The object names that the permission is restricted to; empty for all names.
    pub names: Vec<String>,
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        if !self.names.is_empty() {
            write!(f, " named {}", self.names.join(", "))?;
        }
        if !self.namespace.is_empty() {
            write!(f, " in {}", self.namespace)?;
        }
        Ok(())
    }
}

impl Grant {
    /// Whether the permission allows an access, by the rules of `rbac.authorization.k8s.io`.
    fn allows(&self, access: &Access) -> bool {
        rules::is_verb(&self.verb, &access.verb)
            && rules::is_group(&self.group, access)
            && rules::is_resource(&self.resource, access)
            && (self.names.is_empty() || self.names.contains(&access.name))
            && (self.namespace.is_empty() || self.namespace == access.namespace)
    }
}

/// Returns what an action needs: its own verb, `create` if an update or patch created the object,
/// and what its owner references imply.
fn accesses(action: &Action) -> Vec<Access> {
    let own = Access::of(action);
    let created = (action.created && action.verb != "create").then(|| Access {
        verb: "create".to_owned(),
        ..own.clone()
    });
    let implied = action.implied.iter().cloned();
    std::iter::once(own).chain(created).chain(implied).collect()
}

/// A set of roles that records which of its permissions were used.
#[derive(Debug)]
pub struct Roles {
    grants: BTreeSet<Grant>,
    used: Mutex<BTreeSet<Grant>>,
}

impl Roles {
    /// Parses ClusterRoles and Roles from YAML strings, each with any number of documents. Rules
    /// for non-resource URLs are ignored, because the server only records requests for objects, and
    /// so are bindings: the roles are the user's.
    ///
    /// # Errors
    /// If a string is not YAML, a document is of another kind, or there is no role.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, RolesError> {
        let mut grants = BTreeSet::new();
        let mut count = 0;
        for text in texts {
            let documents: Vec<Value> = serde_saphyr::from_multiple(text)
                .map_err(|error| RolesError::Yaml(error.to_string()))?;
            for (index, role) in documents.iter().enumerate() {
                let kind = role["kind"].as_str().unwrap_or_default();
                if role.is_null() || kind.ends_with("RoleBinding") {
                    continue;
                }
                count += 1;
                let namespace = namespace_of(role, index + 1)?;
                for rule in role["rules"].as_array().into_iter().flatten() {
                    grants.extend(grants_of(rule, &namespace));
                }
            }
        }
        if count == 0 {
            return Err(RolesError::Empty);
        }
        Ok(Self {
            grants,
            used: Mutex::default(),
        })
    }

    /// Checks all requests of a user so far, and records the permissions they used. Returns the
    /// forbidden requests, without duplicates.
    pub fn forbidden(&self, server: &ApiServer, user: &str) -> Vec<Forbidden> {
        let mut forbidden: BTreeMap<String, Forbidden> = BTreeMap::new();
        let mut used = self.used.lock();
        let actions = server.recorder().actions();
        for action in actions.iter().filter(|action| action.user == user) {
            for access in accesses(action) {
                let allowing: Vec<&Grant> = self
                    .grants
                    .iter()
                    .filter(|grant| grant.allows(&access))
                    .collect();
                if allowing.is_empty() {
                    let entry = forbidden.entry(access.to_string());
                    entry.or_insert_with(|| Forbidden::new(&access)).times += 1;
                }
                used.extend(allowing.into_iter().cloned());
            }
        }
        forbidden.into_values().collect()
    }

    /// Returns the permissions that no checked request used, sorted.
    pub fn unused(&self) -> Vec<Grant> {
        let used = self.used.lock();
        self.grants.difference(&used).cloned().collect()
    }

    /// Asserts that the roles allow all requests of a user so far, and records the permissions they
    /// used.
    ///
    /// # Panics
    /// Panics if a request is forbidden, with the markers that would allow it, and if the user made
    /// no requests, since nothing would be checked.
    #[track_caller]
    pub fn assert_allowed(&self, server: &ApiServer, user: &str) {
        let actions = server.recorder().actions();
        assert!(
            actions.iter().any(|action| action.user == user),
            "`{user}` made no requests: pass a client from `ApiServer::client_as({user:?})` to the code under test"
        );
        let forbidden = self.forbidden(server, user);
        let lines: String = forbidden.iter().map(|it| format!("\n  {it}")).collect();
        assert!(
            forbidden.is_empty(),
            "the roles of `{user}` do not allow its requests:{lines}"
        );
    }
}

/// A kind of request that no role allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    request: String,
    marker: String,
    times: usize,
}

impl Forbidden {
    fn new(access: &Access) -> Self {
        let group = match access.group.as_str() {
            "" => "\"\"",
            group => group,
        };
        Self {
            request: access.to_string(),
            marker: format!(
                "// +kubebuilder:rbac:groups={group},resources={},verbs={}",
                access.full_resource(),
                access.verb
            ),
            times: 0,
        }
    }
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            request,
            marker,
            times,
        } = self;
        let plural = if *times == 1 { "" } else { "s" };
        write!(
            f,
            "{request} ({times} request{plural}); allowed by `{marker}`"
        )
    }
}

/// Asserts that roles allow all requests of a user on a server so far; returns the permissions that
/// were not used.
///
/// ```no_run
/// # async fn test(server: embedded_apiserver::ApiServer) {
/// use embedded_apiserver::assert_rbac;
///
/// let client = server.client_as("my-controller");
/// // … run the controller with that client, and let it do all that it can do …
/// let unused = assert_rbac(&server, "my-controller", ["rules: []"]);
/// assert!(unused.is_empty(), "the role allows more than the controller does: {unused:?}");
/// # }
/// ```
///
/// # Panics
/// Panics if a string is not valid ClusterRoles and Roles, if a request is forbidden (with the
/// markers that would allow it), and if the user made no requests.
#[track_caller]
pub fn assert_rbac<'a>(
    server: &ApiServer,
    user: &str,
    roles: impl IntoIterator<Item = &'a str>,
) -> Vec<Grant> {
    match Roles::parse(roles) {
        Ok(roles) => {
            roles.assert_allowed(server, user);
            roles.unused()
        }
        Err(error) => panic!("invalid roles of `{user}`: {error}"),
    }
}

fn namespace_of(role: &Value, index: usize) -> Result<String, RolesError> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let namespace = text(&role["metadata"]["namespace"]);
    match role["kind"].as_str() {
        Some("ClusterRole") => Ok(String::new()),
        Some("Role") if namespace.is_empty() => {
            Err(RolesError::NoNamespace(text(&role["metadata"]["name"])))
        }
        Some("Role") => Ok(namespace),
        kind => Err(RolesError::Kind {
            index,
            kind: kind.unwrap_or("document without kind").to_owned(),
        }),
    }
}

fn grants_of(rule: &Value, namespace: &str) -> Vec<Grant> {
    let list = |key: &str| -> Vec<String> { texts(rule, key).map(str::to_owned).collect() };
    let mut grants = Vec::new();
    for group in list("apiGroups") {
        for resource in list("resources") {
            for verb in list("verbs") {
                grants.push(Grant {
                    group: group.clone(),
                    resource: resource.clone(),
                    verb,
                    namespace: namespace.to_owned(),
                    names: list("resourceNames"),
                });
            }
        }
    }
    grants
}
