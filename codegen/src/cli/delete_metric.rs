//! `kube-codegen delete metric`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    config::shown,
    operator::metric::{self, Metrics},
};

use super::{
    Failure,
    create_metric::no_table,
    finish::Finish,
    leftovers::{check_unchanged, check_unhooked, check_unused},
    operator::{Files, Project, refused},
    style::Color,
};

/// Remove a metric from the operator's own table, src/metrics.rs.
///
/// With the last one all that the first one brought is removed, and the dashboard is as `init`
/// writes it. The command fails if code still counts with the metric. Nothing is removed unless
/// everything succeeds.
#[derive(Debug, Args)]
pub(super) struct DeleteMetric {
    /// The name of its series.
    name: String,
    /// Remove changed files too.
    #[arg(long)]
    force: bool,
    /// Remove nothing; list what would be removed and written.
    #[arg(long)]
    dry_run: bool,
}

impl DeleteMetric {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let project = Project::read(self.dry_run)?;
        let mut files = project.files();
        let table = Metrics::table();
        let shown_table = shown(&project.root.join(&table));
        let Some(text) = files.text(&table)? else {
            return Err(refused(format!(
                "{shown_table} does not exist: the operator has no metrics of its own"
            )));
        };
        let left = metric::remove(&text, &self.name).map_err(|error| no_table(&files, &error))?;
        if left == text {
            let name = self.name;
            return Err(refused(format!("{shown_table} declares no `{name}`")));
        }
        let metrics = Metrics(&project.operator);
        let is_last = metrics.files().get(&table) == Some(&left);
        files.write(table, left);
        let uses = |_: &Path, text: &str| metric::uses(text, &self.name);
        check_unused(&project, &files, &uses)?;
        let next = match is_last {
            true => {
                take_all(metrics, &mut files, self.force)?;
                ""
            }
            false => " Next: `UPDATE_GOLDEN=1 cargo test metrics`.",
        };
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(project.configs)?.conclude(finish)?;
        finish.close_with(&format!("Deleted the metric {}.{next}\n", self.name))
    }
}

/// Plans the removal of all that the first metric brought.
fn take_all(metrics: Metrics<'_>, files: &mut Files, force: bool) -> Result<(), Failure> {
    let brought = metrics.files();
    let paths: Vec<PathBuf> = brought.keys().cloned().collect();
    if !force {
        check_unchanged(paths.clone(), &[brought], files, "create metric")?;
    }
    for path in paths {
        files.remove(path);
    }
    let edits = metrics.edits();
    for edit in &edits {
        files.take(edit)?;
    }
    check_unhooked(&edits, files)?;
    for (path, without) in metrics.derived() {
        match without {
            _ if files.text(&path)?.is_none() => {}
            Some(text) => files.write(path, text),
            None => files.remove(path),
        }
    }
    Ok(())
}
