//! Where the values of a CRD are declared, if types make it.

use crate::{
    diag::Place,
    model::{ApiSet, Field, Resource, TypeDef, TypeKind, TypeRef, Version},
};

/// The most aliases of aliases; Go and Rust have no endless ones.
const MOST_ALIASES: usize = 16;

/// The types of a CRD.
pub(crate) struct Types<'d> {
    api: &'d ApiSet,
    /// The versions of the kind.
    versions: Vec<(&'d Version, &'d Resource)>,
}

/// Where a value is declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared<'d> {
    /// Its field's place, or that of the innermost type or field around it that has one.
    pub(crate) place: Option<&'d Place>,
    /// Whether it is a field of the input's own types, rather than of a type from elsewhere.
    pub(crate) exact: bool,
    /// The field, unless it is the object itself.
    pub(crate) field: Option<&'d Field>,
    /// The type of the value, or of its items, with the version that has it.
    def: Option<(&'d Version, &'d TypeDef)>,
}

impl<'d> Types<'d> {
    /// The types of a kind.
    pub(super) fn new(api: &'d ApiSet, group: &str, plural: &str) -> Self {
        let versions = api.versions().filter(|(it, _)| it.name == group);
        let versions = versions.filter_map(|(_, version)| {
            let mut resources = version.resources.iter();
            Some((version, resources.find(|it| it.plural == plural)?))
        });
        Self {
            api,
            versions: versions.collect(),
        }
    }

    /// Where a value of a version is declared. Of a version without types, it is the kind.
    pub(crate) fn at(&self, version: &str, path: &str) -> Option<Declared<'d>> {
        let Some(root) = self.root(version) else {
            let (version, resource) = self.versions.first()?;
            return Some(root_of(version, resource));
        };
        let names = path.split('.').filter(|name| !name.is_empty());
        Some(names.fold(root, |at, name| self.below(at, name)))
    }

    /// Where the objects of a version are declared.
    pub(crate) fn root(&self, version: &str) -> Option<Declared<'d>> {
        let mut versions = self.versions.iter();
        let (version, resource) = versions.find(|(it, _)| it.name == version)?;
        Some(root_of(version, resource))
    }

    /// Where a property of a value is declared, or of its items.
    pub(crate) fn below(&self, at: Declared<'d>, name: &str) -> Declared<'d> {
        let name = name.trim_end_matches("[]").trim_end_matches("[*]");
        let found = at.def.and_then(|(version, def)| {
            let TypeKind::Struct(body) = &def.kind else {
                return None;
            };
            let field = body.fields.iter().find(|it| it.json_name == name)?;
            Some((version, def, field))
        });
        let Some((version, def, field)) = found else {
            return Declared {
                exact: false,
                field: None,
                def: None,
                ..at
            };
        };
        Declared {
            place: field.declared.place().or(at.place),
            exact: at.exact && self.is_own(def, field),
            field: Some(field),
            def: self.def(version, &field.ty),
        }
    }

    /// Whether a field of a type is not that of a struct from elsewhere, which Go embeds or names
    /// anew.
    fn is_own(&self, def: &TypeDef, field: &Field) -> bool {
        let Some(of_field) = field.declared.place() else {
            return true;
        };
        let of_types = match field.embedded_in.last() {
            None => def.declared.place(),
            Some(path) => {
                let module = path.rsplit_once("::").map_or("", |(module, _)| module);
                let types = self.version_at(module).map(|version| &version.types);
                let Some(types) = types else {
                    return false;
                };
                types.iter().find_map(|def| def.declared.place())
            }
        };
        of_types.is_none_or(|of_types| folder(of_types) == folder(of_field))
    }

    /// The type of values or of their items, in the version that has it, behind aliases.
    fn def(&self, version: &'d Version, ty: &'d TypeRef) -> Option<(&'d Version, &'d TypeDef)> {
        let (mut version, mut ty) = (version, ty.element());
        for _ in 0..MOST_ALIASES {
            let def;
            (version, def) = match ty {
                TypeRef::Local(name) => (version, version.type_def(name)?),
                _ => self.of_other_version(ty)?,
            };
            match &def.kind {
                TypeKind::Alias(alias) => ty = alias.target.element(),
                _ => return Some((version, def)),
            }
        }
        None
    }

    fn of_other_version(&self, ty: &TypeRef) -> Option<(&'d Version, &'d TypeDef)> {
        let path = ty.path()?;
        let (module, name) = path.rsplit_once("::")?;
        let version = self.version_at(module)?;
        Some((version, version.type_def(name)?))
    }

    /// The version, of any kind, whose types are in a module.
    fn version_at(&self, module: &str) -> Option<&'d Version> {
        let mut versions = self.api.versions().map(|(_, version)| version);
        versions.find(|version| version.path == module)
    }
}

fn root_of<'d>(version: &'d Version, resource: &Resource) -> Declared<'d> {
    let def = version.type_def(&resource.root);
    Declared {
        place: def.and_then(|def| def.declared.place()),
        exact: true,
        field: None,
        def: def.map(|def| (version, def)),
    }
}

/// The folder of a place's file.
fn folder(place: &Place) -> &str {
    place.file.rsplit_once('/').map_or("", |(folder, _)| folder)
}
