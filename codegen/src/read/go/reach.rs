//! Finds the types that an API reaches: the types of its objects' fields, the types of their
//! fields, and so on. Other types are not read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{
    resolve::{Index, predeclared},
    sources::{GoFile, GoPackage, GoSources},
    syntax::{FieldSpec, File, Span, TypeExpr},
    tag,
};
use crate::diag::Place;

/// A package whose types are used, with the first place that uses it.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) path: String,
    /// The place of the import.
    pub(crate) place: Place,
}

/// Knowledge about types whose sources are not read.
pub(crate) trait Known {
    /// Returns the name of a package that was not read.
    fn name_of(&self, path: &str) -> Option<String>;

    /// Whether a field can use a type of a package without its declaration.
    fn is_known(&self, path: &str, name: &str) -> bool;
}

/// The used types, by import path.
pub(crate) type Used = BTreeMap<String, BTreeSet<String>>;

/// Returns the packages whose types are used but that are not among the sources, sorted by path,
/// and all types used so far.
pub(crate) fn wanted(sources: &GoSources, known: &dyn Known) -> (Vec<Wanted>, Used) {
    let index = Index::new(sources);
    let requested = || sources.packages.iter().filter(|package| package.requested);
    let kinds = Kinds::of(requested());
    let mut walk = Walk {
        index: &index,
        known,
        seen: BTreeSet::new(),
        named: BTreeSet::new(),
        queue: VecDeque::new(),
        wanted: BTreeMap::new(),
    };
    for package in requested() {
        walk.start(package, &kinds);
    }
    while let Some((path, name)) = walk.queue.pop_front() {
        walk.visit(path, name);
    }
    let mut used = Used::new();
    for (path, name) in walk.seen.into_iter().chain(walk.named) {
        let types = used.entry(path.to_owned()).or_default();
        types.insert(name.to_owned());
    }
    (walk.wanted.into_values().collect(), used)
}

/// The package of the metadata that all objects share.
pub(crate) const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// Its type for the `kind` and `apiVersion` of every object.
const TYPE_META: &str = "TypeMeta";

/// The names of kinds that packages declare as structs with `TypeMeta` and `ObjectMeta`.
pub(crate) struct Kinds<'s>(BTreeSet<&'s str>);

impl<'s> Kinds<'s> {
    pub(crate) fn of(packages: impl Iterator<Item = &'s GoPackage>) -> Self {
        Self(packages.flat_map(objects).collect())
    }

    /// Whether a package declares objects: kinds of its own, or kinds that another version
    /// declares.
    pub(crate) fn are_declared(&self, package: &GoPackage) -> bool {
        objects(package).next().is_some() || !self.shared(package).is_empty()
    }

    /// Returns the types of a package that may be kinds although they are not structs with
    /// metadata: `type Disk v2.Disk` and `type Disk = v2.Disk` with a list type and, in a package
    /// that may declare a group, every type with the name of a kind from another package.
    fn shared<'p>(&self, package: &'p GoPackage) -> Vec<&'p str> {
        let mut lists = BTreeSet::new();
        let mut found = Vec::new();
        let mut named = Vec::new();
        for (file, syntax) in package.parsed() {
            for spec in &syntax.types {
                let own = file.text_of(&spec.name);
                lists.extend(own.strip_suffix("List"));
                let is_own = |name: &Span| file.text_of(name) == own;
                if matches!(&spec.ty, TypeExpr::Qualified(_, name) if is_own(name)) {
                    found.push(own);
                }
                if self.0.contains(own) {
                    named.push(own);
                }
            }
        }
        found.retain(|name| lists.contains(name));
        if !named.is_empty() && package.files.iter().any(GoFile::may_name_group) {
            found.extend(named);
        }
        found
    }
}

/// Returns the place of the first kind of a package that may declare a group.
pub(crate) fn first_kind(package: &GoPackage) -> Option<Place> {
    let name = objects(package).next()?;
    let mut files = package.parsed();
    let place = files.find_map(|(file, syntax)| {
        let mut names = syntax.types.iter().map(|spec| spec.name.clone());
        let span = names.find(|span| file.text_of(span) == name)?;
        Some(file.place(span))
    });
    place.filter(|_| package.files.iter().any(GoFile::may_name_group))
}

