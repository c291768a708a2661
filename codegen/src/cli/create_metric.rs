//! `kube-codegen create metric`.

use std::path::Path;

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

use crate::{
    config::shown,
    operator::{
        edit::EditError,
        metric::{self, Metric, MetricType, Metrics},
        update::Step,
    },
};

use super::{
    Failure,
    finish::Finish,
    operator::{Files, Project, input_error, refused},
    style::Color,
};

/// Add a metric to the operator's own table, src/metrics.rs.
///
/// Any code of the operator counts with it, and it is served beside the runtime's at /metrics. The
/// first one also gets a test that writes what derives from the table: docs/metrics.md, and a row
/// of panels in the dashboard.
#[derive(Debug, Args)]
pub(super) struct CreateMetric {
    /// The name of its series, such as racks_filled_total.
    name: String,
    /// What it measures: a sum that only grows, a value that also falls, or observations by
    /// buckets.
    #[arg(long = "type", value_name = "TYPE", value_parser = metric_type())]
    kind: MetricType,
    /// The names of its labels. Each of their values is a series: give them few.
    #[arg(long, value_name = "LABEL", value_delimiter = ',')]
    labels: Vec<String>,
    /// What it means, in a few words.
    #[arg(long, value_name = "TEXT")]
    description: String,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

/// Parses the name of a type.
fn metric_type() -> impl TypedValueParser<Value = MetricType> {
    let names = MetricType::ALL.map(|(name, _)| name);
    PossibleValuesParser::new(names).try_map(|name| {
        let mut all = MetricType::ALL.into_iter();
        let found = all.find(|(other, _)| *other == name);
        found.map(|(_, kind)| kind).ok_or("unknown type")
    })
}

/// The error that the table cannot be edited.
pub(super) fn no_table(files: &Files, error: &EditError) -> Failure {
    let path = shown(&files.root().join(Metrics::table()));
    refused(format!("{path} cannot be edited: {error}"))
}

impl CreateMetric {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let metric = Metric {
            name: self.name,
            kind: self.kind,
            labels: self.labels,
            description: self.description,
        };
        input_error(metric.faults())?;
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        let metrics = Metrics(&project.operator);
        if files.text(&Metrics::table())?.is_none() {
            place(&project, metrics, &mut files)?;
        }
        let text = files.text(&Metrics::table())?.unwrap_or_default();
        let edited = |error| no_table(&files, &error);
        if metric::has(&text, &metric.name).map_err(edited)? {
            return Err(refused(format!(
                "{} declares `{}` already",
                shown(&project.root.join(Metrics::table())),
                metric.name
            )));
        }
        let text = metric::add(&text, &metric).map_err(edited)?;
        files.write(Metrics::table(), text);
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        finish.close_with(&format!(
            "Created the metric {}. Next: count with `crate::metrics::{}`, and write docs/metrics.md and the dashboard's row by \
             `UPDATE_GOLDEN=1 cargo test metrics`.\n",
            metric.name,
            metric.constant()
        ))
    }
}

/// Plans the table and what belongs to it.
fn place(project: &Project, metrics: Metrics<'_>, files: &mut Files) -> Result<(), Failure> {
    let new = metrics.files();
    let page = Path::new(Metrics::PAGE);
    let mut taken = Vec::new();
    for path in new.keys().map(AsRef::as_ref).chain([page]) {
        if files.text(path)?.is_some() {
            taken.push(project.taken(path));
        }
    }
    input_error(taken)?;
    files.record(Step::Metrics);
    for (path, text) in new {
        files.write(path, text);
    }
    for edit in &metrics.edits() {
        files.add(edit)?;
    }
    Ok(())
}
