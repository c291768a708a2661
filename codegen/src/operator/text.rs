//! Edits beyond Rust syntax: items with comments, YAML lists, features in TOML. Every other byte is
//! kept, and removing what was added restores the original.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    edit::{EditError, spliced},
    lines::{newline, with_newlines},
};

/// Appends items, after a blank line.
pub(super) fn add_block(text: &str, block: &str) -> String {
    if has_block(text, block) {
        return text.to_owned();
    }
    text.to_owned() + &with_newlines(&format!("\n{block}"), text)
}

/// Removes items that [`add_block`] added, if they are unchanged.
pub(super) fn remove_block(text: &str, block: &str) -> String {
    let block = with_newlines(&format!("\n{block}"), text);
    text.replacen(&block, "", 1)
}

/// Whether the items are present and unchanged.
pub(super) fn has_block(text: &str, block: &str) -> bool {
    text.contains(&with_newlines(&format!("\n{block}"), text))
}

/// Appends an item to a list in a YAML file; a missing list is added at the end of the file.
///
/// # Errors
///
/// [`EditError::NoList`].
pub(super) fn add_list_item(text: &str, key: &str, item: &str) -> Result<String, EditError> {
    let newline = newline(text);
    let Some(list) = List::find(text, key)? else {
        let is_ended = text.is_empty() || text.ends_with('\n');
        return Ok(match is_ended {
            true => format!("{text}{key}:{newline}  - {item}{newline}"),
            false => format!("{text}{newline}{key}:{newline}  - {item}"),
        });
    };
    if list.items.iter().any(|found| found.value == item) {
        return Ok(text.to_owned());
    }
    let (at, indent) = match list.items.last() {
        Some(last) => (last.end, last.indent),
        None => (list.end, "  "),
    };
    let line = if text[..at].ends_with('\n') {
        format!("{indent}- {item}{newline}")
    } else {
        format!("{newline}{indent}- {item}")
    };
    Ok(spliced(text, at..at, &line))
}

/// Removes an item from a list in a YAML file; with the last item, the list too.
pub(super) fn remove_list_item(text: &str, key: &str, item: &str) -> String {
    let Ok(Some(list)) = List::find(text, key) else {
        return text.to_owned();
    };
    let Some(found) = list.items.iter().find(|found| found.value == item) else {
        return text.to_owned();
    };
    let is_last = list.items.len() == 1 && list.end == found.start;
    let start = if is_last { list.start } else { found.start };
    if text[..found.end].ends_with('\n') {
        return spliced(text, start..found.end, "");
    }
    // The last line has no newline, so remove the preceding one.
    let kept = &text[..start];
    let kept = kept.strip_suffix('\n').unwrap_or(kept);
    kept.strip_suffix('\r').unwrap_or(kept).to_owned()
}

/// A top-level YAML list with one item per line.
struct List<'a> {
    /// The start of the line with the key.
    start: usize,
    /// The end of that line.
    end: usize,
    items: Vec<ListItem<'a>>,
}

struct ListItem<'a> {
    start: usize,
    end: usize,
    indent: &'a str,
    value: &'a str,
}

impl<'a> List<'a> {
    fn find(text: &'a str, key: &str) -> Result<Option<Self>, EditError> {
        let mut list: Option<Self> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let (start, end) = (at, at + line.len());
            at = end;
            if let Some(list) = &mut list {
                let inner = line.trim_start();
                let indent = &line[..line.len() - inner.len()];
                match inner.strip_prefix("- ") {
                    Some(value) => {
                        let value = plain(value);
                        list.items.push(ListItem {
                            start,
                            end,
                            indent,
                            value,
                        });
                    }
                    None if inner.is_empty() || inner.starts_with('#') => {}
                    // An item that spans several lines.
                    None if !indent.is_empty() => return Err(EditError::NoList(key.to_owned())),
                    None => break,
                }
                continue;
            }
            let Some(rest) = line
                .strip_prefix(key)
                .and_then(|rest| rest.strip_prefix(':'))
            else {
                continue;
            };
            if !plain(rest).is_empty() {
                return Err(EditError::NoList(key.to_owned()));
            }
            list = Some(Self {
                start,
                end,
                items: Vec::new(),
            });
        }
        Ok(list)
    }
}

