//! The paths of modules: those that the locations of their files imply, and those of `path`
//! attributes.

use super::modules::{Declared, Module};

/// Moves the modules in files named by `#[path = "…"]` to where they are declared.
pub(super) fn moved(mut modules: Vec<Module>) -> Vec<Module> {
    let moves = Moves::new(&modules.iter().collect::<Vec<_>>());
    if !moves.0.is_empty() {
        for module in &mut modules {
            module.path = moves.target_of(&module.path);
        }
    }
    modules
}

/// The maximum number of `#[path = "…"]` attributes on the way to a file.
const MAX_MOVES: usize = 16;

/// Where files are declared whose location does not say so.
pub(super) struct Moves(Vec<Move>);

struct Move {
    /// The module path implied by the file's location.
    from: Vec<String>,
    /// The path of the module that declares it, implied by the location of that one's file.
    parent: Vec<String>,
    name: String,
}

impl Moves {
    pub(super) fn new(modules: &[&Module]) -> Self {
        // A file that is also declared where it is stays there: programs share it.
        let stays = |path: &[String]| {
            let at = path.split_last();
            at.is_some_and(|(name, parent)| {
                let modules = modules.iter().filter(|module| module.path == parent);
                let mut declared = modules.flat_map(|module| &module.declared);
                declared.any(|it| it.path.is_none() && it.name == *name)
            })
        };
        let mut moves = Vec::new();
        for module in modules {
            let renamed = module.declared.iter().filter(|it| it.path.is_some());
            let moved = renamed.map(|declared| Move {
                from: file_of(module, declared),
                parent: module.path.clone(),
                name: declared.name.clone(),
            });
            moves.extend(moved.filter(|it| !stays(&it.from)));
        }
        // Modules of such a file are in its directory, whatever its name.
        let is_there = |path: &[String]| modules.iter().any(|it| it.path == path);
        for module in modules.iter().filter(|module| module.from_file) {
            let Some((_, folder)) = module.path.split_last() else {
                continue;
            };
            if !moves.iter().any(|it| it.from == module.path) {
                continue;
            }
            for declared in module.declared.iter().filter(|it| it.path.is_none()) {
                let below = |path: &[String]| [path, std::slice::from_ref(&declared.name)].concat();
                if is_there(&below(folder)) && !is_there(&below(&module.path)) {
                    moves.push(Move {
                        from: below(folder),
                        parent: module.path.clone(),
                        name: declared.name.clone(),
                    });
                }
            }
        }
        Self(moves)
    }

    /// Returns the path of the module with a path that is implied by its file's location.
    pub(super) fn target_of(&self, path: &[String]) -> Vec<String> {
        self.target(path, MAX_MOVES)
    }

    fn target(&self, path: &[String], most: usize) -> Vec<String> {
        let found = self.0.iter().find_map(|it| {
            let below = path.strip_prefix(it.from.as_slice())?;
            Some((it, below))
        });
        match (found, most.checked_sub(1)) {
            (Some((it, below)), Some(most)) => {
                let mut target = self.target(&it.parent, most);
                target.push(it.name.clone());
                target.extend_from_slice(below);
                target
            }
            _ => path.to_vec(),
        }
    }
}

/// Returns the module path implied by the location of a declared module's file.
pub(super) fn file_of(module: &Module, declared: &Declared) -> Vec<String> {
    let Some(path) = &declared.path else {
        return module
            .path
            .iter()
            .chain([&declared.name])
            .cloned()
            .collect();
    };
    let is_dir =
        !module.from_file || module.path.is_empty() || module.place.file.ends_with("/mod.rs");
    let parent = module.path.len() - usize::from(!is_dir);
    let mut file = module.path[..parent].to_vec();
    file.extend(module_of(path));
    file
}

/// Returns the module path for a file path relative to the version's directory: `a/b.rs` and
/// `a/b/mod.rs` are `a::b`.
pub(super) fn module_of(path: &str) -> Vec<String> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    stem.split('/')
        .filter(|part| !matches!(*part, "" | "." | "mod"))
        .map(str::to_owned)
        .collect()
}
