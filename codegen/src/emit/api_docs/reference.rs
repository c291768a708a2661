//! The reference of one version.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Anchors,
    reach::{Item, Key, Modules},
};
use crate::{
    emit::docs::{
        self, code, demands, describe,
        together::{self, Views},
    },
    model::{
        EnumDef, Field, Group, KnownType, Resource, Scope, TypeDef, TypeKind, TypeRef, UnionDef,
        UnionVariant, UnknownFields, Version,
    },
    output::markdown::{Page, plain},
};

/// The reference of one version.
pub(super) struct Reference<'a> {
    modules: &'a Modules<'a>,
    group: &'a Group,
    version: &'a Version,
    kinds: Vec<(&'a Resource, Item<'a>)>,
    types: Vec<(Item<'a>, BTreeSet<Key<'a>>)>,
    anchors: BTreeMap<Key<'a>, String>,
}

impl<'a> Reference<'a> {
    pub(super) fn new(
        modules: &'a Modules<'a>,
        group: &'a Group,
        version: &'a Version,
        anchors: &mut Anchors,
    ) -> Self {
        let resources = version.resources.iter();
        let kinds: Vec<_> = resources
            .filter_map(|one| Some((one, modules.find(&version.path, &one.root)?)))
            .collect();
        let roots: Vec<Item<'a>> = kinds.iter().map(|(_, root)| *root).collect();
        let mut types = modules.reached(&roots);
        anchors.add(&title(group, version));
        let mut own = BTreeMap::new();
        for (resource, root) in &kinds {
            types.remove(&root.key());
            own.insert(root.key(), anchors.add(&resource.kind));
        }
        for key in types.keys() {
            own.insert(*key, anchors.add(key.0));
        }
        let types = types.into_values();
        Self {
            modules,
            group,
            version,
            kinds,
            types: types.map(|one| (one.item, one.used_by)).collect(),
            anchors: own,
        }
    }

    pub(super) fn write(&self, page: &mut Page) {
        page.heading(1, &title(self.group, self.version));
        page.block(docs::lines(&self.version.docs));
        if self.kinds.len() > 1 {
            let kinds = self.kinds.iter();
            let kinds = kinds
                .map(|(resource, root)| format!("- {}", self.link(&resource.kind, root.key())));
            page.block(kinds.collect());
        }
        for (resource, root) in &self.kinds {
            self.kind(resource, *root, page);
        }
        for (item, used_by) in &self.types {
            page.heading(3, &item.def.name);
            self.type_docs(*item, page);
            let users: Vec<String> = used_by.iter().map(|key| self.link(key.0, *key)).collect();
            if !users.is_empty() {
                page.paragraph(format!("Used by {}.", users.join(", ")));
            }
            self.body(*item, page);
        }
    }

    fn kind(&self, resource: &Resource, root: Item<'a>, page: &mut Page) {
        page.heading(2, &resource.kind);
        self.type_docs(root, page);
        let api_version = title(self.group, self.version);
        let place = match resource.scope {
            Scope::Namespaced => "in a namespace",
            Scope::Cluster => "in the cluster",
        };
        let short = match spans(&resource.short_names) {
            none if none.is_empty() => none,
            names => format!(" ({names})"),
        };
        let mut facts = format!(
            "`apiVersion: {api_version}`, `kind: {}`; resource `{}`{short}, {place}.",
            resource.kind, resource.plural
        );
        let scale = resource.scale_subresource.as_ref().map(|_| "scale");
        let status = resource.status_subresource.then_some("status");
        let subresources: Vec<&str> = status.into_iter().chain(scale).collect();
        if !subresources.is_empty() {
            facts.push_str(&format!(" Subresources: {}.", spans(&subresources)));
        }
        if !resource.served {
            facts.push_str(" Not served.");
        }
        page.paragraph(facts);
        if let Some(warning) = &resource.deprecation {
            let text = docs::of_field(warning).join(" ");
            page.paragraph(match text.is_empty() {
                true => "**Deprecated.**".to_owned(),
                false => format!("**Deprecated:** {text}"),
            });
        }
        self.body(root, page);
    }

    /// A type's description, followed by its constraints.
    fn type_docs(&self, item: Item<'_>, page: &mut Page) {
        let mut lines = docs::lines(&describe::of_item(&item.def.docs, item.origin));
        let mut notes = match item.def.kind {
            // They follow the target: see `body`.
            TypeKind::Alias(_) => Vec::new(),
            _ => demands::of_type(&item.def.validation, item.origin),
        };
        if let TypeKind::Struct(body) = &item.def.kind {
            notes.extend(together::of_type(body, Views::Unknown));
        }
        demands::add(&mut lines, notes);
        page.block(lines);
    }