/// Returns the names of a package's structs with `TypeMeta` and `ObjectMeta`.
fn objects(package: &GoPackage) -> impl Iterator<Item = &str> {
    package.parsed().flat_map(|(file, syntax)| {
        typed(file, syntax)
            .filter(|(_, fields)| embeds(file, fields, "ObjectMeta") || has_metadata(file, fields))
            .map(|(name, _)| name)
    })
}

/// Returns the structs of a file with `TypeMeta`, by name: objects, their lists, and objects
/// without metadata, such as a webhook's review.
fn typed<'f>(
    file: &'f GoFile,
    syntax: &'f File,
) -> impl Iterator<Item = (&'f str, &'f [FieldSpec])> {
    syntax.types.iter().filter_map(move |spec| match &spec.ty {
        TypeExpr::Struct(fields) if embeds(file, fields, TYPE_META) => {
            Some((file.text_of(&spec.name), fields.as_slice()))
        }
        _ => None,
    })
}

fn embeds(file: &GoFile, fields: &[FieldSpec], name: &str) -> bool {
    fields.iter().any(|field| {
        let is_named = |span: &Span| file.text_of(span) == name;
        field.embedded && field.names.iter().any(is_named)
    })
}

/// Whether there is a field of type `ObjectMeta`, embedded or not.
fn has_metadata(file: &GoFile, fields: &[FieldSpec]) -> bool {
    fields.iter().any(|field| match &field.ty {
        TypeExpr::Qualified(_, name) => file.text_of(name) == "ObjectMeta",
        _ => false,
    })
}

struct Walk<'a> {
    index: &'a Index<'a>,
    known: &'a dyn Known,
    seen: BTreeSet<(&'a str, &'a str)>,
    /// Types of fields that are not followed.
    named: BTreeSet<(&'a str, &'a str)>,
    queue: VecDeque<(&'a str, &'a str)>,
    wanted: BTreeMap<String, Wanted>,
}

/// The location of a type expression.
#[derive(Clone, Copy)]
struct Site<'a> {
    package: &'a GoPackage,
    file: &'a GoFile,
    syntax: &'a File,
}

impl<'a> Walk<'a> {
    /// Starts from the objects of a package, or from all exported types if it has none.
    fn start(&mut self, package: &'a GoPackage, kinds: &Kinds<'_>) {
        if kinds.are_declared(package) {
            for name in kinds.shared(package) {
                self.reach(&package.path, name);
            }
            for (file, syntax) in package.parsed() {
                for (name, _) in typed(file, syntax) {
                    self.reach(&package.path, name);
                }
            }
            return;
        }
        for (file, syntax) in package.parsed() {
            for spec in &syntax.types {
                let name = file.text_of(&spec.name);
                if is_exported(name) {
                    self.reach(&package.path, name);
                }
            }
        }
    }

    fn reach(&mut self, path: &'a str, name: &'a str) {
        if self.seen.insert((path, name)) {
            self.queue.push_back((path, name));
        }
    }

    fn visit(&mut self, path: &str, name: &str) {
        let Some(found) = self.index.get(path) else {
            return;
        };
        let package = found.package;
        let Some(&(file, spec)) = found.types.get(name) else {
            return;
        };
        let Some(file) = package.files.get(file) else {
            return;
        };
        let Some(syntax) = file.file() else { return };
        let site = Site {
            package,
            file,
            syntax,
        };
        if let Some(spec) = syntax.types.get(spec) {
            self.follow(site, &spec.ty);
        }
    }

