//! Lowers CRDs: each schema is converted to unnamed types, then the types of each version are named
//! together; types with the same shape and the same property become one type.
//!
//! Start reading at [`lower`]; `unnamed` turns a schema into types, `shape` finds identical ones,
//! `unify` names them.

mod at;
mod clients;
pub(super) mod declared;
mod enums;
mod explain;
mod extract;
mod merged;
#[cfg(test)]
mod names_tests;
mod recognise;
mod rename;
mod reserved_names;
mod selection;
mod shape;
mod unify;

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rayon::prelude::*;

pub use self::explain::{Explained, Verdict, explain};
use self::{
    extract::{Gathered, Rest, Unnamed},
    selection::Types,
};
use crate::{
    diag::Diagnostics,
    kubernetes::KubernetesVersion,
    model::{
        ApiSet, CrdRest, CustomMethod, Group, LeftOut, Origin, Resource, VerbSet, Version,
        kind_method, names,
    },
    options::Options,
    read::crd::{Crd, CrdVersion, schema::Schema},
    record::{Outcome, Record},
};

/// A kind in one version, with the schema to be converted.
struct Member<'a> {
    crd: &'a Crd,
    version: &'a CrdVersion,
    schema: Option<Schema>,
    /// The parts of the CRD that its types do not represent.
    rest: Option<Schema>,
}

/// What lowering a version found, besides its types.
#[derive(Default)]
struct Found<'a> {
    names: Outcome<'a>,
    /// See [`Gathered::later`].
    later: Vec<KubernetesVersion>,
}

