//! Random objects with values that a schema permits and samples rarely have. Deterministic for each
//! schema, on every machine.

use serde_json::{Map, Number, Value, json};

/// The strategy by which the values of an object are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Required properties only.
    Minimal,
    /// Every property, with plain values.
    Full,
    /// Every property: minimum numbers, empty strings, int-or-strings as numbers beyond 32 bits.
    Low,
    /// Every property: maximum numbers, non-ASCII strings, int-or-strings as strings, unknown
    /// properties where they are preserved.
    High,
    /// Null wherever it is permitted.
    Null,
    /// Some properties, with values of any of these strategies.
    Random(u64),
}

impl Case {
    pub(crate) const ALL: [Self; 8] = [
        Self::Minimal,
        Self::Full,
        Self::Low,
        Self::High,
        Self::Null,
        Self::Random(1),
        Self::Random(2),
        Self::Random(3),
    ];
}

/// The maximum number of values of an object; further values are as small as the schema permits.
const MOST_VALUES: usize = 20_000;

/// Creates an object of a kind.
pub(crate) fn object(api_version: &str, kind: &str, schema: &Value, case: Case) -> Value {
    let seed = match case {
        Case::Random(seed) => seed,
        _ => 0,
    };
    let names = format!("{api_version}/{kind}");
    let seed = names.bytes().fold(seed, |seed, byte| {
        seed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)
    });
    let mut maker = Maker {
        case,
        state: seed,
        made: 0,
    };
    let mut object = maker.members(schema, 0);
    object.insert("apiVersion".to_owned(), api_version.into());
    object.insert("kind".to_owned(), kind.into());
    object.insert(
        "metadata".to_owned(),
        json!({"name": "made-up", "labels": {"a.b/c": "d"}}),
    );
    Value::Object(object)
}

struct Maker {
    case: Case,
    state: u64,
    made: usize,
}

impl Maker {
    /// Returns the next random number (SplitMix64).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn choose<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let len = u64::try_from(from.len()).ok().filter(|len| *len > 0)?;
        usize::try_from(self.random() % len)
            .ok()
            .and_then(|at| from.get(at))
            .cloned()
    }

    /// Returns the case for one value.
    fn case(&mut self) -> Case {
        match self.case {
            Case::Random(_) => self
                .choose(&[Case::Full, Case::Low, Case::High, Case::Null])
                .unwrap_or(Case::Full),
            case => case,
        }
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        self.made += 1;
        let case = self.case();
        let enumerated = schema["enum"].as_array();
        let permits_null = schema["nullable"] == true
            || enumerated.is_some_and(|values| values.contains(&Value::Null));
        if permits_null && case == Case::Null {
            return Value::Null;
        }
        if let Some(values) = enumerated {
            let values: Vec<Value> = values
                .iter()
                .filter(|value| !value.is_null())
                .cloned()
                .collect();
            return self.choose(&values).unwrap_or(Value::Null);
        }
        if schema["x-kubernetes-int-or-string"] == true {
            return int_or_string(schema, case);
        }
        match schema["type"].as_str() {
            Some("object") => Value::Object(self.members(schema, depth)),
            Some("array") => self.list(schema, depth),
            Some("string") => text(schema, case).into(),
            Some("integer") => integer(schema, case),
            Some("number") => self.number(schema, case),
            Some("boolean") => (self.random().is_multiple_of(2)).into(),
            // Without a type, any value is valid, despite `properties` and `items`.
            _ => {
                json!({"any": [1, 2.5, null, true, "x", {"b": 9_007_199_254_740_993_u64, "a": {}}]})
            }
        }
    }

    fn members(&mut self, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut members = Map::new();
        let required = |name: &str| {
            schema["required"]
                .as_array()
                .is_some_and(|names| names.iter().any(|one| one == name))
        };
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let wanted = match self.case {
                _ if self.made > MOST_VALUES => false,
                Case::Minimal => false,
                Case::Random(_) => self.random().is_multiple_of(2),
                _ => true,
            };
            // The server always sends properties with a default.
            let filled_in = property
                .get("default")
                .is_some_and(|default| !default.is_null());
            if wanted || filled_in || required(name) {
                members.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        let few = self.case == Case::Minimal || self.made > MOST_VALUES;
        if let Some(schema) = schema["additionalProperties"].as_object()
            && !few
        {
            let schema = Value::Object(schema.clone());
            for key in ["a", "b.c/d-É"] {
                members.insert(key.to_owned(), self.value(&schema, depth + 1));
            }
        }
        // If `additionalProperties` has a schema, it applies to unknown properties even if they are
        // preserved.
        let others = &schema["additionalProperties"];
        let keeps = *others == true
            || schema["x-kubernetes-preserve-unknown-fields"] == true && !others.is_object();
        if keeps && !few && self.case() == Case::High {
            members.insert("zz-unknown".to_owned(), json!({"a": [1, -0.5, null, "x"]}));
            members.insert(
                "unknownFields".to_owned(),
                json!("a name that Rust may have"),
            );
        }
        if schema["x-kubernetes-embedded-resource"] == true {
            members.insert("apiVersion".to_owned(), "v1".into());
            members.insert("kind".to_owned(), "Thing".into());
            members.insert("metadata".to_owned(), json!({"name": "embedded"}));
        }
        members
    }

    fn list(&mut self, schema: &Value, depth: usize) -> Value {
        let bound = |word: &str| {
            schema[word]
                .as_u64()
                .and_then(|bound| usize::try_from(bound).ok())
        };
        let few = self.case == Case::Minimal || self.made > MOST_VALUES;
        let wanted = if few {
            0
        } else if depth < 4 {
            2
        } else {
            1
        };
        let length = wanted
            .max(bound("minItems").unwrap_or(0))
            .min(bound("maxItems").unwrap_or(usize::MAX))
            .min(8);
        (0..length)
            .map(|_| self.value(&schema["items"], depth + 1))
            .collect()
    }

    fn number(&mut self, schema: &Value, case: Case) -> Value {
        let plain = [
            json!(0.1),
            json!(5e-324),
            json!(1e21),
            json!(123_456_789.125),
            json!(-0.5),
            json!(3),
        ];
        match case {
            Case::Low => bound(schema, "minimum").unwrap_or(json!(-1.797_693_134_862_315_7e308)),
            // Not representable as an f64.
            Case::High => bound(schema, "maximum").unwrap_or(json!(9_007_199_254_740_993_i64)),
            _ => self.choose(&plain).unwrap_or_default(),
        }
    }
}

