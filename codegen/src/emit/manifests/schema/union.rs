//! Enums with data, in serde's four representations.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    PRESERVE, Schema,
    shape::{At, Lookup, Shapes},
};
use crate::{
    diag::Diagnostic,
    model::{StructDef, TypeKind, TypeRef, UnionDef, UnionVariant},
};

impl Schema {
    /// Whether objects may have properties that are not declared, as those of maps.
    fn is_open(&self) -> bool {
        self.additional.is_some() || self.words.get(PRESERVE).is_some()
    }

    /// Makes all fields optional, for a flattened `Option`: serde writes none of them for `None`, also none of an enum's variants.
    pub(super) fn permit_none(&mut self) {
        self.required.clear();
        let demands = |choice: &Value| {
            let required = choice.get("required").and_then(Value::as_array);
            required.is_some_and(|required| !required.is_empty())
        };
        let choices = self.words.get("anyOf").and_then(Value::as_array);
        if choices.is_some_and(|choices| choices.iter().all(demands)) {
            // Whatever lacks the fields of every variant of an untagged enum is none.
            self.words.remove("anyOf");
        }
        let Some(Value::Array(choices)) = self.words.get_mut("oneOf") else {
            return;
        };
        // The tag, or the names of the variants.
        let mut marks: Vec<&Value> = Vec::new();
        for choice in choices.iter() {
            match choice.get("required").and_then(|required| required.get(0)) {
                Some(mark) if marks.contains(&mark) => {}
                Some(mark) => marks.push(mark),
                None => return,
            }
        }
        let present = |mark: &&Value| json!({"required": [mark]});
        let none = match marks.as_slice() {
            [tag] => json!({"not": present(tag)}),
            names => json!({"not": {"anyOf": names.iter().map(present).collect::<Vec<_>>()}}),
        };
        choices.push(none);
    }
}