/// A value without quotes and without a trailing comment.
fn plain(value: &str) -> &str {
    let value = value.trim();
    let value = match value.starts_with('#') {
        true => "",
        false => value.split(" #").next().unwrap_or_default().trim_end(),
    };
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    let value = inner('"').or_else(|| inner('\'')).unwrap_or(value);
    let value = value.strip_prefix("./").unwrap_or(value);
    value.strip_suffix('/').unwrap_or(value)
}

/// Adds a feature to a dependency in `Cargo.toml`.
///
/// # Errors
///
/// [`EditError`].
pub(super) fn add_feature(
    text: &str,
    dependency: &str,
    feature: &str,
) -> Result<String, EditError> {
    let features = Features::find(text, dependency)?
        .ok_or_else(|| EditError::NoFeatures(dependency.to_owned()))?;
    if features.items.iter().any(|(name, _)| name == feature) {
        return Ok(text.to_owned());
    }
    Ok(match features.items.last() {
        Some((_, last)) => spliced(text, last.end..last.end, &format!(", \"{feature}\"")),
        // Insert after the opening bracket.
        None => {
            let at = features.start + 1;
            spliced(text, at..at, &format!("\"{feature}\""))
        }
    })
}

/// Removes a feature of a dependency.
///
/// # Errors
///
/// [`EditError::Syntax`].
pub(super) fn remove_feature(
    text: &str,
    dependency: &str,
    feature: &str,
) -> Result<String, EditError> {
    let Some(features) = Features::find(text, dependency)? else {
        return Ok(text.to_owned());
    };
    let mut items = features.items.iter();
    let Some(at) = items.position(|(name, _)| name == feature) else {
        return Ok(text.to_owned());
    };
    let before = at.checked_sub(1).and_then(|at| features.items.get(at));
    let (found, next) = (features.items.get(at), features.items.get(at + 1));
    let range = match (before, found, next) {
        (Some((_, before)), Some((_, found)), _) => before.end..found.end,
        (None, Some((_, found)), Some((_, next))) => found.start..next.start,
        (None, Some((_, found)), None) => found.clone(),
        (_, None, _) => return Ok(text.to_owned()),
    };
    Ok(spliced(text, range, ""))
}

/// The features of a dependency, with the byte ranges of their strings.
struct Features {
    start: usize,
    items: Vec<(String, std::ops::Range<usize>)>,
}

impl Features {
    fn find(text: &str, dependency: &str) -> Result<Option<Self>, EditError> {
        // TOML positions do not count a byte order mark.
        let parsed = DeTable::parse(text)
            .ok()
            .filter(|_| !text.starts_with('\u{feff}'));
        let Some(manifest) = parsed else {
            return Err(EditError::NoFeatures(dependency.to_owned()));
        };
        let dependencies = entry(manifest.get_ref(), "dependencies");
        let of_dependency = dependencies.and_then(|table| inner(table, dependency));
        let Some(features) = of_dependency.and_then(|table| inner(table, "features")) else {
            return Ok(None);
        };
        let list = features.get_ref().as_array();
        let items = list.into_iter().flat_map(|list| list.iter());
        let items = items.filter_map(|item| {
            let name = item.get_ref().as_str()?;
            Some((name.to_owned(), item.span()))
        });
        Ok(list.map(|_| Self {
            start: features.span().start,
            items: items.collect(),
        }))
    }
}

fn entry<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    let mut entries = table.iter();
    let found = entries.find(|(name, _)| name.get_ref().as_ref() == key);
    found.map(|(_, value)| value)
}

