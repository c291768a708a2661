//! The functions that rules can call: CEL's own, those of its libraries, and Kubernetes', as of Kubernetes 1.36.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use super::types::{SCALARS, Type};

/// A signature of a function.
#[derive(Debug)]
pub(super) struct Overload {
    pub(super) style: Style,
    /// The receiver first, if there is one.
    pub(super) args: Vec<Type<'static>>,
    pub(super) result: Type<'static>,
    /// How many parameters are in it.
    pub(super) params: usize,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `size(x)`
    Global,
    /// `x.size()`
    Member,
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_call(f, self.style, &self.args)
    }
}

/// The types of a call, as `string.(int, int)`.
pub(super) struct Call<'c, 'd>(pub(super) Style, pub(super) &'c [Type<'d>]);

impl fmt::Display for Call<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_call(f, self.0, self.1)
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, style: Style, args: &[Type<'_>]) -> fmt::Result {
    let args = match (style, args) {
        (Style::Member, [receiver, rest @ ..]) => {
            write!(f, "{receiver}.")?;
            rest
        }
        _ => args,
    };
    let args: Vec<String> = args.iter().map(Type::to_string).collect();
    write!(f, "({})", args.join(", "))
}

/// The signatures of a function; none if there is no such function.
pub(super) fn overloads(name: &str) -> Option<&'static [Overload]> {
    TABLE.get(name).map(Vec::as_slice)
}

/// The names of all functions that are called by name.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let names = TABLE.keys().copied();
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

static TABLE: LazyLock<BTreeMap<&'static str, Vec<Overload>>> = LazyLock::new(|| {
    let mut table: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in FUNCTIONS.lines() {
        let Some((name, signatures)) = line.split_once(' ') else {
            continue;
        };
        let overloads = table.entry(name).or_default();
        for signature in signatures.split(" | ") {
            // A row of any ordered type, or of any number, is one row for each.
            let families = [
                ("ORDERED", ORDERED.as_slice()),
                ("NUMBER", NUMBERS.as_slice()),
            ];
            match families.iter().find(|(word, _)| signature.contains(word)) {
                Some((word, types)) => {
                    let each = types.iter().map(|ty| signature.replace(word, ty));
                    overloads.extend(each.filter_map(|one| overload(&one)));
                }
                None => overloads.extend(overload(signature)),
            }
        }
    }
    table
});

/// Reads `string.(int) bool` or `(int, int) bool`.
fn overload(signature: &str) -> Option<Overload> {
    let (receiver, rest) = signature.split_once('(')?;
    let (args, result) = rest.rsplit_once(") ")?;
    let style = if receiver.is_empty() {
        Style::Global
    } else {
        Style::Member
    };
    let receiver = receiver.strip_suffix('.');
    let args: Option<Vec<Type<'static>>> = receiver
        .into_iter()
        .chain(split(args))
        .map(read_type)
        .collect();
    let args = args?;
    let params = ["A", "B"].iter().filter(|it| signature.contains(**it));
    Some(Overload {
        style,
        args,
        result: read_type(result)?,
        params: params.count(),
    })
}

/// The types of a list that is separated by commas, of which those within `<…>` do not count.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(list.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(list.get(start..));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn read_type(text: &str) -> Option<Type<'static>> {
    let text = text.trim();
    if let Some((name, within)) = text.strip_suffix('>').and_then(|it| it.split_once('<')) {
        let mut within = split(within).into_iter().map(read_type);
        let first = within.next()??;
        return match name {
            "list" => Some(Type::list(first)),
            "optional" => Some(Type::optional(first)),
            "map" => Some(Type::map(first, within.next()??)),
            _ => None,
        };
    }
    match text {
        "dyn" => return Some(Type::Dyn),
        "A" => return Some(Type::Param(0)),
        "B" => return Some(Type::Param(1)),
        _ => {}
    }
    let scalar = SCALARS.iter().find(|(name, _)| *name == text);
    if let Some((_, scalar)) = scalar {
        return Some(Type::Scalar(*scalar));
    }
    let library = LIBRARY.iter().find(|name| **name == text)?;
    Some(Type::Library(library))
}

/// The types of Kubernetes' libraries.
const LIBRARY: [&str; 6] = ["quantity", "ip", "cidr", "url", "semver", "format"];

