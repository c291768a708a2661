//! The table of results: one line per project, and a total.

use std::{collections::BTreeMap, path::Path, time::Duration};

use crate::{
    Result,
    compile::{self, Sent},
    figures::Figures,
    index::Project,
    project::Outcome,
};

/// The maximum number of faults printed per project.
const MOST_FAULTS: usize = 10;

/// The results of one project, or of all.
#[derive(Default)]
pub(crate) struct Row {
    name: String,
    crds: usize,
    generated: usize,
    figures: Figures,
    /// The number of crates that compiled, and of all.
    compiled: [usize; 2],
    samples: [usize; 2],
    made_up: [usize; 2],
    equal: usize,
    seconds: f64,
    faults: Vec<String>,
}

impl Row {
    pub(crate) fn of(
        project: &Project,
        outcome: Result<Outcome>,
        seconds: &BTreeMap<String, f64>,
        programs: &Path,
        output: &Path,
    ) -> Result<Self> {
        let outcome = outcome.unwrap_or_else(|error| Outcome {
            crds: project.crds.len(),
            faults: vec![error.to_string()],
            ..Outcome::default()
        });
        let mut faults = outcome.faults;
        let sent = compile::run(&programs.join(&project.name))?;
        let compiled = usize::from(sent.is_some());
        let Sent {
            samples,
            made_up,
            wrong,
        } = sent.unwrap_or_else(|| {
            faults.push("it did not compile".to_owned());
            Sent::default()
        });
        faults.extend(wrong);
        let seconds = seconds
            .get(&project.name.replace('-', "_"))
            .copied()
            .unwrap_or_default();
        let instances = output.join(&project.name).join("instances.jsonl");
        Ok(Self {
            name: project.name.clone(),
            crds: outcome.crds,
            generated: outcome.generated,
            figures: outcome.figures,
            compiled: [compiled, 1],
            samples: [samples, project.samples.len()],
            made_up: [
                made_up,
                std::fs::read_to_string(instances)
                    .unwrap_or_default()
                    .lines()
                    .count(),
            ],
            equal: outcome.equal,
            seconds: outcome.seconds + seconds,
            faults,
        })
    }

    /// Whether everything passed.
    pub(crate) fn is_good(&self) -> bool {
        let all = |[passed, of]: [usize; 2]| passed == of;
        self.faults.is_empty()
            && all(self.compiled)
            && all(self.samples)
            && all(self.made_up)
            && self.equal == self.crds
    }

    fn add(&mut self, other: &Self) {
        let add = |[a, b]: [usize; 2], [c, d]: [usize; 2]| [a + c, b + d];
        self.crds += other.crds;
        self.generated += other.generated;
        self.figures = self.figures.clone().add(&other.figures);
        self.compiled = add(self.compiled, other.compiled);
        self.samples = add(self.samples, other.samples);
        self.made_up = add(self.made_up, other.made_up);
        self.equal += other.equal;
        self.seconds += other.seconds;
    }

    fn print(&self) {
        let of = |[passed, of]: [usize; 2]| format!("{passed}/{of}");
        println!(
            "{:<44} {:>5} {:>9} {:>10} {:>6} {:>7} {:>7} {:>8} {:>9} {:>11} {:>9} {:>8.1}",
            self.name,
            self.crds,
            self.generated,
            format!("{}%", self.figures.recognised()),
            self.figures.types(),
            self.figures.lines(),
            self.figures.longest(),
            of(self.compiled),
            of(self.samples),
            of(self.made_up),
            of([self.equal, self.crds]),
            self.seconds,
        );
    }
}

/// Prints the rows with a total, followed by the failures.
pub(crate) fn print(rows: &[Row], elapsed: Duration) {
    println!(
        "{:<44} {:>5} {:>9} {:>10} {:>6} {:>7} {:>7} {:>8} {:>9} {:>11} {:>9} {:>8}",
        "project",
        "CRDs",
        "generated",
        "recognised",
        "types",
        "lines",
        "longest",
        "compiled",
        "samples",
        "made-up",
        "CRD equal",
        "seconds"
    );
    let mut total = Row {
        name: "total".to_owned(),
        ..Row::default()
    };
    for row in rows {
        row.print();
        total.add(row);
    }
    total.print();
    for row in rows {
        for fault in row.faults.iter().take(MOST_FAULTS) {
            println!("{}: {fault}", row.name);
        }
        if let Some(more) = row
            .faults
            .len()
            .checked_sub(MOST_FAULTS)
            .filter(|more| *more > 0)
        {
            println!("{}: and {more} more", row.name);
        }
    }
    println!(
        "corpus: {} projects in {:.0} s",
        rows.len(),
        elapsed.as_secs_f64()
    );
}
