//! The values that each type preserves between decoding and encoding.

use std::collections::BTreeMap;

use k8s_openapi::{
    ByteString,
    apimachinery::pkg::{apis::meta::v1::Time, util::intstr::IntOrString},
    jiff::Timestamp,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Codec, Decoded, Encoded, Number};

fn decode<T: Codec>(json: &str) -> Result<T, String> {
    let decoded = serde_json::from_str::<Decoded<T>>(json);
    decoded
        .map(Decoded::value)
        .map_err(|error| error.to_string())
}

fn encode<T: Codec>(value: &T) -> String {
    serde_json::to_string(&Encoded(value)).unwrap()
}

/// Asserts that `json` decodes to `value`, and `value` encodes to `json`.
#[track_caller]
fn check<T: Codec + PartialEq + std::fmt::Debug>(json: &str, value: T) {
    assert_eq!(decode::<T>(json).as_ref(), Ok(&value), "{json}");
    assert_eq!(encode(&value), json);
}

/// Asserts that `json` decodes to the same value as `canonical`.
#[track_caller]
fn reads_as<T: Codec>(json: &str, canonical: &str) {
    let value = decode::<T>(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(encode(&value), canonical, "{json}");
}

#[test]
fn int_or_string_keeps_strings_that_read_like_long_integers() {
    let string = |text: &str| IntOrString::String(text.to_owned());
    check("80", IntOrString::Int(80));
    check("4294967296", string("+4294967296"));
    check("-4294967296", string("-4294967296"));
    check("9223372036854775807", string("+9223372036854775807"));
    check("18446744073709551615", string("+18446744073709551615"));
    check("\"4294967296\"", string("4294967296"));
    check("\"+4294967296\"", string("++4294967296"));
    check("\"++4294967296\"", string("+++4294967296"));
    check("\"-4294967296\"", string("+-4294967296"));
    check("\"+80\"", string("+80"));
    check("\"-80%\"", string("-80%"));
    check("\"+\"", string("+"));
    check("\"\"", string(""));
    reads_as::<IntOrString>("80.0", "80");
    assert!(decode::<IntOrString>("80.5").is_err());
    assert!(decode::<IntOrString>("true").is_err());
}

#[test]
fn numbers_are_exact() {
    let number = |json: &str| {
        let number: Number = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&number).unwrap(), json);
        number
    };
    assert_eq!(number("9007199254740993").as_f64(), 9_007_199_254_740_992.0);
    assert_ne!(number("9007199254740993"), number("9007199254740992"));
    number("9223372036854775807");
    number("-9223372036854775808");
    number("18446744073709551615");
    number("123456789.12345679");
    number("-0.0");
    number("1e+300");
    number("5e-324");
    assert_eq!(number("1"), serde_json::from_str::<Number>("1.0").unwrap());
    assert_eq!(number("0.5"), 0.5);
    assert_eq!(number("-1").to_string(), "-1");
    assert!(serde_json::to_string(&Number::from(f64::NAN)).is_err());
    assert!(serde_json::from_str::<Number>("\"1\"").is_err());
}