    /// The body of a type: its fields, values or variants, or the target of an alias.
    fn body(&self, item: Item<'a>, page: &mut Page) {
        match &item.def.kind {
            TypeKind::Struct(_) if item.def.marshals.is_some() => {}
            TypeKind::Struct(body) => {
                self.fields(item, item.def, &body.fields, 0, page);
                if let UnknownFields::Kept(value) = &body.unknown_fields {
                    let value = self.type_text(item, value);
                    page.paragraph(format!("Any other property is kept: {value}."));
                }
            }
            TypeKind::Enum(body) => values(item, body, page),
            TypeKind::Union(body) => self.variants(item, body, page),
            TypeKind::Alias(alias) => {
                let mut lines = vec![format!("Type: {}.", self.type_text(item, &alias.target))];
                let named = self.modules.resolve(item, &alias.target);
                let said = demands::said_by(named.map(|named| named.def));
                let notes = demands::of_field(&alias.target, &item.def.validation, said);
                demands::add(&mut lines, notes);
                page.block(lines);
            }
        }
    }

    fn fields(
        &self,
        item: Item<'a>,
        def: &TypeDef,
        fields: &'a [Field],
        depth: usize,
        page: &mut Page,
    ) {
        for (owner, field) in self.modules.properties(item, fields) {
            let mut facts = vec![self.property(owner, field)];
            if must_be_given(field) && !field.flatten {
                facts.push("required".to_owned());
            }
            if field.nullable {
                facts.push("may be null".to_owned());
            }
            page.entry(depth, &facts.join(", "));
            let mut lines = docs::of_field(&describe::of_item(&field.docs, owner.origin));
            let named = self.modules.resolve(owner, &field.ty);
            let said = demands::said_by(named.map(|named| named.def));
            let mut notes = demands::of_field(&field.ty, &field.validation, said);
            if let TypeKind::Struct(body) = &def.kind {
                notes.extend(together::of_field(body, field, Views::Unknown));
            }
            notes.extend(demands::default(field));
            demands::add(&mut lines, notes);
            page.in_entry(depth, lines);
        }
    }

    /// The entry of a field: its property, or the properties that a flattened field stands for.
    fn property(&self, owner: Item<'_>, field: &Field) -> String {
        let mut ty = &field.ty;
        while let TypeRef::Optional(inner) | TypeRef::Boxed(inner) = ty {
            ty = inner;
        }
        match ty {
            TypeRef::Map(value) if field.flatten => {
                format!("any other property ({})", self.type_text(owner, value))
            }
            TypeRef::Any | TypeRef::Verbatim(_) if field.flatten => "any other property".to_owned(),
            ty if field.flatten => format!("the properties of {}", self.type_text(owner, ty)),
            ty => format!(
                "**{}** ({})",
                plain(&field.json_name),
                self.type_text(owner, ty)
            ),
        }
    }

    /// The variants of a Rust enum with data, in serde's representation.
    fn variants(&self, item: Item<'a>, body: &'a UnionDef, page: &mut Page) {
        let tag = body.tag.as_deref();
        page.paragraph(match tag {
            Some(tag) => format!("One of these, selected by `{}`:", code(tag)),
            None if body.untagged => "One of these:".to_owned(),
            None => "One of these, by the name of the only property:".to_owned(),
        });
        for variant in &body.variants {
            let name = plain(&variant.json_name);
            let content = match (variant.named, variant.fields.as_slice()) {
                (false, []) => None,
                (false, [one]) => Some(self.type_text(item, &one.ty)),
                (false, several) => {
                    let types = several.iter().map(|one| self.type_text(item, &one.ty));
                    Some(format!("list of {}", types.collect::<Vec<_>>().join(", ")))
                }
                (true, _) => Some("object".to_owned()),
            };
            page.entry(0, &entry_of(body, variant, &name, content));
            let lines = docs::of_field(&describe::of_item(&variant.docs, item.origin));
            page.in_entry(0, lines);
            if variant.named {
                self.fields(item, item.def, &variant.fields, 1, page);
            }
        }
    }

