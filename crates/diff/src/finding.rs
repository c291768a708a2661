//! What a comparison reports.

use serde_json::Value;

use crate::place::Pointer;
use crate::rules::Rule;

/// Who is hurt by a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// Stored objects: valid before, refused now.
    Stored,
    /// Data: a value that was kept is dropped.
    Data,
    /// Meaning: the same object means something else.
    Meaning,
    /// Writers: what they send is refused.
    Writers,
    /// Readers: an old client meets what its type does not have.
    Readers,
    /// Tools: names, columns and paths that scripts use.
    Tools,
}

impl Who {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [
        Self::Stored,
        Self::Data,
        Self::Meaning,
        Self::Writers,
        Self::Readers,
        Self::Tools,
    ];

    /// The name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored objects",
            Self::Data => "data",
            Self::Meaning => "meaning",
            Self::Writers => "writers",
            Self::Readers => "readers",
            Self::Tools => "tools",
        }
    }
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nobody is hurt.
    Compatible,
    /// Somebody may be hurt: it depends on what clients do, or no witness was found.
    Risk,
    /// Somebody is hurt.
    Incompatible,
}

impl Severity {
    /// The name in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compatible => "compatible",
            Self::Risk => "risk",
            Self::Incompatible => "incompatible",
        }
    }
}

/// An object that shows a harm. Both schemas were run over it.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The object, as a client sends it or as it is stored.
    pub object: Value,
    /// What the old definition makes of it.
    pub before: String,
    /// What the new definition makes of it, with kube-apiserver's message if it refuses it.
    pub after: String,
    /// What becomes of an update of the stored object that leaves the faulty field alone.
    pub update: Option<String>,
}

/// Somebody who is hurt, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Harm {
    /// Who.
    pub who: Vec<Who>,
    /// How grave.
    pub severity: Severity,
    /// The object that shows it.
    pub witness: Option<Witness>,
    /// Why there is no witness, or what else there is to say.
    pub note: String,
}

/// One change, with those whom it hurts.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The kind of change.
    pub rule: &'static Rule,
    /// The CRD's name (`widgets.example.com`).
    pub crd: String,
    /// The version; empty for a change of the definition.
    pub version: String,
    /// The field (`spec.disks[].size`), or the key of the definition.
    pub path: String,
    /// Where the change is in the old CRD, as a JSON pointer; `None` if there is nothing.
    pub old: Option<Pointer>,
    /// Where it is in the new CRD.
    pub new: Option<Pointer>,
    /// What changed, on one line.
    pub message: String,
    /// Those who are hurt; empty if nobody is.
    pub harms: Vec<Harm>,
    /// Why nobody is hurt.
    pub reason: String,
    /// What changes in the generated Rust type; empty if nothing does.
    pub rust: String,
}

impl Finding {
    /// How grave the worst of its harms is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        let all = self.harms.iter().map(|harm| harm.severity);
        all.max().unwrap_or(Severity::Compatible)
    }

    /// Everybody who is hurt, once.
    #[must_use]
    pub fn who(&self) -> Vec<Who> {
        let mut all: Vec<Who> = self
            .harms
            .iter()
            .flat_map(|harm| harm.who.clone())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Harm {
    /// A harm that no object can show, for a stated reason.
    pub(crate) fn stated(
        who: impl Into<Vec<Who>>,
        severity: Severity,
        note: impl Into<String>,
    ) -> Self {
        Self {
            who: who.into(),
            severity,
            witness: None,
            note: note.into(),
        }
    }
}
