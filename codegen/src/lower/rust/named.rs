//! Constants and functions by path, as far as their values are read.

use std::{borrow::Cow, collections::BTreeMap};

use crate::read::rust::Modules;

/// Values by name, or by type and name (`Type::name`), each with the index of its module.
type Table<V> = BTreeMap<String, Vec<(usize, V)>>;

/// Returns the value at a path as seen from a module: of the module or type in the path, else of
/// the module itself, else the only one; all of the crate that the path leads to, else of any.
pub(super) fn find<'t, V>(
    modules: &Modules,
    table: &'t Table<V>,
    (module, path): (usize, &[String]),
    is_same: fn(&V, &V) -> bool,
) -> Option<&'t (usize, V)> {
    let path_of = |module| path_of(modules, module);
    let path = imported(modules, module, path);
    let linked = path.first();
    let linked = linked.and_then(|head| modules.linked(path_of(module), head));
    let (path, from) = match &linked {
        Some(root) => (&path[1..], root.as_slice()),
        None => (&*path, modules.crate_of(path_of(module))),
    };
    let (name, before) = path.split_last()?;
    let parent = before.last().map(String::as_str);
    let is_type = |name: &str| name.starts_with(char::is_uppercase);
    let found = match parent {
        Some(ty) if is_type(ty) => table.get(&format!("{ty}::{name}"))?,
        _ => table.get(name)?,
    };
    let is_there = |at: usize| modules.crate_of(path_of(at)) == from;
    let there: Vec<_> = found.iter().filter(|(at, _)| is_there(*at)).collect();
    let found = match there.is_empty() && linked.is_none() {
        true => found.iter().collect(),
        false => there,
    };
    let is_above =
        linked.is_some() && before.is_empty() || matches!(parent, Some("crate" | "super"));
    let named = parent.filter(|&name| !is_above && name != "self" && !is_type(name));
    let mut own = found.iter().filter(|(at, _)| match named {
        _ if is_above => false,
        None => *at == module,
        Some(parent) => path_of(*at).last().is_some_and(|last| last == parent),
    });
    match own.next() {
        Some(value) => Some(value),
        // It is in a module that was not read.
        None if named.is_some() => None,
        None => {
            let first = found.first()?;
            let mut found = found.iter();
            found
                .all(|other| is_same(&other.1, &first.1))
                .then_some(first)
        }
    }
}

/// Replaces the head of the path with its import in the module, if any.
fn imported<'p>(modules: &Modules, module: usize, path: &'p [String]) -> Cow<'p, [String]> {
    let uses = modules.get(module).map(|found| &found.uses);
    let import = path.split_first().and_then(|(head, rest)| {
        let mut uses = uses?.iter();
        let import = uses.find(|import| import.name.as_ref() == Some(head))?;
        Some(import.path.iter().chain(rest).cloned().collect())
    });
    import.map_or(Cow::Borrowed(path), Cow::Owned)
}

fn path_of(modules: &Modules, module: usize) -> &[String] {
    let module = modules.get(module);
    module.map_or(&[], |module| module.path.as_slice())
}