#[test]
fn times_are_read_as_go_reads_them() {
    check(
        "\"2024-05-06T07:08:09Z\"",
        Time("2024-05-06T07:08:09Z".parse().unwrap()),
    );
    for (text, canonical) in [
        (
            "2024-05-06T07:08:09.123456789012Z",
            "2024-05-06T07:08:09.123456789Z",
        ),
        ("2024-05-06T07:08:09.100Z", "2024-05-06T07:08:09.1Z"),
        ("2024-05-06T07:08:09,5Z", "2024-05-06T07:08:09.5Z"),
        ("2024-05-06t07:08:09z", "2024-05-06T07:08:09Z"),
        ("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"),
        ("2024-05-06T00:30:00-23:59", "2024-05-07T00:29:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
    ] {
        reads_as::<Time>(&json!(text).to_string(), &json!(canonical).to_string());
    }
    for text in [
        "",
        "2024-05-06",
        "2024-05-06T07:08:60Z",
        "2024-13-06T07:08:09Z",
        "2024-05-06T07:08:09",
        "2024-05-06T07:08:09.Z",
        "9999-12-31T23:59:59-01:00",
        "é024-05-06T07:08:09Z",
        "2024-05-06T07:08:09+é",
    ] {
        assert!(decode::<Time>(&json!(text).to_string()).is_err(), "{text}");
    }
}

/// `Timestamp` ends 26 hours before the year 9999 does.
#[test]
fn times_after_the_last_timestamp_are_kept_and_later_than_any_other() {
    assert_eq!(Timestamp::MAX.as_nanosecond(), super::time::LAST);
    let texts = [
        "9999-12-30T21:00:00Z",
        "9999-12-30T22:00:00Z",
        "9999-12-30T22:00:01Z",
        "9999-12-31T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59.999Z",
        "9999-12-31T23:59:59.9999999Z",
        "9999-12-31T23:59:59.999999999Z",
        "9999-12-30T22:00:00.999999999Z",
    ];
    let mut before = Time(Timestamp::UNIX_EPOCH);
    for text in texts {
        let json = json!(text).to_string();
        let time: Time = decode(&json).unwrap();
        assert_eq!(encode(&time), json);
        assert!(before < time, "{text}");
        before = time;
    }
    // The values displaced by them are preserved as well.
    for text in ["9999-12-30T22:00:00.999Z", "9999-12-31T12:00:00.123456789Z"] {
        reads_as::<Time>(&json!(text).to_string(), &json!(text).to_string());
    }
}

#[test]
fn base64_is_read_as_go_reads_it() {
    let bytes = |text: &str| ByteString(text.as_bytes().to_vec());
    check("\"\"", bytes(""));
    check("\"TWE=\"", bytes("Ma"));
    check("\"TWFu\"", bytes("Man"));
    reads_as::<ByteString>("\"TR==\"", "\"TQ==\"");
    reads_as::<ByteString>("\"TWF=\"", "\"TWE=\"");
    reads_as::<ByteString>("\"TW\\r\\nFu\\n\"", "\"TWFu\"");
    for text in [
        "TWE", "T===", "TW=E", "TW E=", "=", "====", "é=", "TWE=TWE=",
    ] {
        assert!(
            decode::<ByteString>(&json!(text).to_string()).is_err(),
            "{text}"
        );
    }
}

#[test]
fn containers_pass_values_through() {
    let json = r#"{"a":[4294967296,"+4294967296",null]}"#;
    let map: BTreeMap<String, Vec<Option<IntOrString>>> = decode(json).unwrap();
    assert_eq!(encode(&map), json);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_integer_is_kept(integer in prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-64i64..64, 50u32..63).prop_map(|(near, bits)| Value::from((1i64 << bits).wrapping_add(near))),
    ]) {
        let json = integer.to_string();
        prop_assert_eq!(&encode(&decode::<IntOrString>(&json).unwrap()), &json);
        let number: Number = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&serde_json::to_string(&number).unwrap(), &json);
        prop_assert_eq!(&number.to_string(), &json);
    }

    #[test]
    fn any_float_is_kept(bits in any::<u64>()) {
        let float = f64::from_bits(bits);
        prop_assume!(float.is_finite());
        let json = serde_json::to_string(&Number::from(float)).unwrap();
        let again: Number = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(again.as_f64().to_bits(), bits);
    }

    #[test]
    fn any_string_is_kept(text in prop_oneof!["[+-]{0,3}[0-9]{0,20}", "\\PC{0,8}"]) {
        let json = Value::from(text).to_string();
        prop_assert_eq!(encode(&decode::<IntOrString>(&json).unwrap()), json);
    }

    #[test]
    fn any_instant_is_kept(seconds in prop_oneof![
        -62_167_219_200i64..253_402_300_800,
        253_402_100_000i64..253_402_300_800,
    ], nanos in prop_oneof![Just(0u32), 0u32..1_000_000_000]) {
        let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let date = super::time::EPOCH.date().checked_add(k8s_openapi::jiff::Span::new().days(days)).unwrap();
        let (hour, minute, second) = (clock / 3_600, clock / 60 % 60, clock % 60);
        let fraction = format!(".{nanos:09}");
        let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
        let json = format!("\"{date}T{hour:02}:{minute:02}:{second:02}{fraction}Z\"");
        prop_assert_eq!(encode(&decode::<Time>(&json).unwrap()), json);
    }

    #[test]
    fn any_bytes_are_kept(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let json = encode(&ByteString(bytes.clone()));
        prop_assert_eq!(decode::<ByteString>(&json).unwrap().0, bytes);
    }
}
