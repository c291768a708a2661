//! serde's cases, which are its own: it knows no acronyms (`h_t_t_p_route`) and keeps digits and capitals where they are, so
//! that neither `snake_case` beside this module nor heck gives the same names.

/// A name in one of serde's cases, from a field (`snake_case`) or a variant (`UpperCamel`); serde knows no acronyms.
#[must_use]
pub fn apply_case(name: &str, case: &str, is_variant: bool) -> Option<String> {
    let pascal = || {
        if is_variant {
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
        if !is_variant {
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
        "lowercase" if is_variant => name.to_ascii_lowercase(),
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
    fn check(name: &str, case: &str, is_variant: bool, expected: &str) {
        assert_eq!(
            apply_case(name, case, is_variant).as_deref(),
            Some(expected)
        );
    }

    #[test]
    fn cases_are_serdes_own() {
        check("last_update_time", "camelCase", false, "lastUpdateTime");
        check("last_update_time", "PascalCase", false, "LastUpdateTime");
        check("last_update_time", "kebab-case", false, "last-update-time");
        check("a_b", "SCREAMING_SNAKE_CASE", false, "A_B");
        check("PathPrefix", "kebab-case", true, "path-prefix");
        check("HTTPRoute", "snake_case", true, "h_t_t_p_route");
        check("PathPrefix", "camelCase", true, "pathPrefix");
        check("PathPrefix", "lowercase", true, "pathprefix");
        check("PathPrefix", "SCREAMING-KEBAB-CASE", true, "PATH-PREFIX");
        assert_eq!(apply_case("a", "camelcase", false), None);
    }
}
