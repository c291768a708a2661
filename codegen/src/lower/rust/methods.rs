//! Resolves types in methods of the typed client.

use super::{Cx, resolve::Resolved};
use crate::{
    diag::{Diagnostic, Diagnostics},
    lower::methods::{self, is_name, method_reference},
    model::{CustomMethod, TypeRef, VerbSet},
    read::{markers::At, rust::Item},
};

impl Cx<'_> {
    /// Returns the methods that `+genclient:method=` adds to those of the verbs.
    pub(super) fn methods(
        &self,
        item: &Item,
        verbs: &VerbSet,
        diagnostics: &mut Diagnostics,
    ) -> Vec<CustomMethod> {
        let mut local = |argument: &At<String>, diagnostics: &mut Diagnostics| {
            self.method_type(item, argument, diagnostics)
        };
        methods::of_markers(&item.markers, verbs, &mut local, diagnostics)
    }

    fn method_type(
        &self,
        item: &Item,
        argument: &At<String>,
        diagnostics: &mut Diagnostics,
    ) -> Option<TypeRef> {
        let text = argument.value.as_str();
        let segments: Vec<String> = text.split("::").map(str::to_owned).collect();
        if !segments.iter().all(|segment| is_name(segment)) {
            diagnostics.push(
                Diagnostic::error(format!("`{text}` is not a type"))
                    .at(argument.place.clone(), "neither a name nor a path"),
            );
            return None;
        }
        match self.resolver.resolve(item.module, &segments) {
            Resolved::Item(index) => {
                let found = self.package.items.get(index)?;
                if !self.resolver.is_exported(index) {
                    diagnostics.push(
                        self.not_exported(found, &found.name)
                            .at(argument.place.clone(), "the client names it"),
                    );
                }
                Some(TypeRef::Local(self.key(found).to_owned()))
            }
            Resolved::External(path) if path.len() > 1 => Some(method_reference(path)),
            Resolved::External(_) => {
                let items = self.package.items.iter().map(|item| item.name.as_str());
                diagnostics.push(methods::unknown_type(argument, items));
                None
            }
        }
    }
}