/// Adds the groups of the CRDs to `api`; kinds, versions and groups are lowered in parallel.
pub fn lower(
    mut crds: Vec<Crd>,
    options: &Options,
    api: &mut ApiSet,
    diagnostics: &mut Diagnostics,
) {
    let renames = rename::Renames::check(&options.renames, &crds, diagnostics);
    let versions = crds.iter_mut().flat_map(|crd| &mut crd.versions);
    let schemas: Vec<Option<Schema>> = versions.map(|version| version.schema.take()).collect();
    let versions = crds
        .iter()
        .flat_map(|crd| crd.versions.iter().map(move |version| (crd, version)));
    let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Member<'_>>>> = BTreeMap::new();
    for ((crd, version), schema) in versions.zip(schemas) {
        groups
            .entry(&crd.group)
            .or_default()
            .entry(&version.name)
            .or_default()
            .push(Member {
                crd,
                version,
                schema,
                rest: None,
            });
    }
    let record = options.record.as_deref();
    let none = BTreeMap::new();
    let recorded = record.map_or(&none, Record::modules);
    let modules = names::module_names(groups.keys().copied(), recorded);
    let groups = groups.into_par_iter().map(|(name, versions)| {
        let module = modules
            .get(name)
            .cloned()
            .unwrap_or_else(|| names::qualified_module_name(name));
        let lowered: Vec<(Version, Found<'_>)> = versions
            .into_par_iter()
            .map(|(version, members)| lower_version(version, members, &module, options, &renames))
            .collect();
        let (mut versions, found): (Vec<_>, Vec<_>) = lowered.into_iter().unzip();
        versions.sort_by(|a, b| names::compare_versions(&a.name, &b.name));
        let group = Group {
            name: name.to_owned(),
            module,
            type_prefix: names::go_name(name),
            versions,
        };
        (group, found)
    });
    let groups: Vec<(Group, Vec<Found<'_>>)> = groups.collect();
    let mut later = Vec::new();
    for (group, found) in groups {
        api.groups.push(group);
        for found in found {
            later.extend(found.later);
            if let Some(record) = record {
                found.names.report(record, diagnostics);
            }
        }
    }
    if let Some(hint) = selection::hint(&later) {
        diagnostics.push(hint);
    }
}

fn lower_version<'a>(
    name: &str,
    mut members: Vec<Member<'_>>,
    group_module: &str,
    options: &'a Options,
    renames: &rename::Renames<'a>,
) -> (Version, Found<'a>) {
    let (mut types, mut found) = gather(name, &mut members, options, renames);
    let oldest: BTreeMap<&str, &str> = members
        .iter()
        .filter_map(|member| Some((member.crd.kind.as_str(), oldest_version(member.crd)?)))
        .collect();
    unify::sort(&mut types, |a, b| match (oldest.get(a), oldest.get(b)) {
        (Some(a), Some(b)) => names::compare_versions(b, a),
        _ => Ordering::Equal,
    });
    let reserved = members
        .iter()
        .map(|member| names::upper_camel(&member.crd.list_kind))
        .collect::<BTreeSet<_>>();
    let constraints = unify::Constraints {
        reserved: &reserved,
        pinned: renames.names(),
        aliases: options.aliases,
    };
    let types = unify::unify(types, &constraints, &mut found.names.renamed);
    let roots: BTreeMap<&str, &str> = types
        .iter()
        .map(|def| (def.path.as_str(), def.name.as_str()))
        .collect();
    let mut resources: Vec<Resource> = members
        .iter_mut()
        .map(|member| {
            let resource = lower_resource(member.crd, member.version, &roots);
            let rest = member.rest.take().map(|schema| CrdRest {
                schema,
                left_out: left_out(member.crd),
            });
            Resource { rest, ..resource }
        })
        .collect();
    clients::tell_apart(&mut resources);
    let module = names::version_module(name);
    let version = Version {
        name: name.to_owned(),
        path: format!(
            "{}::apis::{}::{}",
            options.base_path,
            names::ident(group_module),
            names::ident(&module)
        ),
        dir: format!("apis/{group_module}/{module}"),
        module,
        docs: String::new(),
        origin: Origin::Crd,
        reexported: false,
        resources,
        types,
    };
    (version, found)
}

/// Splits the schemas of a version's kinds into types without names.
fn gather<'a>(
    name: &str,
    members: &mut [Member<'_>],
    options: &'a Options,
    renames: &rename::Renames<'a>,
) -> (Vec<Unnamed<'a>>, Found<'a>) {
    let rest = if options.uses_schemas() {
        Rest::Kept
    } else {
        Rest::Dropped
    };
    let gathered: Vec<Gathered<'_>> = members
        .par_iter_mut()
        .with_max_len(1)
        .map(|member| {
            let of = (member.crd.group.as_str(), name);
            let options = Types::of(options, renames.names(), of);
            let (kind, schema) = (&member.crd.kind, member.schema.take());
            let gathered;
            (gathered, member.rest) = Gathered::of_kind(kind, schema, rest, options);
            gathered
        })
        .collect();
    let mut types = Vec::new();
    let mut found = Found::default();
    for gathered in gathered {
        types.extend(gathered.types);
        found.names.kept.extend(gathered.kept);
        found.later.extend(gathered.later);
    }
    (types, found)
}

/// Returns the served version that was introduced first, judging by name: `v1alpha1` before
/// `v1beta1` before `v1`. Versions without types count, so that filters and other outputs do not
/// affect names.
fn oldest_version(crd: &Crd) -> Option<&str> {
    let versions = crd.served.iter().map(String::as_str);
    versions.max_by(|a, b| names::compare_versions(a, b))
}

fn lower_resource(crd: &Crd, version: &CrdVersion, roots: &BTreeMap<&str, &str>) -> Resource {
    let root = roots
        .get(crd.kind.as_str())
        .map_or_else(|| names::upper_camel(&crd.kind), |&root| root.to_owned());
    let client_name = clients::client_name(crd);
    Resource {
        kind: crd.kind.clone(),
        list_kind: crd.list_kind.clone(),
        plural: crd.plural.clone(),
        singular: crd.singular.clone(),
        accessor: kind_method(&client_name),
        client_name,
        root,
        scope: crd.scope,
        short_names: crd.short_names.clone(),
        categories: crd.categories.clone(),
        status_subresource: version.status,
        scale_subresource: version.scale.clone(),
        printer_columns: version.printer_columns.clone(),
        selectable_fields: version.selectable_fields.clone(),
        conversion: crd.conversion.clone(),
        storage: version.storage,
        served: version.served,
        annotations: crd.annotations.clone(),
        labels: crd.labels.clone(),
        foreign: false,
        rest: None,
        deprecation: version.deprecation.clone(),
        verbs: if version.status {
            VerbSet::all()
        } else {
            VerbSet::without_status()
        },
        methods: if version.scale.is_some() {
            CustomMethod::of_scale()
        } else {
            Vec::new()
        },
        client: version.served,
    }
}

/// Returns the versions without types.
fn left_out(crd: &Crd) -> Arc<[LeftOut]> {
    let left_out = crd.left_out.iter().map(|version| LeftOut {
        version: version.name.clone(),
        resource: Resource {
            rest: version.schema.clone().map(|schema| CrdRest {
                schema,
                left_out: Arc::default(),
            }),
            ..lower_resource(crd, version, &BTreeMap::new())
        },
    });
    left_out.collect()
}
