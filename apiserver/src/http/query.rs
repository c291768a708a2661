//! Query parameters, with the conversions of kube-apiserver.

use super::path::percent_decode;
use crate::status::ApiError;

/// The parameters of a request, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Parses the query string of a URL, without the question mark.
    ///
    /// # Errors
    /// 400 for invalid escapes.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let decode = |part: &str| {
            percent_decode(&part.replace('+', " "))
                .ok_or_else(|| ApiError::bad_request(format!("invalid URL escape \"{part}\"")))
        };
        let mut pairs = Vec::new();
        for pair in text.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            pairs.push((decode(key)?, decode(value)?));
        }
        Ok(Self(pairs))
    }

    /// Returns the first value of a parameter, or `None` if it is absent.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
    }

    /// Returns all values of a parameter.
    pub(crate) fn all(&self, key: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
            .collect()
    }

    /// Returns the first value of a parameter; empty if it is absent.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.get(key).unwrap_or_default()
    }

    /// Returns a boolean parameter: true if present, except for `false` and `0`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.maybe_flag(key).unwrap_or_default()
    }

    /// Returns a boolean parameter, or `None` if it is absent.
    pub(crate) fn maybe_flag(&self, key: &str) -> Option<bool> {
        self.get(key)
            .map(|value| !(value.eq_ignore_ascii_case("false") || value == "0"))
    }

    /// Returns an integer parameter, or `None` if it is absent or empty.
    ///
    /// # Errors
    /// 400 if the value is not an integer.
    pub(crate) fn integer(&self, key: &str) -> Result<Option<i64>, ApiError> {
        match self.get(key) {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| {
                ApiError::bad_request(format!(
                    "strconv.ParseInt: parsing \"{text}\": invalid syntax"
                ))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_convert_as_in_the_api_server() {
        let query =
            Query::parse("watch&a=0&b=False&c=x+y%2C&limit=7&bad=q&dryRun=All&dryRun=B").unwrap();
        assert!(query.flag("watch"));
        assert!(!query.flag("a") && !query.flag("b") && !query.flag("absent"));
        assert_eq!(query.text("c"), "x y,");
        assert_eq!(query.integer("limit").unwrap(), Some(7));
        assert_eq!(query.integer("absent").unwrap(), None);
        assert_eq!(query.integer("bad").unwrap_err().code, 400);
        assert_eq!(query.all("dryRun"), ["All", "B"]);
    }
}