    /// The type in prose, linked to its documentation.
    fn type_text(&self, within: Item<'_>, ty: &TypeRef) -> String {
        match ty {
            TypeRef::Bool => "boolean".to_owned(),
            TypeRef::Int32 | TypeRef::Int64 | TypeRef::Integer(_) => "integer".to_owned(),
            TypeRef::Float | TypeRef::Float32 => "number".to_owned(),
            TypeRef::String => "string".to_owned(),
            TypeRef::Any => "any value".to_owned(),
            TypeRef::List(inner) => format!("list of {}", self.type_text(within, inner)),
            TypeRef::Map(inner) => format!("map of {}", self.type_text(within, inner)),
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.type_text(within, inner),
            TypeRef::Known(KnownType::ByteString) => "string in base64".to_owned(),
            TypeRef::Known(KnownType::IntOrString) => "integer or string".to_owned(),
            TypeRef::Verbatim(text) => format!("`{}`", code(text)),
            TypeRef::Known(_) | TypeRef::Local(_) | TypeRef::External(_) => {
                if let Some(named) = self.modules.resolve(within, ty) {
                    return self.link(&named.def.name, named.key());
                }
                let path = ty.path().unwrap_or_default();
                let name = path.rsplit("::").next().unwrap_or_default();
                match go_docs(&path) {
                    Some(url) => format!("[{name}]({url})"),
                    None => format!("`{}`", code(name)),
                }
            }
        }
    }

    fn link(&self, name: &str, key: Key<'_>) -> String {
        match self.anchors.get(&key) {
            Some(anchor) => format!("[{name}](#{anchor})"),
            None => format!("`{}`", code(name)),
        }
    }
}

/// Whether an object without the property is rejected. The server fills in defaults and metadata before it validates.
fn must_be_given(field: &Field) -> bool {
    let is_metadata = field.ty == TypeRef::Known(KnownType::ObjectMeta);
    field.required && field.default.is_none() && !is_metadata
}

/// The start of a variant's entry, before its documentation.
fn entry_of(
    body: &UnionDef,
    variant: &UnionVariant,
    name: &str,
    content: Option<String>,
) -> String {
    let tag = body.tag.as_deref();
    match (tag, body.content.as_deref(), content) {
        (_, _, None) if body.untagged => "null".to_owned(),
        (_, _, Some(content)) if body.untagged => content,
        (None, _, None) => format!("the string `{}`", code(&variant.json_name)),
        (None, _, Some(content)) => format!("**{name}** ({content})"),
        (Some(tag), _, None) => format!("`{}: {}`", code(tag), code(&variant.json_name)),
        (Some(tag), Some(property), Some(content)) => format!(
            "`{}: {}`, with **{}** ({content})",
            code(tag),
            code(&variant.json_name),
            plain(property)
        ),
        (Some(tag), None, Some(_)) if variant.named => {
            format!("`{}: {}`, with", code(tag), code(&variant.json_name))
        }
        (Some(tag), None, Some(content)) => format!(
            "`{}: {}`, with the properties of {content}",
            code(tag),
            code(&variant.json_name)
        ),
    }
}

fn values(item: Item<'_>, body: &EnumDef, page: &mut Page) {
    for variant in &body.variants {
        let value = match variant.value.as_str() {
            "" => "\"\"",
            value => value,
        };
        page.entry(0, &format!("`{}`", code(value)));
        let lines = docs::of_field(&describe::of_item(&variant.docs, item.origin));
        page.in_entry(0, lines);
    }
}

fn title(group: &Group, version: &Version) -> String {
    match group.name.as_str() {
        "" => version.name.clone(),
        group => format!("{group}/{}", version.name),
    }
}

/// The URL of a Kubernetes type in Go's documentation. It is not tied to a version.
fn go_docs(path: &str) -> Option<String> {
    let below = path.strip_prefix("k8s_openapi::")?;
    let (module, name) = below.rsplit_once("::")?;
    let module = match module.split_once("::")? {
        ("api", rest) => format!("k8s.io/api/{rest}"),
        ("apiextensions_apiserver", rest) => format!("k8s.io/apiextensions-apiserver/{rest}"),
        ("kube_aggregator", rest) => format!("k8s.io/kube-aggregator/{rest}"),
        (first, rest) => format!("k8s.io/{first}/{rest}"),
    };
    Some(format!(
        "https://pkg.go.dev/{}#{name}",
        module.replace("::", "/")
    ))
}

fn spans<T: AsRef<str>>(names: &[T]) -> String {
    let names = names
        .iter()
        .map(|name| format!("`{}`", code(name.as_ref())));
    names.collect::<Vec<_>>().join(", ")
}
