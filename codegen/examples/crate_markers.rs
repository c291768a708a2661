//! Writes `role.yaml` and `manifests.yaml` for the rules and webhooks in the files that standard
//! input lists, as controller-gen would, for `hack/parity/accepted.sh`. Arguments: the folder to
//! write to, and `strict` or `controller-gen`.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a program for one script"
)]

use std::{env, error::Error, fs, io, path::Path};

use kube_codegen::diag::Style;
use kube_codegen::{
    Compat, Options, Source, Sources,
    emit::{rbac::roles, webhooks::webhook_configurations},
    options::RoleOptions,
    output::yaml::to_yaml,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().ok_or("no folder")?;
    let compat = match arguments.next().as_deref() {
        Some("strict") => Compat::Strict,
        _ => Compat::ControllerGen,
    };
    let mut marker_files = Vec::new();
    for name in io::stdin().lines() {
        let name = name?;
        marker_files.push(Source::new(name.clone(), fs::read_to_string(name)?));
    }
    marker_files.sort_by(|a, b| a.name.cmp(&b.name));
    let sources = Sources {
        marker_files,
        ..Sources::default()
    };
    let options = Options {
        emit: [].into(),
        compat,
        ..Options::default()
    };
    let generated = match kube_codegen::generate(&sources, &options) {
        Ok(generated) => generated,
        Err(found) => {
            eprintln!("{}", found.render(Style::Plain));
            return Err("the markers have errors".into());
        }
    };
    let api = &generated.api;
    println!("{} {}", api.rules.len(), api.webhooks.len());
    let files = [
        ("role.yaml", roles(api, &RoleOptions::default())),
        ("manifests.yaml", webhook_configurations(api)),
    ];
    for (name, values) in files {
        let documents = values
            .iter()
            .map(|value| format!("---\n{}", to_yaml(value)));
        let text: String = documents.collect();
        if !text.is_empty() {
            fs::write(Path::new(&folder).join(name), text)?;
        }
    }
    Ok(())
}
