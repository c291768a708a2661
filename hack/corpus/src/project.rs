//! One project: its crate of types, its regenerated CRDs, and the objects that are round-tripped
//! through the types.

use std::{fs, path::Path, time::Instant};

use kube_codegen::{
    Diagnostics, Generated, Manifests, Options, Source, Sources, diag::Style, model::ApiSet,
    options::Faulty,
};
use serde_json::Value;

use crate::{
    Result, equal,
    figures::Figures,
    index::Project,
    instances::{self, Case},
    options, write, write_crate,
};

/// The result of a project.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) crds: usize,
    /// The CRDs whose types were generated, or that need none.
    pub(crate) generated: usize,
    /// The regenerated CRDs that are equivalent to the original.
    pub(crate) equal: usize,
    pub(crate) figures: Figures,
    pub(crate) seconds: f64,
    /// The failures, ready to print.
    pub(crate) faults: Vec<String>,
}

/// Generates the crate of a project. A CRD that fails is reported, and does not affect others.
pub(crate) fn generate(corpus: &Path, output: &Path, project: &Project) -> Result<Outcome> {
    let mut outcome = Outcome {
        crds: project.crds.len(),
        ..Outcome::default()
    };
    let mut sources = Sources::default();
    for path in &project.crds {
        sources.crds.push(Source::new(
            path.clone(),
            fs::read_to_string(corpus.join(path))?,
        ));
    }
    let start = Instant::now();
    let generated = match kube_codegen::generate(&sources, &writing()) {
        Ok(generated) => generated,
        Err(errors) => {
            outcome.faults.push(errors.render(Style::Plain));
            sources.crds = one_by_one(sources.crds, &mut outcome.faults);
            kube_codegen::generate(&sources, &writing()).map_err(rendered)?
        }
    };
    outcome.seconds = start.elapsed().as_secs_f64();
    let Generated {
        api,
        files,
        manifests,
        skipped,
        ..
    } = generated;
    if !skipped.as_slice().is_empty() {
        outcome.faults.push(skipped.render(Style::Plain));
    }
    let mut made_up = Vec::new();
    for source in &sources.crds {
        let crd = match parse(&source.text) {
            Ok(crd) => crd,
            Err(error) => {
                outcome.faults.push(format!("{}: {error}", source.name));
                continue;
            }
        };
        let names = &crd["spec"];
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let path = format!(
            "crds/{}_{}.yaml",
            name(&names["group"]),
            name(&names["names"]["plural"])
        );
        let written = match manifests.get(Path::new(&path)) {
            Some(text) => Some(text.clone()),
            None => unserved(source),
        };
        let Some(written) = written else {
            outcome.faults.push(format!("{}: not written", source.name));
            continue;
        };
        outcome.generated += 1;
        let differences = equal::differences(&crd, &parse(&written)?);
        if differences.is_empty() {
            outcome.equal += 1;
        } else {
            outcome
                .faults
                .push(format!("{}: {}", source.name, differences.join("; ")));
        }
        add_instances(&crd, &api, &mut made_up);
    }
    write_crate(output, corpus, project, &api, &files)?;
    write(
        &output.join(&project.name).join("instances.jsonl"),
        &made_up.concat(),
    )?;
    outcome.figures = Figures::of(outcome.crds, &api, &files);
    Ok(outcome)
}

/// Returns the options to generate types and CRDs, leaving out CRDs with errors.
fn writing() -> Options {
    let manifests = Manifests {
        crds: Some("crds".to_owned()),
        roles: None,
        webhooks: None,
        ..Manifests::default()
    };
    Options {
        faulty: Faulty::Skipped,
        manifests: Some(manifests),
        ..options()
    }
}

fn rendered(errors: Diagnostics) -> String {
    errors.render(Style::Plain)
}

/// Returns the sources that can be generated individually, and reports the others.
fn one_by_one(sources: Vec<Source>, faults: &mut Vec<String>) -> Vec<Source> {
    let passes = |source: &Source| {
        let alone = Sources {
            crds: vec![source.clone()],
            ..Sources::default()
        };
        match kube_codegen::generate(&alone, &writing()) {
            Ok(_) => true,
            Err(errors) => {
                faults.push(errors.render(Style::Plain));
                false
            }
        }
    };
    sources.into_iter().filter(passes).collect()
}

/// Regenerates a CRD that has no served version. Its types must be requested with a filter.
fn unserved(source: &Source) -> Option<String> {
    let mut options = writing();
    options.filters.unserved = true;
    let alone = Sources {
        crds: vec![source.clone()],
        ..Sources::default()
    };
    let generated = kube_codegen::generate(&alone, &options).ok()?;
    generated.manifests.into_values().next()
}

/// Adds a line for each random object of each version that has types.
fn add_instances(crd: &Value, api: &ApiSet, lines: &mut Vec<String>) {
    let spec = &crd["spec"];
    let (Some(group), Some(kind)) = (spec["group"].as_str(), spec["names"]["kind"].as_str()) else {
        return;
    };
    for version in spec["versions"].as_array().into_iter().flatten() {
        let name = version["name"].as_str().unwrap_or_default();
        let mut versions = api.versions();
        let has_types = versions.any(|(of, version)| {
            of.name == group
                && version.name == name
                && version.resources.iter().any(|one| one.kind == kind)
        });
        if has_types {
            let api_version = format!("{group}/{name}");
            let object = |case| {
                instances::object(
                    &api_version,
                    kind,
                    &version["schema"]["openAPIV3Schema"],
                    case,
                )
            };
            lines.extend(Case::ALL.map(|case| format!("{case:?}\t{}\n", object(case))));
        }
    }
}

/// Parses a YAML document as Go does.
pub(crate) fn parse(text: &str) -> Result<Value> {
    let mut text = text.to_owned();
    loop {
        let options = serde_saphyr::options! { legacy_octal_numbers: true, budget: None };
        let error = match serde_saphyr::from_str_with_options(&text, options) {
            Ok(value) => return Ok(value),
            Err(error) => error.to_string(),
        };
        text = indented(&text, &error).ok_or(error)?;
    }
}

/// Indents the line that an error is about: Go allows any indentation of lines in a quoted scalar,
/// and folds them.
fn indented(text: &str, error: &str) -> Option<String> {
    let message = error.lines().next()?;
    let rest = message
        .contains("invalid indentation in multiline quoted scalar")
        .then_some(message)?;
    let number = rest.split_once("line ")?.1.split(' ').next()?;
    let at = number.parse::<usize>().ok()?.checked_sub(1)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.get_mut(at)?.insert_str(0, "          ");
    Some(lines.join("\n") + "\n")
}