    fn follow(&mut self, site: Site<'a>, ty: &'a TypeExpr) {
        match ty {
            TypeExpr::Name(span) => self.follow_name(site, site.file.text_of(span)),
            TypeExpr::Qualified(package, name) => {
                let package = site.file.text_of(package);
                if let Some(path) = self.path_of(site, package) {
                    self.follow_path(site, path, site.file.text_of(name));
                }
            }
            TypeExpr::Pointer(inner) | TypeExpr::Slice(inner) | TypeExpr::Array(_, inner) => {
                self.follow(site, inner);
            }
            TypeExpr::Map(key, value) => {
                self.follow(site, key);
                self.follow(site, value);
            }
            TypeExpr::Struct(fields) => {
                for field in fields {
                    match encoding(site.file, field) {
                        Encoding::Absent => {}
                        Encoding::Property => self.follow(site, &field.ty),
                        Encoding::Inline => self.follow_embedded(site, &field.ty),
                    }
                }
            }
            TypeExpr::Any | TypeExpr::Interface(_) | TypeExpr::Other(_) => {}
        }
    }

    /// Follows the type of an embedded struct, whose declaration is needed for its fields. The
    /// fields of `TypeMeta` are known.
    fn follow_embedded(&mut self, site: Site<'a>, ty: &'a TypeExpr) {
        match ty {
            TypeExpr::Pointer(inner) => self.follow_embedded(site, inner),
            TypeExpr::Qualified(package, name) => {
                let name = site.file.text_of(name);
                match self.path_of(site, site.file.text_of(package)) {
                    Some(META) if name == TYPE_META => {
                        self.named.insert((META, TYPE_META));
                    }
                    Some(path) => self.want(site, path, name),
                    None => {}
                }
            }
            other => self.follow(site, other),
        }
    }

    fn path_of(&self, site: Site<'a>, package: &str) -> Option<&'a str> {
        let ask = |path: &str| self.known.name_of(path);
        self.index.path_of(site.file, site.syntax, package, &ask)
    }

    fn follow_name(&mut self, site: Site<'a>, name: &'a str) {
        if self.index.declares(&site.package.path, name) {
            let path = &site.package.path;
            // A known type that is used only outside of requested packages, such as `meta/v1.Time`,
            // needs no source.
            if !site.package.requested && self.known.is_known(path, name) {
                self.named.insert((path, name));
                return;
            }
            return self.reach(path, name);
        }
        if predeclared(name).is_some() {
            return;
        }
        for import in Index::dot_imports(site.file, site.syntax) {
            self.follow_path(site, &import.path, name);
        }
    }

    fn follow_path(&mut self, site: Site<'a>, path: &'a str, name: &'a str) {
        if self.known.is_known(path, name) {
            self.named.insert((path, name));
        } else {
            self.want(site, path, name);
        }
    }

    /// Continues with a type of another package, or requests the package.
    fn want(&mut self, site: Site<'a>, path: &'a str, name: &'a str) {
        if self.index.get(path).is_some() {
            return self.reach(path, name);
        }
        if self.wanted.contains_key(path) {
            return;
        }
        let import = site
            .syntax
            .imports
            .iter()
            .find(|import| import.path == path);
        let range = import.map_or(0..0, |import| import.place.clone());
        let wanted = Wanted {
            path: path.to_owned(),
            place: site.file.place(range),
        };
        self.wanted.insert(path.to_owned(), wanted);
    }
}

/// How a field is encoded in JSON.
enum Encoding {
    /// Omitted: `json:"-"`, or unexported.
    Absent,
    /// As a property.
    Property,
    /// Its fields are inlined.
    Inline,
}

fn encoding(file: &GoFile, field: &FieldSpec) -> Encoding {
    let tag = field.tag.as_ref();
    let json = tag.and_then(|tag| tag::json(file.text_of(tag)));
    let json = json.unwrap_or_default();
    if json == "-" {
        return Encoding::Absent;
    }
    let is_unnamed = json.is_empty() || json.starts_with(',');
    match field.embedded {
        true if is_unnamed => Encoding::Inline,
        true => Encoding::Property,
        false => {
            let mut names = field.names.iter();
            match names.any(|name| is_exported(file.text_of(name))) {
                true => Encoding::Property,
                false => Encoding::Absent,
            }
        }
    }
}

/// Whether a name is exported.
fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
