//! `kube-apiserver`, with the flags that envtest and tests of other projects pass.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Context, bail};
use embedded_apiserver::{
    ApiServer, Authentication, AuthorizationMode, Builder, Controllers, FeatureGate, ServeOptions,
    VERSION,
};

use super::flags::{Effect, Flag, Given, flag, warn};
use super::{plugins, read, stopped};

#[rustfmt::skip]
const FLAGS: &[Flag] = &[
    flag("secure-port", Effect::Same, "the port to serve HTTPS on"),
    flag("bind-address", Effect::Same, "the address to listen on"),
    flag("cert-dir", Effect::Same, "the folder with apiserver.crt and apiserver.key, unless the files are named"),
    flag("tls-cert-file", Effect::Same, "the file with the certificate, in PEM"),
    flag("tls-private-key-file", Effect::Same, "the file with the private key, in PEM"),
    flag("client-ca-file", Effect::Same, "the file with the authorities of client certificates, in PEM"),
    flag("token-auth-file", Effect::Same, "the file with tokens and their users, in CSV"),
    flag("anonymous-auth", Effect::Same, "whether requests without credentials are answered"),
    flag("authorization-mode", Effect::Same, "RBAC or AlwaysAllow"),
    flag("service-account-issuer", Effect::Same, "the issuer of tokens"),
    flag("service-cluster-ip-range", Effect::Same, "the addresses of services"),
    flag("enable-admission-plugins", Effect::Same, "plugins to turn on, as far as there are any"),
    flag("disable-admission-plugins", Effect::Same, "plugins to turn off, as far as there are any"),
    flag("feature-gates", Effect::Same, "features to turn on or off: ShardedListAndWatch"),
    flag("etcd-servers", Effect::None, "objects are stored in memory"),
    flag("etcd-prefix", Effect::None, "objects are stored in memory"),
    flag("storage-media-type", Effect::None, "objects are stored in memory"),
    flag("service-account-key-file", Effect::None, "tokens are not signed"),
    flag("service-account-signing-key-file", Effect::None, "tokens are not signed"),
    flag("allow-privileged", Effect::None, "privileged pods are always allowed"),
    flag("advertise-address", Effect::None, "the service kubernetes has no endpoints"),
    flag("endpoint-reconciler-type", Effect::None, "the service kubernetes has no endpoints"),
    flag("storage-backend", Effect::None, "objects are stored in memory"),
    flag("max-requests-inflight", Effect::None, "there is no limit"),
    flag("max-mutating-requests-inflight", Effect::None, "there is no limit"),
    flag("enable-priority-and-fairness", Effect::None, "there is no limit"),
    flag("v", Effect::None, "RUST_LOG sets what is logged"),
    flag("vmodule", Effect::None, "RUST_LOG sets what is logged"),
    flag("help", Effect::Same, "print this help"),
    flag("version", Effect::Same, "print the version"),
];

const ABOUT: &str = "A kube-apiserver for envtest: embedded-apiserver, without controllers.";

pub(super) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let given = Given::read(arguments, FLAGS);
    if given.answers(FLAGS, ABOUT, &format!("Kubernetes {VERSION}"))? {
        return Ok(());
    }
    crate::log_to_stderr();
    let server = builder(&given)?.build()?;
    let (address, options) = (address(&given)?, options(&given)?);
    tokio::runtime::Runtime::new()?.block_on(async {
        let serving = server
            .serve_with(address, options)
            .await
            .with_context(|| format!("cannot listen on {address}"))?;
        stopped().await?;
        serving.shutdown().await;
        Ok(())
    })
}