fn inner<'t, 'i>(value: &'t Spanned<DeValue<'i>>, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    entry(value.get_ref().as_table()?, key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_list(text: &str, expected: &str) {
        let added = add_list_item(text, "components", "webhooks").unwrap();
        assert_eq!(added, expected);
        let again = add_list_item(&added, "components", "webhooks").unwrap();
        assert_eq!(again, added);
        assert_eq!(remove_list_item(&added, "components", "webhooks"), text);
    }

    #[test]
    fn an_item_comes_last_in_its_list() {
        check_list("a: b\n", "a: b\ncomponents:\n  - webhooks\n");
        check_list("", "components:\n  - webhooks\n");
        check_list("a: b", "a: b\ncomponents:\n  - webhooks");
        check_list("a:\r\n- b", "a:\r\n- b\r\ncomponents:\r\n  - webhooks");
        check_list(
            "components: # ours\n- a # one\n# two\n- \"b\"\n\nresources:\n- c\n",
            "components: # ours\n- a # one\n# two\n- \"b\"\n- webhooks\n\nresources:\n- c\n",
        );
        check_list(
            "components:\r\n    - a",
            "components:\r\n    - a\r\n    - webhooks",
        );
    }

    #[test]
    fn an_item_that_is_there_in_other_words_stays() {
        for text in [
            "components:\n  - ./webhooks/ # ours\n",
            "components: # ours\n- 'webhooks'\n",
        ] {
            let added = add_list_item(text, "components", "webhooks");
            assert_eq!(added.as_deref(), Ok(text));
        }
    }

    #[test]
    fn lists_in_other_forms_have_no_place() {
        for text in [
            "components: [a]\n",
            "components: a\n",
            "components:\n  a: b\n",
            "components:\n  - a: b\n    c: d\n",
        ] {
            let added = add_list_item(text, "components", "webhooks");
            assert_eq!(added, Err(EditError::NoList("components".to_owned())));
            assert_eq!(remove_list_item(text, "components", "webhooks"), text);
        }
    }

    #[track_caller]
    fn check_feature(text: &str, expected: &str) {
        let added = add_feature(text, "runtime", "webhooks").unwrap();
        assert_eq!(added, expected);
        assert_eq!(add_feature(&added, "runtime", "webhooks").unwrap(), added);
        assert_eq!(remove_feature(&added, "runtime", "webhooks").unwrap(), text);
    }

    #[test]
    fn a_feature_joins_the_others_of_its_dependency() {
        rows![check_feature:
            ("# ä\n[dependencies]\nruntime = { path = \"a\", features = [\"app\", \"latest\"] } # ours\n",
                "# ä\n[dependencies]\nruntime = { path = \"a\", features = [\"app\", \"latest\", \"webhooks\"] } # ours\n"),
            ("[dependencies.runtime]\nversion = \"1\"\nfeatures = [\n  'app',\n]\n",
                "[dependencies.runtime]\nversion = \"1\"\nfeatures = [\n  'app', \"webhooks\",\n]\n"),
            ("[dependencies]\nruntime = { features = [ ] }\n",
                "[dependencies]\nruntime = { features = [\"webhooks\" ] }\n"),
        ];
    }

    #[test]
    fn a_dependency_without_features_has_no_place() {
        for text in [
            "[dependencies]\nruntime = \"1\"\n",
            "[dependencies]\n",
            "[dev-dependencies]\nruntime = { features = [] }\n",
            "[dependencies]\nruntime = { features = 1 }\n",
            "[",
        ] {
            assert!(add_feature(text, "runtime", "webhooks").is_err(), "{text}");
        }
    }

    #[test]
    fn a_block_goes_as_it_came() {
        for text in ["use a;\n", "use a;\r\n", "", "use a;"] {
            let added = add_block(text, "/// A.\nfn f() {}\n");
            assert_eq!(add_block(&added, "/// A.\nfn f() {}\n"), added);
            assert_eq!(remove_block(&added, "/// A.\nfn f() {}\n"), text);
        }
    }
}