const ORDERED: [&str; 8] = [
    "int",
    "uint",
    "double",
    "bool",
    "duration",
    "timestamp",
    "string",
    "bytes",
];

const NUMBERS: [&str; 4] = ["int", "uint", "double", "duration"];

/// Name and signatures; `A` and `B` are any types.
const FUNCTIONS: &str = "\
_?_:_ (bool, A, A) A
!_ (bool) bool
_&&_ (bool, bool) bool
_||_ (bool, bool) bool
@not_strictly_false (bool) bool
_==_ (A, A) bool
_!=_ (A, A) bool
_<_ (ORDERED, ORDERED) bool | (int, double) bool | (int, uint) bool | (uint, double) bool | (uint, int) bool | (double, int) bool | (double, uint) bool
_<=_ (ORDERED, ORDERED) bool | (int, double) bool | (int, uint) bool | (uint, double) bool | (uint, int) bool | (double, int) bool | (double, uint) bool
_>_ (ORDERED, ORDERED) bool | (int, double) bool | (int, uint) bool | (uint, double) bool | (uint, int) bool | (double, int) bool | (double, uint) bool
_>=_ (ORDERED, ORDERED) bool | (int, double) bool | (int, uint) bool | (uint, double) bool | (uint, int) bool | (double, int) bool | (double, uint) bool
_+_ (bytes, bytes) bytes | (double, double) double | (duration, duration) duration | (duration, timestamp) timestamp | (timestamp, duration) timestamp | (int, int) int | (list<A>, list<A>) list<A> | (string, string) string | (uint, uint) uint
_-_ (double, double) double | (duration, duration) duration | (int, int) int | (timestamp, duration) timestamp | (timestamp, timestamp) duration | (uint, uint) uint
_*_ (double, double) double | (int, int) int | (uint, uint) uint
_/_ (double, double) double | (int, int) int | (uint, uint) uint
_%_ (int, int) int | (uint, uint) uint
-_ (double) double | (int) int
_[_] (list<A>, int) A | (map<A, B>, A) B | (optional<list<A>>, int) optional<A> | (optional<map<A, B>>, A) optional<B>
_[?_] (list<A>, int) optional<A> | (optional<list<A>>, int) optional<A> | (map<A, B>, A) optional<B> | (optional<map<A, B>>, A) optional<B>
@in (A, list<A>) bool | (A, map<A, B>) bool
size (bytes) int | bytes.() int | (list<A>) int | list<A>.() int | (map<A, B>) int | map<A, B>.() int | (string) int | string.() int
type (A) type
dyn (A) dyn
bool (bool) bool | (string) bool
bytes (bytes) bytes | (string) bytes
double (double) double | (int) double | (string) double | (uint) double
duration (duration) duration | (int) duration | (string) duration
int (int) int | (double) int | (duration) int | (string) int | (timestamp) int | (uint) int
string (string) string | (bool) string | (bytes) string | (double) string | (duration) string | (int) string | (timestamp) string | (uint) string | (ip) string | (cidr) string
timestamp (timestamp) timestamp | (int) timestamp | (string) timestamp
uint (uint) uint | (double) uint | (int) uint | (string) uint
contains string.(string) bool
endsWith string.(string) bool
startsWith string.(string) bool
matches (string, string) bool | string.(string) bool
getFullYear timestamp.() int | timestamp.(string) int
getMonth timestamp.() int | timestamp.(string) int
getDayOfYear timestamp.() int | timestamp.(string) int
getDayOfMonth timestamp.() int | timestamp.(string) int
getDate timestamp.() int | timestamp.(string) int
getDayOfWeek timestamp.() int | timestamp.(string) int
getHours timestamp.() int | timestamp.(string) int | duration.() int
getMinutes timestamp.() int | timestamp.(string) int | duration.() int
getSeconds timestamp.() int | timestamp.(string) int | duration.() int
getMilliseconds timestamp.() int | timestamp.(string) int | duration.() int
charAt string.(int) string
indexOf string.(string) int | string.(string, int) int | list<A>.(A) int
lastIndexOf string.(string) int | string.(string, int) int | list<A>.(A) int
lowerAscii string.() string
upperAscii string.() string
replace string.(string, string) string | string.(string, string, int) string
split string.(string) list<string> | string.(string, int) list<string>
substring string.(int) string | string.(int, int) string
trim string.() string
format string.(list<dyn>) string
strings.quote (string) string
join list<string>.() string | list<string>.(string) string
sets.contains (list<A>, list<A>) bool
sets.equivalent (list<A>, list<A>) bool
sets.intersects (list<A>, list<A>) bool
isSorted list<ORDERED>.() bool
sum list<NUMBER>.() NUMBER
min list<ORDERED>.() ORDERED
max list<ORDERED>.() ORDERED
slice list<A>.(int, int) list<A>
flatten list<list<A>>.() list<A> | list<dyn>.(int) list<dyn>
sort list<ORDERED>.() list<ORDERED>
@sortByAssociatedKeys list<A>.(list<ORDERED>) list<A>
lists.range (int) list<int>
reverse list<A>.() list<A>
distinct list<A>.() list<A>
cel.@mapInsert (map<A, B>, A, B) map<A, B> | (map<A, B>, map<A, B>) map<A, B>
optional.of (A) optional<A>
optional.ofNonZeroValue (A) optional<A>
optional.none () optional<A>
value optional<A>.() A
hasValue optional<A>.() bool
or optional<A>.(optional<A>) optional<A>
orValue optional<A>.(A) A
first list<A>.() optional<A>
last list<A>.() optional<A>
optional.unwrap (list<optional<A>>) list<A>
unwrapOpt list<optional<A>>.() list<A>
find string.(string) string
findAll string.(string) list<string> | string.(string, int) list<string>
url (string) url
isURL (string) bool
getScheme url.() string
getHost url.() string
getHostname url.() string
getPort url.() string
getEscapedPath url.() string
getQuery url.() map<string, list<string>>
quantity (string) quantity
isQuantity (string) bool
sign (quantity) int | quantity.() int
isGreaterThan quantity.(quantity) bool | semver.(semver) bool
isLessThan quantity.(quantity) bool | semver.(semver) bool
compareTo quantity.(quantity) int | semver.(semver) int
asApproximateFloat quantity.() double
asInteger quantity.() int
isInteger quantity.() bool
add quantity.(quantity) quantity | quantity.(int) quantity
sub quantity.(quantity) quantity | quantity.(int) quantity
ip (string) ip | cidr.() ip
isIP (string) bool
ip.isCanonical (string) bool
family ip.() int
isUnspecified ip.() bool
isLoopback ip.() bool
isLinkLocalMulticast ip.() bool
isLinkLocalUnicast ip.() bool
isGlobalUnicast ip.() bool
cidr (string) cidr
isCIDR (string) bool
containsIP cidr.(string) bool | cidr.(ip) bool
containsCIDR cidr.(string) bool | cidr.(cidr) bool
prefixLength cidr.() int
masked cidr.() cidr
semver (string) semver | (string, bool) semver
isSemver (string) bool | (string, bool) bool
major semver.() int
minor semver.() int
patch semver.() int
validate format.(string) optional<list<string>>
format.named (string) optional<format>
format.dns1123Label () format
format.dns1123Subdomain () format
format.dns1035Label () format
format.qualifiedName () format
format.dns1123LabelPrefix () format
format.dns1123SubdomainPrefix () format
format.dns1035LabelPrefix () format
format.labelValue () format
format.uri () format
format.uuid () format
format.byte () format
format.date () format
format.datetime () format
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        for line in FUNCTIONS.lines() {
            let (name, signatures) = line.split_once(' ').unwrap();
            for signature in signatures.split(" | ") {
                let one = signature.replace("ORDERED", "int").replace("NUMBER", "int");
                assert!(overload(&one).is_some(), "{name} {signature}");
            }
            assert!(overloads(name).is_some_and(|found| !found.is_empty()));
        }
        assert_eq!(overloads("_<_").map(<[_]>::len), Some(14));
    }

    #[test]
    fn a_signature_is_shown_as_it_is_called() {
        let shown = |name: &str| overloads(name).unwrap()[0].to_string();
        assert_eq!(shown("contains"), "string.(string)");
        assert_eq!(shown("optional.none"), "()");
        assert_eq!(shown("cel.@mapInsert"), "(map(any, any), any, any)");
    }
}
