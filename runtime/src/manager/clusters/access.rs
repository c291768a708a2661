//! How a cluster is reached.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::connect::ClientOptions;

/// How to reach a cluster: a kubeconfig, or a client. Clones are the same, and so are kubeconfigs
/// with the same text. `Debug` shows no secrets.
#[derive(Clone)]
pub struct Access(Arc<Way>);

enum Way {
    Kubeconfig(String, Trust),
    Client(Client),
}

/// Whether a kubeconfig may name programs and files of this process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Full,
    SelfContained,
}

/// A kubeconfig from a Secret names programs or files of the process that would read it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the kubeconfig has `{0}`, which names a program or a file of this process: put the credentials themselves into it"
)]
pub struct NotSelfContained(pub &'static str);

impl Access {
    /// The current context of a kubeconfig, which may name files, and programs to run: it must come
    /// from somebody who may do this.
    pub fn kubeconfig(yaml: impl Into<String>) -> Self {
        Self(Arc::new(Way::Kubeconfig(yaml.into(), Trust::Full)))
    }

    /// The current context of a kubeconfig that must contain all that it needs. With a program or
    /// a file in it, engaging the cluster fails with [`NotSelfContained`]: whoever may write a
    /// Secret could otherwise run programs in this process's container, and read its files.
    pub fn self_contained_kubeconfig(yaml: impl Into<String>) -> Self {
        Self(Arc::new(Way::Kubeconfig(yaml.into(), Trust::SelfContained)))
    }

    /// A client.
    pub fn client(client: Client) -> Self {
        Self(Arc::new(Way::Client(client)))
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&*self.0, &*other.0) {
            (Way::Kubeconfig(yaml, trust), Way::Kubeconfig(other, others)) => {
                (yaml, trust) == (other, others)
            }
            _ => Arc::ptr_eq(&self.0, &other.0),
        }
    }

    pub(super) async fn connect(
        &self,
        options: &ClientOptions,
    ) -> Result<Client, Box<dyn Error + Send + Sync>> {
        let (yaml, trust) = match &*self.0 {
            Way::Client(client) => return Ok(client.clone()),
            Way::Kubeconfig(yaml, trust) => (yaml, *trust),
        };
        let kubeconfig = Kubeconfig::from_yaml(yaml)?;
        if trust == Trust::SelfContained {
            check_self_contained(&kubeconfig)?;
        }
        let context = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &context).await?;
        Ok(options.connect(config)?)
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &*self.0 {
            Way::Kubeconfig(..) => "Access::Kubeconfig",
            Way::Client(_) => "Access::Client",
        })
    }
}

fn check_self_contained(kubeconfig: &Kubeconfig) -> Result<(), NotSelfContained> {
    let users = kubeconfig.auth_infos.iter();
    let outside = users
        .filter_map(|user| user.auth_info.as_ref())
        .find_map(outside);
    let clusters = kubeconfig.clusters.iter();
    let mut clusters = clusters.filter_map(|cluster| cluster.cluster.as_ref());
    let authority = clusters.any(|cluster| cluster.certificate_authority.is_some());
    match outside.or(authority.then_some("certificate-authority")) {
        Some(field) => Err(NotSelfContained(field)),
        None => Ok(()),
    }
}

/// Returns the field that refers to something outside of the kubeconfig.
fn outside(user: &AuthInfo) -> Option<&'static str> {
    let fields = [
        ("exec", user.exec.is_some()),
        ("auth-provider", user.auth_provider.is_some()),
        ("tokenFile", user.token_file.is_some()),
        ("client-certificate", user.client_certificate.is_some()),
        ("client-key", user.client_key.is_some()),
    ];
    fields.iter().find_map(|(name, has)| has.then_some(*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kubeconfig(user: &str) -> String {
        format!(
            r#"{{"clusters": [{{"name": "a", "cluster": {{"server": "http://127.0.0.1:1"}}}}],
            "users": [{{"name": "a", "user": {user}}}], "current-context": "a",
            "contexts": [{{"name": "a", "context": {{"cluster": "a", "user": "a"}}}}]}}"#
        )
    }

    #[tokio::test]
    async fn a_kubeconfig_from_a_secret_names_no_programs_and_no_files() {
        let options = ClientOptions::new();
        for (user, field) in [
            (
                r#"{"exec": {"command": "sh", "apiVersion": "client.authentication.k8s.io/v1"}}"#,
                "exec",
            ),
            (r#"{"tokenFile": "/etc/passwd"}"#, "tokenFile"),
            (r#"{"client-key": "/etc/passwd"}"#, "client-key"),
        ] {
            let access = Access::self_contained_kubeconfig(kubeconfig(user));
            let error = access.connect(&options).await.err().unwrap();
            let expected = NotSelfContained(field);
            assert_eq!(error.downcast_ref::<NotSelfContained>(), Some(&expected));
        }
        let access = Access::self_contained_kubeconfig(kubeconfig(r#"{"token": "t"}"#));
        assert!(access.connect(&options).await.is_ok());
    }

    #[test]
    fn kubeconfigs_with_one_text_are_the_same_and_print_no_secrets() {
        let access = Access::kubeconfig("token: hunter2");
        assert!(access.is_same(&Access::kubeconfig("token: hunter2")));
        assert!(!access.is_same(&Access::kubeconfig("token: other")));
        assert!(!access.is_same(&Access::self_contained_kubeconfig("token: hunter2")));
        assert_eq!(format!("{access:?}"), "Access::Kubeconfig");
    }
}
