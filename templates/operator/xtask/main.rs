//! The steps from sources to a cluster: `cargo xtask` lists them. They run cargo, docker, kubectl and kube-codegen.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

const NAME: &str = env!("CARGO_PKG_NAME");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The folder of the operator.
const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

const CRDS: &str = "config/crd.yaml";
const MANIFEST: &str = "dist/install.yaml";

/// What `undeploy` leaves in the cluster.
const KEPT: [&str; 2] = ["kind: CustomResourceDefinition", "kind: Namespace"];

struct Step {
    name: &'static str,
    docs: &'static str,
    run: fn(&Options) -> Result<(), String>,
}

#[rustfmt::skip]
const STEPS: [Step; 10] = [
    Step { name: "play", docs: "run the operator on an API server of its own, without a cluster", run: play },
    Step { name: "dev", docs: "run the operator on this machine against the current cluster, with webhooks; --host HOST is where the cluster reaches it", run: dev },
    Step { name: "e2e", docs: "run the end-to-end tests on an API server of their own, or with --cluster on the current cluster", run: e2e },
    Step { name: "install", docs: "install or update the CRDs in the current cluster", run: install },
    Step { name: "uninstall", docs: "delete the CRDs, and with them all objects of their kinds; needs --yes", run: uninstall },
    Step { name: "image", docs: "build the image; with --push, push it", run: image },
    Step { name: "deploy", docs: "deploy the operator with its CRDs", run: deploy },
    Step { name: "undeploy", docs: "delete the operator; CRDs, their objects and the namespace stay", run: undeploy },
    Step { name: "chart", docs: "write the Helm chart to dist/chart", run: |options| package("chart", options) },
    Step { name: "bundle", docs: "write the OLM bundle to dist/bundle", run: |options| package("bundle", options) },
];

struct Options {
    image: String,
    host: String,
    cluster: bool,
    push: bool,
    yes: bool,
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(step) = STEPS.iter().find(|step| step.name == name) else {
        eprintln!("cargo xtask STEP [--image IMAGE] [--push] [--yes] [--host HOST] [--cluster]\n");
        for Step { name, docs, .. } in STEPS {
            eprintln!("  {name:<10} {docs}");
        }
        eprintln!("\nThe image is $IMAGE unless set, else {NAME}:{VERSION}.");
        return ExitCode::from(2);
    };
    match Options::read(arguments).and_then(|options| (step.run)(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("cargo xtask {name}: {message}");
            ExitCode::FAILURE
        }
    }
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            image: env::var("IMAGE").unwrap_or_else(|_| format!("{NAME}:{VERSION}")),
            host: "localhost".to_owned(),
            cluster: false,
            push: false,
            yes: false,
        };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--image" => options.image = arguments.next().ok_or("--image needs a name")?,
                "--host" => options.host = arguments.next().ok_or("--host needs a name")?,
                "--cluster" => options.cluster = true,
                "--push" => options.push = true,
                "--yes" => options.yes = true,
                other => return Err(format!("unknown argument {other}")),
            }
        }
        Ok(options)
    }
}

fn play(_: &Options) -> Result<(), String> {
    run("cargo", &["run", "--bin", NAME, "--", "demo"])
}

fn dev(options: &Options) -> Result<(), String> {
    let host = &options.host;
    run(
        "cargo",
        &["run", "--bin", NAME, "--", "dev", "--host", host],
    )
}

fn e2e(options: &Options) -> Result<(), String> {
    let mut cargo = command("cargo", &["test", "--test", "operator", "end_to_end"]);
    cargo.env("E2E_HOST", &options.host);
    if options.cluster {
        cargo.env("E2E_CLUSTER", "true");
    }
    ended("cargo", started("cargo", cargo.status())?.success())
}

fn install(_: &Options) -> Result<(), String> {
    run("kubectl", &["apply", "--server-side", "-f", CRDS])
}

fn uninstall(options: &Options) -> Result<(), String> {
    if !options.yes {
        return Err("this deletes all objects of the operator's kinds: add --yes".to_owned());
    }
    run("kubectl", &["delete", "--ignore-not-found", "-f", CRDS])
}

fn image(options: &Options) -> Result<(), String> {
    run("docker", &["build", "-t", &options.image, "."])?;
    match options.push {
        true => run("docker", &["push", &options.image]),
        false => Ok(()),
    }
}

fn deploy(options: &Options) -> Result<(), String> {
    package("install", options)?;
    run("kubectl", &["apply", "--server-side", "-f", MANIFEST])
}

fn undeploy(options: &Options) -> Result<(), String> {
    package("install", options)?;
    let path = format!("{FOLDER}/{MANIFEST}");
    let manifest = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let is_kept = |object: &&str| object.lines().any(|line| KEPT.contains(&line));
    let objects: Vec<&str> = manifest
        .split("\n---\n")
        .filter(|it| !is_kept(it))
        .collect();
    let mut kubectl = command("kubectl", &["delete", "--ignore-not-found", "-f", "-"]);
    let mut child = started("kubectl", kubectl.stdin(Stdio::piped()).spawn())?;
    if let Some(mut input) = child.stdin.take() {
        let written = input.write_all(objects.join("\n---\n").as_bytes());
        written.map_err(|error| format!("kubectl: {error}"))?;
    }
    ended("kubectl", started("kubectl", child.wait())?.success())
}

/// Writes one of the packages. `KUBE_CODEGEN` names another program.
fn package(format: &str, options: &Options) -> Result<(), String> {
    let program = env::var("KUBE_CODEGEN").unwrap_or_else(|_| "kube-codegen".to_owned());
    let arguments = ["package", "--format", format, "--image", &options.image];
    run(&program, &arguments)
}

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(FOLDER);
    command
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let status = started(program, command(program, arguments).status())?;
    ended(program, status.success())
}

fn started<T>(program: &str, result: std::io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("cannot run {program}: {error}"))
}

fn ended(program: &str, succeeded: bool) -> Result<(), String> {
    match succeeded {
        true => Ok(()),
        false => Err(format!("{program} failed")),
    }
}
