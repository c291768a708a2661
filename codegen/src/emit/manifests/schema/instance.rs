//! Generic types: the schema of each instance.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Schema,
    shape::{Lookup, Shapes},
};
use crate::model::{ExternalType, TypeDef, TypeRef, type_parameters};

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
        match external.segments.as_slice() {
            [name] if !external.global => self.instances.last()?.get(name).cloned(),
            _ => None,
        }
    }

    /// The schema of an instance of a generic type.
    pub(super) fn instance(
        &mut self,
        def: &TypeDef,
        external: &ExternalType,
        scope: Lookup<'_>,
    ) -> Arc<Schema> {
        let generics = def.item.as_ref().map_or("", |item| item.generics.as_str());
        let names = type_parameters(generics).unwrap_or_default();
        let arguments: Vec<TypeRef> = external
            .instance
            .iter()
            .map(|ty| self.substituted(ty))
            .collect();
        let path = format!("{}::{}<{arguments:?}>", scope.path, def.name);
        if Self::is_too_long(&path) {
            return Arc::new(self.too_large(def));
        }
        let bound: BTreeMap<String, TypeRef> = names.into_iter().zip(arguments).collect();
        self.instances.push(bound);
        let schema = self.named_as(path, def, scope);
        self.instances.pop();
        schema
    }

    /// Substitutes the parameters of the current generic type in a type.
    fn substituted(&self, ty: &TypeRef) -> TypeRef {
        let within = |inner: &TypeRef| Box::new(self.substituted(inner));
        match ty {
            TypeRef::List(inner) => TypeRef::List(within(inner)),
            TypeRef::Map(inner) => TypeRef::Map(within(inner)),
            TypeRef::Optional(inner) => TypeRef::Optional(within(inner)),
            TypeRef::Boxed(inner) => TypeRef::Boxed(within(inner)),
            TypeRef::External(external) => self.argument(external).unwrap_or_else(|| {
                let instance = external.instance.iter();
                TypeRef::External(ExternalType {
                    instance: instance.map(|ty| self.substituted(ty)).collect(),
                    ..external.clone()
                })
            }),
            other => other.clone(),
        }
    }
}
