//! The bodies of merged types: those of the first, with the descriptions of all.

use crate::model::TypeKind;

/// Returns the body of each class. `class_of` has the class of each body; classes are numbered in
/// the order of their first types.
///
/// Types of one class have the same fields, but their descriptions may differ: a field without a
/// description gets another type's, and one with several has all of them, so that none is lost and
/// none is said of the wrong type.
pub(super) fn bodies(bodies: Vec<TypeKind>, class_of: &[usize]) -> Vec<TypeKind> {
    let mut merged: Vec<TypeKind> = Vec::new();
    for (body, &class) in bodies.into_iter().zip(class_of) {
        match merged.get_mut(class) {
            Some(first) => describe(first, &body),
            None => merged.push(body),
        }
    }
    merged
}

/// Adds descriptions that only the other body has.
fn describe(first: &mut TypeKind, other: &TypeKind) {
    let (TypeKind::Struct(first), TypeKind::Struct(other)) = (first, other) else {
        return;
    };
    for (field, other) in first.fields.iter_mut().zip(&other.fields) {
        add(&mut field.docs, &other.docs);
    }
}

fn add(docs: &mut String, other: &str) {
    let other = other.trim();
    if docs.trim().is_empty() {
        other.clone_into(docs);
    } else if !docs.contains(other) {
        docs.push_str("\n\n");
        docs.push_str(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, StructDef, TypeRef};

    fn body(docs: &str) -> TypeKind {
        TypeKind::Struct(StructDef {
            fields: vec![Field {
                docs: docs.to_owned(),
                ..Field::required("size", TypeRef::String)
            }],
            ..StructDef::default()
        })
    }

    #[track_caller]
    fn check(docs: &[&str], expected: &str) {
        let all = docs.iter().map(|docs| body(docs)).collect();
        assert_eq!(bodies(all, &vec![0; docs.len()]), [body(expected)]);
    }

    #[test]
    fn a_merged_field_has_the_descriptions_of_all_types() {
        check(&["Of A.", "Of A."], "Of A.");
        check(&["", "Of B.", ""], "Of B.");
        check(&["Of A.", "Of B.", "Of A.\n"], "Of A.\n\nOf B.");
        check(&["Of A. More.", "Of A."], "Of A. More.");
    }

    #[test]
    fn each_class_has_the_body_of_its_first_type() {
        let all = ["a", "b", "", "c"].map(body).to_vec();
        assert_eq!(bodies(all, &[0, 1, 0, 2]), ["a", "b", "c"].map(body));
    }
}