fn bound(schema: &Value, word: &str) -> Option<Value> {
    schema.get(word).filter(|bound| bound.is_number()).cloned()
}

fn is_quantity(schema: &Value) -> bool {
    schema["pattern"]
        .as_str()
        .is_some_and(|pattern| pattern.contains("[KMGTPE]i"))
}

fn int_or_string(schema: &Value, case: Case) -> Value {
    match case {
        Case::Low if !is_quantity(schema) => json!(-2_147_483_649_i64),
        Case::High if is_quantity(schema) => "1500m".into(),
        Case::High => "50%".into(),
        _ => json!(8080),
    }
}

fn text(schema: &Value, case: Case) -> String {
    let time = match case {
        Case::Low => "0001-01-01T00:00:00Z",
        Case::High => "9999-12-31T23:59:59.123456789Z",
        _ => "2024-02-29T12:34:56.000001Z",
    };
    let plain = match schema["format"].as_str() {
        Some("date-time") => time,
        Some("date") => "2024-02-29",
        Some("byte") => {
            if case == Case::Low {
                ""
            } else {
                "AAECAw=="
            }
        }
        Some("duration") => "1h30m0s",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ if is_quantity(schema) => "1500m",
        _ => match case {
            Case::Low => "",
            Case::High => "ü 漢 \u{1f600} \" \\ \n \u{7f}",
            _ => "text",
        },
    };
    let least = schema["minLength"]
        .as_u64()
        .and_then(|least| usize::try_from(least).ok())
        .unwrap_or(0);
    let missing = least.min(300).saturating_sub(plain.chars().count());
    if schema["format"] == "byte" {
        // Whole groups of base64, before any padding.
        return "AAAA".repeat(missing.div_ceil(4)) + plain;
    }
    format!("{plain}{}", "x".repeat(missing))
}

fn integer(schema: &Value, case: Case) -> Value {
    let is_32_bits = schema["format"] == "int32";
    let (least, greatest) = if is_32_bits {
        (i64::from(i32::MIN), i64::from(i32::MAX))
    } else {
        (i64::MIN, i64::MAX)
    };
    let whole = |word: &str, default: i64| {
        bound(schema, word)
            .and_then(|bound| bound.as_i64())
            .unwrap_or(default)
    };
    let (low, high) = (
        whole("minimum", least).max(least),
        whole("maximum", greatest).min(greatest),
    );
    let value = match case {
        Case::Low => low,
        Case::High => high,
        _ => 7.clamp(low, high.max(low)),
    };
    Value::Number(Number::from(value))
}
