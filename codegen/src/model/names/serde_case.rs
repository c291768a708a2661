//! serde's case conversions, which differ from both `snake_case` in this module's parent and heck:
//! serde does not know acronyms (`h_t_t_p_route`) and leaves digits and capitals in place.

/// The kind of item that serde renames, which decides the case of its Rust name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renamed {
    /// A field, in snake case.
    Field,
    /// An enum variant, in upper camel case.
    Variant,
}

/// Converts a name to one of serde's cases. Returns `None` if serde does not know the case.
#[must_use]
pub fn apply_case(name: &str, case: &str, renamed: Renamed) -> Option<String> {
    let pascal = || {
        if renamed == Renamed::Variant {
            return name.to_owned();
        }
        let mut pascal = String::with_capacity(name.len());
        let mut capital = true;
        for c in name.chars() {
            if c == '_' {
                capital = true;
            } else if capital {
                pascal.push(c.to_ascii_uppercase());
                capital = false;
            } else {
                pascal.push(c);
            }
        }
        pascal
    };
    let snake = || {
        if renamed == Renamed::Field {
            return name.to_owned();
        }
        let mut snake = String::with_capacity(name.len() + 4);
        for (index, c) in name.char_indices() {
            if index > 0 && c.is_uppercase() {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
        snake
    };
    let camel = || {
        let pascal = pascal();
        let mut chars = pascal.chars();
        chars.next().map_or_else(String::new, |first| {
            format!("{}{}", first.to_ascii_lowercase(), chars.as_str())
        })
    };
    Some(match case {
        "lowercase" if renamed == Renamed::Variant => name.to_ascii_lowercase(),
        "lowercase" => name.to_owned(),
        "UPPERCASE" => name.to_ascii_uppercase(),
        "PascalCase" => pascal(),
        "camelCase" => camel(),
        "snake_case" => snake(),
        "SCREAMING_SNAKE_CASE" => snake().to_ascii_uppercase(),
        "kebab-case" => snake().replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => snake().to_ascii_uppercase().replace('_', "-"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, case: &str, renamed: Renamed, expected: &str) {
        assert_eq!(apply_case(name, case, renamed).as_deref(), Some(expected));
    }

    #[test]
    fn cases_are_serdes_own() {
        rows![check:
            ("last_update_time", "camelCase", Renamed::Field, "lastUpdateTime"),
            ("last_update_time", "PascalCase", Renamed::Field, "LastUpdateTime"),
            ("last_update_time", "kebab-case", Renamed::Field, "last-update-time"),
            ("a_b", "SCREAMING_SNAKE_CASE", Renamed::Field, "A_B"),
            ("PathPrefix", "kebab-case", Renamed::Variant, "path-prefix"),
            ("HTTPRoute", "snake_case", Renamed::Variant, "h_t_t_p_route"),
            ("PathPrefix", "camelCase", Renamed::Variant, "pathPrefix"),
            ("PathPrefix", "lowercase", Renamed::Variant, "pathprefix"),
            ("PathPrefix", "SCREAMING-KEBAB-CASE", Renamed::Variant, "PATH-PREFIX"),
        ];
        assert_eq!(apply_case("a", "camelcase", Renamed::Field), None);
    }
}