fn builder(given: &Given) -> anyhow::Result<Builder> {
    let mut builder = ApiServer::builder()
        .controllers(Controllers::Envtest)
        .authorization(authorization(given)?)
        .owner_references_permission_enforcement(plugins::owners_are_checked(given));
    if let Some(issuer) = given.last("service-account-issuer") {
        builder = builder.service_account_issuer(issuer);
    }
    for text in given.list("feature-gates") {
        match FeatureGate::parse_setting(text) {
            Ok((gate, on)) => builder = builder.feature_gate(gate, on),
            Err(fault) => warn(&format!("--feature-gates: {text} is ignored: {fault}")),
        }
    }
    let ranges = given.list("service-cluster-ip-range");
    let of_v4 = ranges.iter().find(|range| !range.contains(':'));
    if let Some(range) = of_v4 {
        let (first, bits) = read_range(range).with_context(|| {
            format!(
                "--service-cluster-ip-range: expected a range such as 10.0.0.0/24, not {range:?}"
            )
        })?;
        builder = builder.service_range(first, bits);
    }
    for range in ranges.iter().filter(|range| Some(range) != of_v4.as_ref()) {
        warn(&format!(
            "--service-cluster-ip-range: {range} is ignored: services have addresses of one range, of IPv4"
        ));
    }
    Ok(builder)
}

/// Reads a range that kube-apiserver accepts, from /12 to /29.
fn read_range(text: &str) -> Option<(Ipv4Addr, u32)> {
    let (first, bits) = text.split_once('/')?;
    let bits = bits.parse().ok().filter(|bits| (12..=29).contains(bits))?;
    Some((first.parse().ok()?, bits))
}

/// Modes are asked in turn, and one that allows everything is never asked in vain.
fn authorization(given: &Given) -> anyhow::Result<AuthorizationMode> {
    let modes = given.list("authorization-mode");
    for mode in &modes {
        if !["AlwaysAllow", "RBAC"].contains(mode) {
            warn(&format!("--authorization-mode: {mode} is ignored"));
        }
    }
    match () {
        () if modes.is_empty() || modes.contains(&"AlwaysAllow") => {
            Ok(AuthorizationMode::AlwaysAllow)
        }
        () if modes.contains(&"RBAC") => Ok(AuthorizationMode::Rbac),
        () => bail!(
            "--authorization-mode: expected RBAC or AlwaysAllow, not {}",
            modes.join(",")
        ),
    }
}

fn address(given: &Given) -> anyhow::Result<SocketAddr> {
    let ip = given.last("bind-address").unwrap_or("0.0.0.0");
    let ip: IpAddr = ip
        .parse()
        .with_context(|| format!("--bind-address: expected an IP address, not {ip:?}"))?;
    let port = given.last("secure-port").unwrap_or("6443");
    let port: u16 = port
        .parse()
        .with_context(|| format!("--secure-port: expected a port, not {port:?}"))?;
    Ok(SocketAddr::new(ip, port))
}

fn options(given: &Given) -> anyhow::Result<ServeOptions> {
    let path = |name: &str| given.last(name).map(PathBuf::from);
    let folder = path("cert-dir").unwrap_or_else(|| PathBuf::from("/var/run/kubernetes"));
    let certificate = path("tls-cert-file").unwrap_or_else(|| folder.join("apiserver.crt"));
    let key = path("tls-private-key-file").unwrap_or_else(|| folder.join("apiserver.key"));
    let hint = "name a certificate and its key with --tls-cert-file and --tls-private-key-file, or with --cert-dir";
    let options = ServeOptions::default()
        .tls(
            &read(&certificate).context(hint)?,
            &read(&key).context(hint)?,
        )
        .with_context(|| format!("{} and {}", certificate.display(), key.display()))?;
    Ok(options.authentication(authentication(given)?))
}

fn authentication(given: &Given) -> anyhow::Result<Authentication> {
    let anonymous = given.last("anonymous-auth") != Some("false");
    let mut authentication = Authentication::default().anonymous(anonymous);
    if let Some(file) = given.last("client-ca-file") {
        let pem = read(file.as_ref())?;
        authentication = authentication
            .client_authorities(&pem)
            .with_context(|| format!("--client-ca-file: {file}"))?;
    }
    if let Some(file) = given.last("token-auth-file") {
        let csv = String::from_utf8(read(file.as_ref())?)
            .with_context(|| format!("--token-auth-file: {file}"))?;
        authentication = match authentication.tokens(&csv) {
            Ok(authentication) => authentication,
            Err(line) => bail!(
                "--token-auth-file: {file}:{line}: expected token,name,uid, and groups in quotes"
            ),
        };
    }
    Ok(authentication)
}
