//! The table of findings.

/// A kind of change.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name in output, in codegen.toml and in the book.
    pub id: &'static str,
    /// What changed.
    pub summary: &'static str,
    /// Who can be hurt, and when.
    pub hurts: &'static str,
}

/// Declares the rules as constants and in a table.
macro_rules! rules {
    ($($name:ident $id:literal $summary:literal $hurts:literal)*) => {
        $(pub(crate) const $name: &Rule = &Rule { id: $id, summary: $summary, hurts: $hurts };)*

        /// Every finding.
        pub const RULES: &[&Rule] = &[$($name),*];
    };
}

#[rustfmt::skip]
rules! {
    CRD_REMOVED "crd-removed" "A CRD is gone." "The server deletes all objects with the CRD."
    CRD_ADDED "crd-added" "A CRD is new." "Nobody."
    SCOPE_CHANGED "scope-changed" "The scope changed between Namespaced and Cluster." "The server refuses the change: the CRD, and with it all objects, must be deleted first."
    NAME_CHANGED "name-changed" "The kind, list kind or singular name changed." "The server keeps the old names: clients that use the new ones find nothing."
    SHORT_NAME_CHANGED "short-name-changed" "A short name or category came or went." "Scripts that use one that is gone."
    CONVERSION_CHANGED "conversion-changed" "The conversion between versions changed." "Objects are converted otherwise than before."
    CONVERSION_LOSS "conversion-loss" "The strategy `None` drops what one version has and the other lacks." "Data that is written in one version and read in another."
    VERSION_ADDED "version-added" "A version is new." "Nobody, unless conversion drops data."
    VERSION_REMOVED "version-removed" "A version is gone, or no longer served." "Clients of the version; stored objects of it, if `status.storedVersions` names it."
    STORAGE_CHANGED "storage-version-changed" "Another version is stored." "Data that the version lacks."
    DEPRECATION_CHANGED "deprecation-changed" "A version's deprecation changed." "Nobody: clients get a warning."
    SUBRESOURCE_ADDED "subresource-added" "The subresource `status` or `scale` is new." "With `status`, writes to the object ignore the status."
    SUBRESOURCE_REMOVED "subresource-removed" "The subresource `status` or `scale` is gone." "Controllers that write the status, autoscalers."
    SCALE_CHANGED "scale-changed" "A path of the subresource `scale` changed." "Autoscalers read or write another field."
    COLUMN_CHANGED "column-changed" "A printer column came, went or changed." "Scripts that read the output of `kubectl get`."
    SELECTABLE_CHANGED "selectable-field-changed" "A selectable field came or went." "Field selectors that name it are refused."
    SCHEMA_REFUSED "schema-refused" "kube-apiserver refuses the new schema." "The CRD cannot be applied."
    FIELD_ADDED "field-added" "A field is new." "Nobody, unless objects could have it before."
    FIELD_REMOVED "field-removed" "A field is gone." "Its values are pruned; readers that require it."
    REQUIRED_CHANGED "required-changed" "Fields became required or optional." "Writers that leave out a required field; readers that meet an object without it."
    TYPE_CHANGED "type-changed" "The type changed." "Stored objects, writers and readers of the other type."
    NULLABLE_CHANGED "nullable-changed" "Null is allowed, or no longer." "Nulls are dropped or refused; readers meet a null."
    ENUM_CHANGED "enum-changed" "The listed values changed." "Writers of a value that is gone; readers that meet a new one."
    BOUND_CHANGED "bound-changed" "A bound of a number, a length or a size changed." "Writers of values outside of it."
    PATTERN_CHANGED "pattern-changed" "The pattern changed." "Writers of texts that it does not match."
    FORMAT_CHANGED "format-changed" "The format changed." "Writers of values of another form; readers that parse them."
    DEFAULT_CHANGED "default-changed" "A default came, went or changed." "The meaning of objects without the field."
    RULE_CHANGED "rule-changed" "A rule in CEL came, went or changed." "Writers of objects that it refuses."
    COMBINATION_CHANGED "combination-changed" "`allOf`, `anyOf`, `oneOf` or `not` changed." "Writers of objects that it refuses."
    UNKNOWN_FIELDS_CHANGED "unknown-fields-changed" "Fields that the schema does not name are pruned, or kept." "Data in such fields."
    EMBEDDED_CHANGED "embedded-resource-changed" "An embedded object is checked as such, or no longer." "Writers of objects without apiVersion, kind or with wrong metadata."
    LIST_TYPE_CHANGED "list-type-changed" "A list merges otherwise: its type or keys changed." "Server-side apply merges otherwise; duplicates are refused."
    MAP_TYPE_CHANGED "map-type-changed" "A map merges otherwise." "Server-side apply merges otherwise."
    KEYWORD_CHANGED "keyword-changed" "Another keyword of the schema changed." "Unknown: searched for."
    DESCRIPTION_CHANGED "description-changed" "Text that only people read changed." "Nobody."
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn each_rule_has_its_own_id() {
        let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
