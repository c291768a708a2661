//! Selects the cluster that a program talks to.

use std::path::Path;

use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use super::AppError;

/// Returns the configuration of the cluster that the flags specify, else of the one in the
/// environment.
pub(super) async fn config(
    kubeconfig: Option<&Path>,
    master: Option<&str>,
) -> Result<Config, AppError> {
    let mut config = match (kubeconfig, master) {
        (Some(path), _) => read(path).await?,
        (None, Some(master)) => match Config::infer().await {
            Ok(config) => config,
            Err(_) => Config::new(parse_url(master)?),
        },
        (None, None) => Config::infer().await.map_err(AppError::NoCluster)?,
    };
    if let Some(master) = master {
        config.cluster_url = parse_url(master)?;
    }
    Ok(config)
}

async fn read(path: &Path) -> Result<Config, AppError> {
    let unusable = |source| AppError::Kubeconfig {
        path: path.to_owned(),
        source,
    };
    let kubeconfig = Kubeconfig::read_from(path).map_err(|source| AppError::ReadKubeconfig {
        path: path.to_owned(),
        source,
    })?;
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(unusable)
}

fn parse_url(master: &str) -> Result<http::Uri, AppError> {
    let url: http::Uri = master
        .parse()
        .map_err(|_| AppError::Master(master.to_owned()))?;
    if url.scheme().is_none() {
        return Err(AppError::Master(master.to_owned()));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_master_is_a_url() {
        assert!(parse_url("https://127.0.0.1:6443").is_ok());
        for text in ["", "127.0.0.1:6443", "a b"] {
            assert!(parse_url(text).is_err(), "{text:?}");
        }
    }
}
