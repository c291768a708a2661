//! Chooses among fields with the same JSON name as Go's encoder does: `dominantField` in
//! encoding/json.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::Field,
    options::Compat,
};

/// A field of a struct, or of a struct embedded in it.
pub(super) struct Candidate {
    /// The depth of embedding.
    pub(super) depth: usize,
    /// Whether its tag specifies the name.
    pub(super) tagged: bool,
    /// The index of the declaring struct, in order of visits.
    pub(super) within: usize,
    /// The position of the declaring struct in the order in which controller-gen merges structs.
    pub(super) merged_at: usize,
    pub(super) place: Place,
    pub(super) field: Field,
}

/// Returns the fields that Go's encoder uses: of those with the same name, the least deeply
/// embedded, and of these the only tagged one. If several are left, it uses none, which is a
/// warning; controller-gen uses one anyway. Fields of structs in `doubled`, which are embedded
/// twice, count twice.
pub(super) fn fields(
    candidates: Vec<Candidate>,
    doubled: &BTreeSet<usize>,
    is_kept: impl Fn(&str) -> bool,
    compat: Compat,
    diagnostics: &mut Diagnostics,
) -> Vec<Field> {
    let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let name = candidate.field.json_name.as_str();
        names.entry(name).or_default().push(index);
    }
    let mut taken = BTreeSet::new();
    for (name, indices) in names {
        let rivals: Vec<_> = indices
            .into_iter()
            .filter_map(|index| Some((index, candidates.get(index)?)))
            .collect();
        let rank = |candidate: &Candidate| (candidate.depth, !candidate.tagged);
        let best = rivals.iter().map(|(_, rival)| rank(rival)).min();
        let rivals: Vec<_> = rivals
            .into_iter()
            .filter(|(_, rival)| Some(rank(rival)) == best)
            .collect();
        let [(first, one), rest @ ..] = rivals.as_slice() else {
            continue;
        };
        if rest.is_empty() && !doubled.contains(&one.within) {
            taken.insert(*first);
            continue;
        }
        let takes_one = !compat.is_strict() || is_kept(name);
        diagnostics.push(ambiguous(
            one,
            rest.last().map(|(_, other)| *other),
            takes_one,
        ));
        if takes_one {
            let of_one_struct = rest.iter().all(|(_, other)| other.within == one.within);
            let last = rest.last().filter(|_| of_one_struct);
            taken.insert(last.map_or(*first, |(last, _)| *last));
        }
    }
    let mut merged = match compat {
        Compat::Strict => BTreeMap::new(),
        Compat::ControllerGen => merged(&candidates),
    };
    let candidates = candidates.into_iter().enumerate();
    let taken = candidates.filter(|(index, _)| taken.contains(index));
    taken
        .map(|(_, candidate)| {
            let mut field = candidate.field;
            field.merged = merged.remove(&field.json_name).unwrap_or_default();
            field
        })
        .collect()
}

/// Returns the fields of each name that several fields have, in the order in which controller-gen
/// merges their schemas.
fn merged(candidates: &[Candidate]) -> BTreeMap<String, Vec<Field>> {
    let mut declared: Vec<&Candidate> = candidates
        .iter()
        .filter(|candidate| !candidate.field.undeclared)
        .collect();
    declared.sort_by_key(|candidate| candidate.merged_at);
    let mut fields: BTreeMap<&str, Vec<&Field>> = BTreeMap::new();
    for candidate in declared {
        let field = &candidate.field;
        fields.entry(&field.json_name).or_default().push(field);
    }
    fields
        .into_iter()
        .filter(|(_, fields)| fields.len() > 1)
        .map(|(name, fields)| (name.to_owned(), fields.into_iter().cloned().collect()))
        .collect()
}

fn ambiguous(one: &Candidate, other: Option<&Candidate>, takes_one: bool) -> Diagnostic {
    let name = &one.field.json_name;
    let message = match other {
        Some(_) => {
            format!("two fields have the JSON name `{name}`, so Go writes and reads neither")
        }
        None => format!(
            "the struct of the field `{name}` is embedded twice, so Go writes and reads neither"
        ),
    };
    let mut found = Diagnostic::warning(message);
    if let Some(other) = other.filter(|other| other.place != one.place) {
        found = found.at(other.place.clone(), "this one");
    }
    let taken = match takes_one {
        true => "one of them is generated, as controller-gen does",
        false => "it is left out",
    };
    found
        .at(one.place.clone(), taken)
        .help("give each field a distinct name with `json:\"…\"`, or embed the struct once")
}
