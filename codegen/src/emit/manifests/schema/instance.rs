//! Generic types: the schema of each instance.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Schema,
    shape::{Lookup, Shapes},
};
use crate::model::{ExternalType, TypeDef, TypeKind, TypeRef, type_parameters};

/// The maximum number of aliases and boxes followed in a row.
const MOST_HOPS: usize = 16;

impl ExternalType {
    /// The generic type that this is an instance of, if it is in `types`.
    pub(super) fn generic_type<'t>(&self, types: &'t [TypeDef]) -> Option<&'t TypeDef> {
        let mut types = types.iter();
        let is_instance = !self.instance.is_empty();
        types.find(|def| is_instance && def.name == self.name())
    }
}

impl Shapes<'_> {
    /// The argument for a parameter of the current generic type; `None` for other types.
    pub(super) fn argument(&self, external: &ExternalType) -> Option<TypeRef> {
        argument(external, self.instances.last()?).cloned()
    }

    /// The schema of an instance of a generic type.
    pub(super) fn instance(
        &mut self,
        def: &TypeDef,
        external: &ExternalType,
        scope: Lookup<'_>,
    ) -> Arc<Schema> {
        let arguments: Vec<TypeRef> = external
            .instance
            .iter()
            .map(|ty| self.substituted(ty))
            .collect();
        let path = format!("{}::{}<{arguments:?}>", scope.path, def.name);
        if Self::is_too_long(&path) {
            return Arc::new(self.too_large(def));
        }
        self.instances.push(bound(def, arguments));
        let schema = self.named_as(path, def, scope);
        self.instances.pop();
        schema
    }

    /// Whether serde reads a value of the type from an absent field: an `Option`, also behind an alias, a box, a transparent type or a
    /// parameter of a generic type.
    pub(super) fn is_optional(&self, ty: &TypeRef, scope: Lookup<'_>) -> bool {
        self.is_optional_within(&self.substituted(ty), scope, MOST_HOPS)
    }

    fn is_optional_within(&self, ty: &TypeRef, scope: Lookup<'_>, hops: usize) -> bool {
        let Some(hops) = hops.checked_sub(1) else {
            return false;
        };
        let target = |name: &str| {
            let def = scope.types.iter().find(|def| def.name == name)?;
            let is_transparent = def.item.as_ref().is_some_and(|item| item.transparent);
            match &def.kind {
                TypeKind::Alias(alias) if !alias.newtype || is_transparent => {
                    Some((def, &alias.target))
                }
                _ => None,
            }
        };
        match ty {
            TypeRef::Optional(_) => true,
            TypeRef::Boxed(inner) => self.is_optional_within(inner, scope, hops),
            TypeRef::Local(name) => {
                target(name).is_some_and(|(_, target)| self.is_optional_within(target, scope, hops))
            }
            TypeRef::External(external) if !external.instance.is_empty() => target(external.name())
                .is_some_and(|(def, target)| {
                    let target = substituted(target, &bound(def, external.instance.clone()));
                    self.is_optional_within(&target, scope, hops)
                }),
            _ => false,
        }
    }

    /// Substitutes the parameters of the current generic type in a type.
    fn substituted(&self, ty: &TypeRef) -> TypeRef {
        match self.instances.last() {
            Some(bound) => substituted(ty, bound),
            None => ty.clone(),
        }
    }
}

/// The parameters of a generic type, each with its argument.
fn bound(def: &TypeDef, arguments: Vec<TypeRef>) -> BTreeMap<String, TypeRef> {
    let generics = def.item.as_ref().map_or("", |item| item.generics.as_str());
    let names = type_parameters(generics);
    names.into_iter().zip(arguments).collect()
}

/// The argument for a parameter; `None` for other types.
fn argument<'b>(
    external: &ExternalType,
    bound: &'b BTreeMap<String, TypeRef>,
) -> Option<&'b TypeRef> {
    match external.segments.as_slice() {
        [name] if !external.global => bound.get(name),
        _ => None,
    }
}

/// Substitutes parameters in a type.
fn substituted(ty: &TypeRef, bound: &BTreeMap<String, TypeRef>) -> TypeRef {
    let within = |inner: &TypeRef| Box::new(substituted(inner, bound));
    match ty {
        TypeRef::List(inner) => TypeRef::List(within(inner)),
        TypeRef::Map(inner) => TypeRef::Map(within(inner)),
        TypeRef::Optional(inner) => TypeRef::Optional(within(inner)),
        TypeRef::Boxed(inner) => TypeRef::Boxed(within(inner)),
        TypeRef::External(external) => match argument(external, bound) {
            Some(argument) => argument.clone(),
            None => {
                let instance = external.instance.iter();
                TypeRef::External(ExternalType {
                    instance: instance.map(|ty| substituted(ty, bound)).collect(),
                    ..external.clone()
                })
            }
        },
        other => other.clone(),
    }
}
