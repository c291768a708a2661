//! Resolves types as written to [`TypeRef`]s.

use super::{
    Cx, has_derive,
    resolve::Resolved,
    well_known::{Foreign, well_known},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{ExternalType, TypeRef, WireType, type_parameters},
    read::rust::{self, Body, Item, Kind, Layout, PathType, Type},
    source::RustLink,
};

impl Cx<'_> {
    /// Resolves a type within an item.
    pub(super) fn reference(
        &self,
        item: &Item,
        ty: &Type,
        diagnostics: &mut Diagnostics,
    ) -> TypeRef {
        match &ty.kind {
            Kind::Path(path) => self.path_reference(item, ty, path, diagnostics),
            Kind::List(element, _) => {
                TypeRef::List(Box::new(self.reference(item, element, diagnostics)))
            }
            Kind::Other(text) => TypeRef::Verbatim(text.clone()),
            Kind::Unsupported(what) => {
                diagnostics.push(
                    Diagnostic::error(format!("{what} cannot be part of an API type"))
                        .at(ty.place.clone(), "does not own its data")
                        .help("use a type that owns its data, such as String, Vec or Box"),
                );
                TypeRef::Any
            }
        }
    }

    fn path_reference(
        &self,
        item: &Item,
        ty: &Type,
        path: &PathType,
        diagnostics: &mut Diagnostics,
    ) -> TypeRef {
        if let [name] = path.segments.as_slice()
            && item.generics.names.contains(name)
        {
            return TypeRef::External(ExternalType::new(vec![name.clone()]));
        }
        if path.segments == ["Self"] {
            return TypeRef::Local(self.key(item).to_owned());
        }
        let external = match self.resolver.resolve_type(item.module, path) {
            Resolved::Item(index) => {
                return self.local(item, index, path, diagnostics);
            }
            Resolved::External(external) => external,
        };
        let Some(foreign) = well_known(&external) else {
            self.check_foreign(&external, ty, diagnostics);
            let missing = self.missing(item.module, &external);
            return TypeRef::External(ExternalType {
                global: path.global,
                segments: external,
                arguments: path.arguments_text.clone(),
                instance: Vec::new(),
                missing,
            });
        };
        let mut argument = |index: usize| {
            path.arguments
                .get(index)
                .map_or(TypeRef::Any, |ty| self.reference(item, ty, diagnostics))
        };
        match foreign {
            Foreign::Plain(plain) => plain,
            Foreign::Optional => TypeRef::Optional(Box::new(argument(0))),
            Foreign::List => TypeRef::List(Box::new(argument(0))),
            Foreign::Map => {
                let key = argument(0);
                let map = TypeRef::Map(Box::new(argument(1)));
                self.check_key(&key, path, ty, diagnostics);
                map
            }
            Foreign::Either => TypeRef::External(ExternalType {
                instance: vec![argument(0), argument(1)],
                arguments: path.arguments_text.clone(),
                ..ExternalType::new(external)
            }),
            // The name that such a type has had before it was generic.
            Foreign::NonZero => match argument(0) {
                TypeRef::Int32 => non_zero("i32"),
                TypeRef::Int64 => non_zero("i64"),
                TypeRef::Integer(name) => non_zero(&name),
                other => other,
            },
            Foreign::Boxed => TypeRef::Boxed(Box::new(argument(0))),
            Foreign::Cow => match path.arguments.first().map(|ty| &ty.kind) {
                Some(Kind::Path(path)) if path.segments == ["str"] => TypeRef::String,
                _ => argument(0),
            },
        }
    }

    /// Checks that the keys of a map are strings on the wire.
    fn check_key(&self, key: &TypeRef, path: &PathType, ty: &Type, diagnostics: &mut Diagnostics) {
        let wire = self.wire_type(key);
        if matches!(wire, WireType::List | WireType::Object) || matches!(key, TypeRef::Optional(_))
        {
            let place = path.arguments.first().map_or(&ty.place, |key| &key.place);
            let found = match key {
                TypeRef::Optional(_) => "optional",
                _ => wire.description(),
            };
            diagnostics.push(
                Diagnostic::error(format!("the key of a map must be a string, not {found}"))
                    .at(place.clone(), "cannot be written as a key")
                    .help("use String, or a type that is a string on the wire"),
            );
        }
    }

    /// Resolves a type of the version; an instance of a generic type is kept as a whole.
    fn local(
        &self,
        item: &Item,
        index: usize,
        path: &PathType,
        diagnostics: &mut Diagnostics,
    ) -> TypeRef {
        let Some(target) = self.package.items.get(index) else {
            return TypeRef::Any;
        };
        let parameters = type_parameters(&target.generics.text);
        let given = path.arguments.iter().zip(&target.generics.names);
        let mut instance: Vec<TypeRef> = given
            .filter(|(_, name)| parameters.contains(name))
            .map(|(ty, _)| self.reference(item, ty, diagnostics))
            .collect();
        self.add_defaults(target, &parameters, &mut instance, diagnostics);
        if path.arguments_text.is_empty() && instance.is_empty() {
            TypeRef::Local(self.key(target).to_owned())
        } else {
            let mut segments = match self.package.layout {
                Layout::Version => self.module_path(target.module),
                Layout::Crate => {
                    let path = self.path_in_model();
                    path.split("::").map(str::to_owned).collect()
                }
            };
            segments.push(self.key(target).to_owned());
            TypeRef::External(ExternalType {
                global: false,
                segments,
                arguments: path.arguments_text.clone(),
                instance,
                missing: None,
            })
        }
    }

    /// Adds the defaults of parameters without arguments. A default may name the parameters before
    /// it.
    fn add_defaults(
        &self,
        target: &Item,
        parameters: &[String],
        instance: &mut Vec<TypeRef>,
        diagnostics: &mut Diagnostics,
    ) {
        let defaults = target.generics.defaults.iter();
        for default in defaults.skip(instance.len()).map_while(Option::as_ref) {
            let ty = self.reference(target, default, diagnostics);
            let argument = |name: &str| {
                let at = parameters.iter().position(|parameter| parameter == name)?;
                instance.get(at).cloned()
            };
            let ty = replaced(ty, &argument);
            instance.push(ty);
        }
    }

    /// Returns the path of a module in its crate.
    fn module_path(&self, module: usize) -> Vec<String> {
        let package = self.package.module_path.split("::").map(str::to_owned);
        let module = self.package.modules.get(module);
        let below = module.map(|module| module.path.iter().cloned());
        package.chain(below.into_iter().flatten()).collect()
    }

    /// Returns why a type of another crate is not known, as seen from a module.
    pub(super) fn missing(&self, module: usize, path: &[String]) -> Option<String> {
        let (name, below) = path.split_first()?;
        let modules = &self.package.modules;
        let from = modules.get(module).map_or(&[][..], |module| &module.path);
        let Some(link) = modules.link(from, name) else {
            return self.missing_through(module, path);
        };
        Some(match link {
            RustLink::Read(_) => {
                format!("the crate `{name}` declares no type `{}`", below.join("::"))
            }
            RustLink::Unread(why) => format!("the crate `{name}` {why}"),
        })
    }

    /// Returns why a type is not known that a module of the package seems to re-export from another
    /// crate.
    fn missing_through(&self, module: usize, path: &[String]) -> Option<String> {
        let (_, parent) = path.split_last()?;
        let (modules, at) = (
            &self.package.modules,
            self.resolver.module_at(module, parent)?,
        );
        let through = modules.globs(&at).find_map(|glob| {
            let name = glob.path.first()?;
            match modules.link(&at, name)? {
                RustLink::Unread(why) => Some(format!("the crate `{name}` {why}")),
                RustLink::Read(_) => None,
            }
        });
        let shown = match parent {
            [] => "a glob".to_owned(),
            parent => format!("`{}`", parent.join("::")),
        };
        through.map(|why| format!("{shown} re-exports another crate: {why}"))
    }

    /// Reports a single name that is not in scope and would not compile.
    fn check_foreign(&self, path: &[String], ty: &Type, diagnostics: &mut Diagnostics) {
        let [name] = path else {
            return;
        };
        if ["str", "char", "Result"].contains(&name.as_str())
            || !name.starts_with(char::is_uppercase)
        {
            return;
        }
        if self.package.has_macros || self.resolver.has_foreign_globs() {
            return;
        }
        let names = self.package.items.iter().map(|item| item.name.as_str());
        let unknown = Diagnostic::error(format!("no type `{name}` in this version"))
            .at(ty.place.clone(), "neither declared nor imported here");
        diagnostics.push(match crate::suggest::closest(name, names) {
            Some(near) if near != name => unknown.help(format!("did you mean `{near}`?")),
            Some(near) => unknown.help(format!("import it: `use super::{near};`")),
            None => unknown.help("declare the type, or import it with `use`"),
        });
    }

    /// Returns the JSON form of the items, if the type is a list.
    pub(super) fn element_type(&self, ty: &TypeRef) -> WireType {
        match ty {
            TypeRef::List(inner) => self.wire_type(inner),
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.element_type(inner),
            _ => WireType::Unknown,
        }
    }

    /// Returns the JSON form of the type's values.
    pub(super) fn wire_type(&self, ty: &TypeRef) -> WireType {
        self.wire_type_within(ty, 16)
    }

    fn wire_type_within(&self, ty: &TypeRef, hops: usize) -> WireType {
        let Some(hops) = hops.checked_sub(1) else {
            return WireType::Unknown;
        };
        WireType::of(ty, |name| self.local_wire_type(name, hops))
    }

    fn local_wire_type(&self, name: &str, hops: usize) -> WireType {
        let Some(item) = self.item(name) else {
            return WireType::Unknown;
        };
        let is_alias = matches!(item.body, Body::Alias(_));
        let by_hand = !is_alias && !self.is_root(item) && !has_derive(item, "Serialize");
        if item.serde.through.is_some() || by_hand {
            return WireType::Unknown;
        }
        let silent = &mut Diagnostics::new();
        match &item.body {
            Body::Alias(ty) => self.wire_type_within(&self.reference(item, ty, silent), hops),
            Body::Struct(fields) => match (item.transparent_field(), fields.style) {
                (Some(only), _) => {
                    self.wire_type_within(&self.reference(item, &only.ty, silent), hops)
                }
                (None, rust::Style::Named) => WireType::Object,
                (None, rust::Style::Tuple) => WireType::List,
                (None, rust::Style::Unit) => WireType::Unknown,
            },
            Body::Enum(variants) => {
                let units = variants
                    .iter()
                    .all(|variant| variant.fields.style == rust::Style::Unit);
                if units && item.serde.tag.is_none() && !item.serde.untagged {
                    WireType::String
                } else {
                    WireType::Unknown
                }
            }
        }
    }
}

/// Returns the type with arguments instead of parameters.
pub(super) fn replaced(ty: TypeRef, argument: &dyn Fn(&str) -> Option<TypeRef>) -> TypeRef {
    let within = |inner: Box<TypeRef>| Box::new(replaced(*inner, argument));
    match ty {
        TypeRef::List(inner) => TypeRef::List(within(inner)),
        TypeRef::Map(inner) => TypeRef::Map(within(inner)),
        TypeRef::Optional(inner) => TypeRef::Optional(within(inner)),
        TypeRef::Boxed(inner) => TypeRef::Boxed(within(inner)),
        TypeRef::External(mut external) => {
            if let [name] = external.segments.as_slice()
                && let Some(ty) = argument(name)
            {
                return ty;
            }
            let instance = external.instance.into_iter();
            external.instance = instance.map(|ty| replaced(ty, argument)).collect();
            TypeRef::External(external)
        }
        other => other,
    }
}

fn non_zero(number: &str) -> TypeRef {
    let name = format!("NonZero{}", number.to_ascii_uppercase());
    TypeRef::External(ExternalType::new(
        ["std", "num", &name].map(str::to_owned).to_vec(),
    ))
}
