//! The files of a crate that belong to it: those whose modules are declared, as rustc finds them.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    file::FileItems,
    modules::{ANY_MODULE, Module},
    moves::Moves,
};
use crate::source::Source;

/// Removes files that no module declares, unless the crate's own file is not among them. Returns
/// the names of those that declare kinds.
pub(super) fn undeclared(
    files: &mut Vec<(&Source, FileItems)>,
    is_wanted: &dyn Fn(&Source) -> bool,
    is_named_program: &dyn Fn(&Source) -> bool,
) -> Vec<Arc<str>> {
    let modules = files.iter().flat_map(|(_, items)| &items.modules);
    let modules: Vec<&Module> = modules.collect();
    if !modules.iter().any(|module| module.path.is_empty()) {
        return Vec::new();
    }
    let moves = Moves::new(&modules);
    let place = |module: &Module| moves.target_of(&module.path);
    let mut declared: BTreeSet<Vec<String>> = BTreeSet::from([Vec::new()]);
    let mut is_declared = vec![false; files.len()];
    loop {
        let mut is_settled = true;
        for ((file, items), is_declared) in files.iter().zip(&mut is_declared) {
            let Some(own) = items.modules.first().filter(|_| !*is_declared) else {
                continue;
            };
            let path = place(own);
            let is_named = is_named_program(file);
            let is_root = is_named || is_program(&path) || is_wanted(file);
            if !is_root && !is_in(&declared, &path) {
                continue;
            }
            (*is_declared, is_settled) = (true, false);
            for module in &items.modules {
                let mut path = place(module);
                if is_named && module.from_file {
                    // The modules of a program's own file are beside it.
                    path.pop();
                }
                let names = module.declared.iter().map(|it| &it.name);
                for name in names.chain(&module.in_macros) {
                    declared.insert([path.as_slice(), std::slice::from_ref(name)].concat());
                }
            }
        }
        if is_settled {
            break;
        }
    }
    let mut left_out = Vec::new();
    let mut is_declared = is_declared.into_iter();
    files.retain(|(file, items)| {
        let is_declared = is_declared.next().unwrap_or(true);
        if !is_declared && items.items.iter().any(|item| item.kube.is_some()) {
            left_out.push(Arc::from(file.name.as_str()));
        }
        is_declared
    });
    left_out
}

/// Whether a module is declared, or below one in which a macro declares any.
fn is_in(declared: &BTreeSet<Vec<String>>, path: &[String]) -> bool {
    let any = || {
        let (_, parent) = path.split_last()?;
        Some([parent, &[ANY_MODULE.to_owned()]].concat())
    };
    declared.contains(path) || any().is_some_and(|any| declared.contains(&any))
}

/// Whether a module belongs to a program in `src/bin`, a crate of its own.
fn is_program(path: &[String]) -> bool {
    path.len() > 1 && path.first().is_some_and(|first| first == "bin")
}