impl Shapes<'_> {
    pub(super) fn union(&mut self, def: &UnionDef, scope: Lookup<'_>, at: At<'_>) -> Schema {
        match (&def.tag, &def.content) {
            (Some(tag), Some(content)) => self.adjacent(def, (tag, content), scope, at),
            (Some(tag), None) => self.internal(def, tag, scope, at),
            _ if def.untagged => self.untagged(def, scope, at),
            _ => self.external(def, scope, at),
        }
    }

    /// `{"variant": data}`: one property per variant, of which exactly one is present.
    fn external(&mut self, def: &UnionDef, scope: Lookup<'_>, at: At<'_>) -> Schema {
        if def.variants.iter().any(|it| it.untagged || is_text(it)) {
            return self.mixed(def, scope, at);
        }
        let mut schema = Schema::of_type("object");
        let mut choices = Vec::new();
        for variant in &def.variants {
            let mut property = self.content(variant, scope, at);
            property.describe(self.docs(&variant.docs, scope));
            let name = &variant.json_name;
            schema.properties.insert(name.clone(), Arc::new(property));
            choices.push(json!({"required": [name]}));
        }
        // An enum without variants has no values.
        match choices.is_empty() {
            true => schema,
            false => schema.with("oneOf", choices),
        }
    }

    /// Variants that serde writes as strings, others as objects or only their data: a string if all
    /// of them are.
    fn mixed(&mut self, def: &UnionDef, scope: Lookup<'_>, at: At<'_>) -> Schema {
        let mut values = Some(Vec::new());
        for variant in &def.variants {
            let own = match variant {
                _ if is_text(variant) && !variant.untagged => {
                    Some(vec![Value::String(variant.json_name.clone())])
                }
                _ if variant.untagged => {
                    let content = self.content(variant, scope, at);
                    if content.ty() != Some("string") {
                        return self.any_of_mixed(def, at);
                    }
                    let values = content.words.get("enum").and_then(Value::as_array);
                    values.cloned()
                }
                _ => return self.any_of_mixed(def, at),
            };
            values = values.zip(own).map(|(all, own)| [all, own].concat());
        }
        match values {
            Some(values) => Schema::of_type("string").with("enum", values),
            None => Schema::of_type("string"),
        }
    }

    /// Any value, with a warning about an enum whose variants have different forms. kube's derive
    /// panics.
    fn any_of_mixed(&mut self, def: &UnionDef, at: At<'_>) -> Schema {
        let message = format!("the variants of `{}` have different forms", at.what);
        let texts = def.variants.iter().filter(|it| is_text(it) && !it.untagged);
        let texts: Vec<String> = texts.map(|it| format!("`{} {{}}`", it.name)).collect();
        let (finding, effect) = match self.is_kube {
            true => (Diagnostic::warning(message), "the CRD permits any value"),
            false => (Diagnostic::error(message), "no schema distinguishes them"),
        };
        let remedy = match texts.as_slice() {
            [] => "use a type of one form".to_owned(),
            texts => format!("for objects only, write {}", texts.join(", ")),
        };
        let help = format!("serde writes strings, objects or only data, and {effect}: {remedy}");
        let finding = finding.help(help);
        self.report(at, finding);
        Schema::default().with(PRESERVE, true)
    }

    /// `{"type": "variant", …data}`.
    fn internal(&mut self, def: &UnionDef, tag: &str, scope: Lookup<'_>, at: At<'_>) -> Schema {
        let mut schema = Schema::of_type("object");
        let mut choices = Vec::new();
        let mut is_open = false;
        for variant in &def.variants {
            let content = match holds_unit(variant, scope) {
                // Beside a tag, serde writes nothing for it.
                true => Schema::of_type("object"),
                false => self.content(variant, scope, at),
            };
            self.check_beside_tag(tag, variant, &content, at);
            is_open |= content.is_open();
            let mut required = vec![tag.to_owned()];
            required.extend(content.required);
            choices.push(json!({
                "properties": {tag: {"enum": [variant.json_name]}},
                "required": required,
            }));
            for (name, property) in content.properties {
                match schema.properties.get(&name) {
                    Some(present) if *present != property => {
                        let message = format!(
                            "the variants of `{}` disagree about the field `{name}`",
                            at.what
                        );
                        let help = "one property has one schema: give the fields one type and the same documentation, or other names";
                        self.report(at, Diagnostic::error(message).help(help));
                    }
                    _ => {
                        schema.properties.insert(name, property);
                    }
                }
            }
        }
        schema
            .properties
            .insert(tag.to_owned(), Arc::new(tags(def)));
        schema.required.insert(tag.to_owned());
        if is_open {
            schema = schema.with(PRESERVE, true);
        }
        schema.with("oneOf", choices)
    }

    /// Reports data that cannot stand beside a tag: a value that is not an object, or a field with the tag's name.
    fn check_beside_tag(
        &mut self,
        tag: &str,
        variant: &UnionVariant,
        content: &Schema,
        at: At<'_>,
    ) {
        let of = format!("the variant `{}` of `{}`", variant.name, at.what);
        let (message, help) = match content.ty() {
            Some(ty) if ty != "object" => (
                format!("{of} is of type {ty}, which cannot stand beside the tag `{tag}`"),
                "use a struct, or give the enum a `content`",
            ),
            _ if content.properties.contains_key(tag) => (
                format!("{of} has a field `{tag}`, which is the tag"),
                "serde writes both under one name: rename one of them",
            ),
            _ => return,
        };
        self.report(at, Diagnostic::error(message).help(help));
    }

    /// `{"type": "variant", "content": data}`.
    fn adjacent(
        &mut self,
        def: &UnionDef,
        (tag, content): (&str, &str),
        scope: Lookup<'_>,
        at: At<'_>,
    ) -> Schema {
        let mut schema = Schema::of_type("object");
        let mut joined: Option<Schema> = None;
        let mut agree = true;
        let mut choices = Vec::new();
        for variant in &def.variants {
            let mut required = vec![tag];
            if variant.named || !variant.fields.is_empty() {
                required.push(content);
                let data = self.content(variant, scope, at);
                agree &= joined.as_ref().is_none_or(|joined| *joined == data);
                joined.get_or_insert(data);
            }
            choices.push(json!({
                "properties": {tag: {"enum": [variant.json_name]}},
                "required": required,
            }));
        }
        let data = joined.filter(|_| agree);
        let data = data.unwrap_or_else(|| Schema::default().with(PRESERVE, true));
        schema.properties.insert(content.to_owned(), Arc::new(data));
        schema
            .properties
            .insert(tag.to_owned(), Arc::new(tags(def)));
        schema.required.insert(tag.to_owned());
        schema.with("oneOf", choices)
    }

    /// Only the data: an integer or a string, the union of the properties of objects, or anything.
    fn untagged(&mut self, def: &UnionDef, scope: Lookup<'_>, at: At<'_>) -> Schema {
        let contents: Vec<Schema> = def
            .variants
            .iter()
            .map(|variant| self.content(variant, scope, at))
            .collect();
        let mut types: Vec<&str> = contents.iter().filter_map(Schema::ty).collect();
        types.sort_unstable();
        types.dedup();
        let same = contents.windows(2).all(|pair| pair[0] == pair[1]);
        if same && let Some(schema) = contents.first() {
            return schema.clone();
        }
        if types == ["integer", "string"] && contents.len() == 2 {
            return Schema::default()
                .with("anyOf", json!([{"type": "integer"}, {"type": "string"}]))
                .with("x-kubernetes-int-or-string", true);
        }
        let anything = Schema::default().with(PRESERVE, true);
        let is_typed = contents.iter().all(|content| content.ty().is_some());
        match types.as_slice() {
            ["object"] if is_typed => {}
            // Each variant has a format, a pattern or bounds of its own.
            [only @ ("boolean" | "integer" | "string")] if is_typed => {
                return Schema::of_type(only);
            }
            _ => return anything,
        }
        let mut schema = Schema::of_type("object");
        if contents.iter().any(Schema::is_open) {
            schema = schema.with(PRESERVE, true);
        }
        let mut choices = Vec::new();
        for content in contents {
            choices.push(json!({"required": content.required}));
            for (name, property) in content.properties {
                let present = schema.properties.entry(name).or_insert(property.clone());
                if *present != property {
                    return anything;
                }
            }
        }
        schema.with("anyOf", choices)
    }

    /// `Either` as serde writes it: an object with one of its sides.
    pub(super) fn either(&mut self, sides: &[TypeRef], scope: Lookup<'_>, at: At<'_>) -> Schema {
        let mut schema = Schema::of_type("object");
        let mut choices = Vec::new();
        for (name, side) in ["Left", "Right"].iter().zip(sides) {
            let side = self.of(side, scope, at);
            schema.properties.insert((*name).to_owned(), side);
            choices.push(json!({"required": [name]}));
        }
        schema.with("oneOf", choices)
    }

    /// The data of a variant: the value of a tuple variant with one field, else an object.
    fn content(&mut self, variant: &UnionVariant, scope: Lookup<'_>, at: At<'_>) -> Schema {
        match variant.fields.as_slice() {
            [field] if !variant.named => self.property(field, scope, at),
            [_, _, ..] if !variant.named => {
                let message = format!(
                    "the variant `{}` of `{}` has several values without names",
                    variant.name, at.what
                );
                let help = "serde writes a list of different types, which no schema describes: name the fields";
                self.report(at, Diagnostic::error(message).help(help));
                Schema::default().with(PRESERVE, true)
            }
            fields => {
                let def = StructDef {
                    fields: fields.to_vec(),
                    ..StructDef::default()
                };
                self.structure(&def, scope, at)
            }
        }
    }
}

/// Whether serde writes a variant without tag as a string.
fn is_text(variant: &UnionVariant) -> bool {
    variant.fields.is_empty() && !variant.named
}

/// Whether a variant holds a unit struct only.
fn holds_unit(variant: &UnionVariant, scope: Lookup<'_>) -> bool {
    let [field] = variant.fields.as_slice() else {
        return false;
    };
    let TypeRef::Local(name) = &field.ty else {
        return false;
    };
    let mut types = scope.types.iter();
    let def = types.find(|def| !variant.named && def.name == *name);
    def.is_some_and(
        |def| matches!(&def.kind, TypeKind::Struct(body) if body.tuple && body.fields.is_empty()),
    )
}

/// The property that holds the variant's name.
fn tags(def: &UnionDef) -> Schema {
    let names = def.variants.iter().map(|variant| variant.json_name.clone());
    let names: Vec<Value> = names.map(Value::String).collect();
    Schema::of_type("string").with("enum", names)
}
