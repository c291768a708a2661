//! Semantic versions.

use std::cmp::Ordering;

/// A version: three numbers and a pre-release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Semver {
    pub(crate) numbers: [u64; 3],
    pre: Vec<String>,
}

fn plain_number(text: &str) -> Option<u64> {
    let plain =
        text.bytes().all(|digit| digit.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}

/// Parses a version.
pub(crate) fn read(text: &str) -> Option<Semver> {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let (text, build) = text
        .split_once('+')
        .map_or((text, None), |(text, build)| (text, Some(build)));
    if build.is_some_and(|build| !build.split('.').all(is_part)) {
        return None;
    }
    let (numbers, pre) = text
        .split_once('-')
        .map_or((text, None), |(numbers, pre)| (numbers, Some(pre)));
    let numbers: Option<Vec<u64>> = numbers.split('.').map(plain_number).collect();
    let pre: Vec<String> =
        pre.map_or_else(Vec::new, |pre| pre.split('.').map(str::to_owned).collect());
    let is_number = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
    let sound = |part: &String| is_part(part) && (!is_number(part) || plain_number(part).is_some());
    Some(Semver {
        numbers: numbers?.try_into().ok()?,
        pre: Some(pre).filter(|pre| pre.iter().all(sound))?,
    })
}

/// Normalizes a version: `v1.2` to `1.2.0`, without leading zeros.
pub(crate) fn normal(text: &str) -> String {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts: Vec<&str> = numbers
        .split('.')
        .map(|part| match part.trim_start_matches('0') {
            "" if !part.is_empty() => "0",
            part => part,
        })
        .collect();
    while parts.len() < 3 {
        parts.push("0");
    }
    format!("{}{rest}", parts.join("."))
}

impl Semver {
    /// Compares two versions by precedence.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => {
                    let mut pairs = self
                        .pre
                        .iter()
                        .zip(&other.pre)
                        .map(|(a, b)| order_parts(a, b));
                    pairs
                        .find(|order| order.is_ne())
                        .unwrap_or_else(|| self.pre.len().cmp(&other.pre.len()))
                }
            }
        })
    }
}

fn order_parts(a: &str, b: &str) -> Ordering {
    match (plain_number(a), plain_number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}
