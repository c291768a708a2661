//! The election settings of a pod, from its environment.

use std::fs;

use rand::RngExt;

use super::LeaderElectionConfig;

/// The file with a pod's namespace.
const NAMESPACE_FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// The file with the host's name on Linux; in a pod, that is the pod's name.
const HOSTNAME_FILE: &str = "/proc/sys/kernel/hostname";

/// A value that is missing from the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeaderElectionEnvError {
    /// The namespace.
    #[error(
        "no namespace for the Lease: set POD_NAMESPACE, or run in a pod with a service account"
    )]
    NoNamespace,
    /// The identity.
    #[error("no identity for the election: set POD_NAME")]
    NoIdentity,
}

impl LeaderElectionConfig {
    /// Creates the settings for the Lease `name` and this process, with the durations of
    /// [`new`](Self::new).
    ///
    /// The namespace is `POD_NAMESPACE`, else that of the pod's service account. The identity is
    /// `POD_NAME`, else the host's name with a random suffix, since several processes of one host
    /// may contend.
    ///
    /// ```no_run
    /// # use codegen_runtime::leader::LeaderElectionConfig;
    /// let election = LeaderElectionConfig::from_env("machine-controller")?;
    /// # Ok::<_, codegen_runtime::leader::LeaderElectionEnvError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The environment lacks the namespace or the identity.
    pub fn from_env(name: impl Into<String>) -> Result<Self, LeaderElectionEnvError> {
        let variable = |name: &str| std::env::var(name).ok();
        let file = |path: &str| fs::read_to_string(path).ok();
        let (namespace, identity) = read(variable, file)?;
        Ok(Self::new(namespace, name, identity))
    }
}

/// Returns namespace and identity.
fn read(
    variable: impl Fn(&str) -> Option<String>,
    file: impl Fn(&str) -> Option<String>,
) -> Result<(String, String), LeaderElectionEnvError> {
    let said = |text: Option<String>| {
        let text = text.unwrap_or_default().trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let namespace = said(variable("POD_NAMESPACE")).or_else(|| said(file(NAMESPACE_FILE)));
    let on_host = || {
        let host = said(variable("HOSTNAME")).or_else(|| said(file(HOSTNAME_FILE)))?;
        Some(format!("{host}_{:016x}", rand::rng().random::<u64>()))
    };
    let identity = said(variable("POD_NAME")).or_else(on_host);
    Ok((
        namespace.ok_or(LeaderElectionEnvError::NoNamespace)?,
        identity.ok_or(LeaderElectionEnvError::NoIdentity)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the settings from the specified variables and files.
    fn check(said: &[(&str, &str)]) -> Result<(String, String), LeaderElectionEnvError> {
        let look = |name: &str| {
            let found = said.iter().find(|(known, _)| *known == name);
            found.map(|(_, text)| (*text).to_owned())
        };
        read(look, look)
    }

    #[test]
    fn a_pod_is_told_by_the_downward_api() {
        let said = [
            ("POD_NAME", "web-0"),
            ("POD_NAMESPACE", "prod"),
            (NAMESPACE_FILE, "other"),
        ];
        assert_eq!(check(&said), Ok(("prod".to_owned(), "web-0".to_owned())));
    }

    #[test]
    fn without_variables_files_tell() {
        let (namespace, identity) = check(&[
            ("POD_NAMESPACE", ""),
            (NAMESPACE_FILE, "prod\n"),
            (HOSTNAME_FILE, "node-1\n"),
        ])
        .expect("both are known");
        assert_eq!(namespace, "prod");
        assert!(identity.starts_with("node-1_"), "{identity}");
        assert_eq!(identity.len(), "node-1_".len() + 16);
    }

    #[test]
    fn two_processes_of_one_host_differ() {
        let said = [("HOSTNAME", "node-1"), ("POD_NAMESPACE", "prod")];
        assert_ne!(check(&said), check(&said));
    }

    #[test]
    fn what_is_missing_is_an_error() {
        let no_namespace = Err(LeaderElectionEnvError::NoNamespace);
        assert_eq!(check(&[("POD_NAME", "web-0")]), no_namespace);
        let no_identity = Err(LeaderElectionEnvError::NoIdentity);
        assert_eq!(check(&[("POD_NAMESPACE", "prod")]), no_identity);
    }
}
