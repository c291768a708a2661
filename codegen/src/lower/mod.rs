//! Lowering: builds the model from the readers' output and decides every name.

mod apply_unchanged;
mod bounds;
mod boxes;
mod cascading_errors;
mod conversion;
mod crate_markers;
pub mod crd;
mod empty;
#[cfg(feature = "go")]
pub mod go;
mod maps;
mod methods;
mod object;
mod one_of;
mod paths;
mod presence;
pub mod rust;
mod unions;
mod validation;
mod verbs;

use crate::{
    diag::Diagnostics,
    model::{ApiSet, names},
    options::{Faulty, MapType, Options},
    read::Parsed,
    threads,
};
#[cfg(feature = "go")]
use crate::{options::Filters, read::go::Module};
use cascading_errors::CascadingErrors;

/// Builds the model from everything read, with groups, versions and resources sorted. Also returns
/// the warnings of this stage and of the readers, and the errors of kinds that are skipped.
///
/// Partially read input is lowered as far as possible, so that one run reports the findings of both
/// stages.
///
/// # Errors
///
/// All findings, if at least one is an error.
pub fn lower(read: Parsed, options: &Options) -> Result<(ApiSet, Diagnostics), Diagnostics> {
    let Parsed {
        mut rust,
        rust_crates,
        crds,
        crate_markers,
        owner_write,
        #[cfg(feature = "go")]
        go,
        mut found,
        skipped: _,
    } = read;
    rust.extend(rust::packages(rust_crates, options, &mut found));
    let cascading = CascadingErrors::new(&found, &rust);
    // A partially read package lacks types, and every reference to them would be reported.
    rust.retain(|package| !package.is_partial);
    let mut api = ApiSet::default();
    let mut own = Diagnostics::new();
    rust::lower(&rust, options, &mut api, &mut own);
    let mut skipped = Diagnostics::new();
    if options.faulty == Faulty::Skipped && (found.has_errors() || own.has_errors()) {
        let (mut of_reading, mut of_lowering) = (found.clone(), own.clone());
        let mut errors = of_reading.split_errors();
        errors.extend(of_lowering.split_errors());
        if rust::remove_faulty(&mut rust, &errors) {
            (skipped, found) = (errors, of_reading);
            (api, own) = (ApiSet::default(), Diagnostics::new());
            rust::lower(&rust, options, &mut api, &mut own);
        }
    }
    #[cfg(feature = "go")]
    let has_crds = !crds.is_empty();
    crd::lower(crds, options, &mut api, &mut own);
    crd::declared::apply(&options.crd_fields, &mut api, &mut own);
    #[cfg(feature = "go")]
    lower_go(&go, has_crds, options, &mut api, &mut own);
    sort(&mut api);
    boxes::add(&options.types.boxed, &mut api, &mut own);
    if options.types.map_type == MapType::Hash {
        maps::hash(&mut api);
    }
    unions::find(&mut api);
    let in_packages = rust.iter().map(|package| &package.markers);
    #[cfg(feature = "go")]
    let in_packages = in_packages.chain(go.iter().map(|module| &module.crate_markers));
    let markers = crate_markers::gather(in_packages.chain([&crate_markers]));
    let is_complete = !found.has_errors() && !own.has_errors();
    crate_markers::lower(&markers, options.compat, &mut api, &mut own, is_complete);
    if options.compat.is_strict() {
        crate_markers::owners::check(&api.rules, owner_write.as_ref(), &mut own);
    }
    #[cfg(feature = "go")]
    threads::discard(go);
    found.extend(cascading.without(own));
    if !found.has_errors() {
        empty::warn(&rust, options, &api, &mut found);
    }
    threads::discard(rust);
    let (api, mut found) = found.finish_with_warnings(api)?;
    found.extend(skipped);
    Ok((api, found))
}

/// Lowers Go packages. Next to CRDs, the filters are those of the CRDs, and all kinds of the
/// packages are kept.
#[cfg(feature = "go")]
fn lower_go(
    modules: &[Module],
    has_crds: bool,
    options: &Options,
    api: &mut ApiSet,
    diagnostics: &mut Diagnostics,
) {
    let unfiltered = has_crds.then(|| Options {
        filters: Filters::default(),
        ..options.clone()
    });
    let options = unfiltered.as_ref().unwrap_or(options);
    let mut shared = go::ModuleNames::new(modules, options, api);
    let modules = modules.iter();
    let named =
        modules.flat_map(|module| go::lower(module, &mut shared, options, api, diagnostics));
    let named: go::Named = named.collect();
    check_filters(&named, options, diagnostics);
}

/// Reports filters that select none of the kinds of Go packages.
#[cfg(feature = "go")]
fn check_filters(named: &go::Named, options: &Options, diagnostics: &mut Diagnostics) {
    let groups = named.iter().map(|(group, _)| group.as_str()).collect();
    let kinds = named.iter().map(|(_, kind)| kind.as_str()).collect();
    options.filters.check(&groups, &kinds, diagnostics);
}

/// Sorts groups, versions and packages regardless of input order; a package used by several modules
/// is kept once.
fn sort(api: &mut ApiSet) {
    for group in &mut api.groups {
        let versions = &mut group.versions;
        versions.sort_by(|a, b| names::compare_versions(&a.name, &b.name));
    }
    api.groups.sort_by(|a, b| a.name.cmp(&b.name));
    api.packages
        .sort_by(|a, b| a.import_path.cmp(&b.import_path));
    api.packages.dedup_by(|later, first| {
        let is_same = later.import_path == first.import_path;
        if is_same {
            for def in std::mem::take(&mut later.types) {
                if !first.types.iter().any(|known| known.name == def.name) {
                    first.types.push(def);
                }
            }
        }
        is_same
    });
}
