//! Go's answers, from a table and, where Go is, to random texts.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::process::{Command, Stdio};

use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

use super::*;

fn amount(text: &str) -> Amount {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// Our answers in the columns of `hack/quantity/main.go`.
fn answers(columns: &[&str]) -> Vec<String> {
    match *columns {
        ["json", value] => decoded(value),
        ["text", text] => match text.parse::<Amount>() {
            Ok(amount) => vec![format(&amount), amount.to_string()],
            Err(_) => vec!["error".to_owned()],
        },
        [a, b, n] => computed(a, b, n.parse().expect("a number")),
        _ => panic!("{columns:?}"),
    }
}

fn decoded(value: &str) -> Vec<String> {
    let quantity = serde_json::from_str::<Quantity>(value).ok();
    let canonical = quantity.and_then(|quantity| quantity.canonical().ok());
    let text = canonical.and_then(|quantity| serde_json::to_string(&quantity).ok());
    vec![text.unwrap_or_else(|| "error".to_owned())]
}

fn format(amount: &Amount) -> String {
    let name = match amount.format() {
        Format::DecimalSi => "DecimalSI",
        Format::BinarySi => "BinarySI",
        Format::DecimalExponent => "DecimalExponent",
    };
    name.to_owned()
}

fn order(order: Ordering) -> String {
    (order as i8).to_string()
}

fn computed(a: &str, b: &str, n: i64) -> Vec<String> {
    let Ok(a) = a.parse::<Amount>() else {
        return vec!["error".to_owned()];
    };
    let mut answers = vec![format(&a), order(a.sign()), a.to_string()];
    answers.extend([0, -3, -9, 6, 12].map(|power| a.scaled_value(power).to_string()));
    let mut rounded = a.clone();
    let exact = rounded.round_up(0);
    answers.extend([(-a.clone()).to_string(), rounded.to_string()]);
    answers.push(exact.to_string());
    let product = a.clone() * n;
    answers.extend([product.to_string(), product.value().to_string()]);
    let Ok(b) = b.parse::<Amount>() else {
        return answers;
    };
    let (sum, rest) = (&a + &b, &a - &b);
    answers.extend([order(a.cmp(&b)), sum.to_string(), sum.value().to_string()]);
    answers.extend([rest.to_string(), rest.value().to_string()]);
    answers
}

/// Compares every line of Go's answers with ours, and gives how many there were.
#[track_caller]
fn check_answers(lines: &str) -> usize {
    let mut count = 0;
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let inputs = match columns[0] {
            "json" | "text" => 2,
            _ => 3,
        };
        let (inputs, expected) = columns.split_at(inputs);
        let ours = answers(inputs);
        let same = |(ours, go): (&String, &&str)| *go == "-" || ours == go;
        let equal = ours.len() == expected.len() && ours.iter().zip(expected).all(same);
        assert!(equal, "{inputs:?}\n  Go: {expected:?}\nours: {ours:?}");
        count += 1;
    }
    count
}

#[test]
fn the_table_of_gos_answers_holds() {
    assert!(check_answers(include_str!("go.tsv")) > 600);
}

/// A text that is a quantity, or nearly one.
fn random_text(random: &mut impl Rng) -> String {
    const SUFFIXES: [&str; 26] = [
        "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
        "e0", "e3", "E3", "e-3", "e+6", "e-7", "e20", "e-20", "E1",
    ];
    const SIGNS: [&str; 5] = ["", "", "", "-", "+"];
    let mut text = SIGNS[random.random_range(0..SIGNS.len())].to_owned();
    let digits = match random.random_range(0..4) {
        0 => random.random_range(0..30),
        _ => random.random_range(0..8),
    };
    for _ in 0..digits {
        text.push(char::from(
            b'0' + random.random_range(0..10_u8) % random.random_range(1..=10),
        ));
    }
    if random.random_bool(0.4) {
        let place = random.random_range(0..=text.len());
        text.insert(place, '.');
    }
    text += SUFFIXES[random.random_range(0..SUFFIXES.len())];
    if random.random_bool(0.05) {
        // No `e`: it makes exponents of digits, and Go takes for ever with vast ones.
        const STRAY: &[u8] = b".+-inumkKMGTP xz";
        let place = random.random_range(0..=text.len());
        text.insert(
            place,
            char::from(STRAY[random.random_range(0..STRAY.len())]),
        );
    }
    text
}

#[test]
fn random_texts_mean_what_go_makes_of_them() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("QUANTITY_LINES").unwrap_or(4_000);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../hack/quantity.sh");
    let go = Command::new("go").arg("version").output();
    if !go.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no Go toolchain to compare with");
        return;
    }
    let mut random = StdRng::seed_from_u64(number("QUANTITY_SEED").unwrap_or(42));
    let mut lines = String::new();
    for _ in 0..count {
        let (a, b) = (random_text(&mut random), random_text(&mut random));
        let n = match random.random_range(0..3) {
            0 => random.random_range(-20..20),
            1 => random.random_range(-1_000_000..1_000_000),
            _ => random.random::<i64>(),
        };
        lines += &format!("{a}\t{b}\t{n}\n");
    }
    let mut program = Command::new(script)
        .arg("answer")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{script}: {error}"));
    let mut stdin = program.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = program.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    if !output.status.success() {
        eprintln!("skipped: Go cannot build hack/quantity here (no module proxy?)");
        return;
    }
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(check_answers(&text) as u64, count);
}

#[test]
fn where_go_loses_the_number_it_stays() {
    assert_eq!(amount("10E").value(), i64::MAX);
    assert_eq!(amount("-10E").value(), i64::MIN);
    assert_eq!(amount("10E").as_i64(), None);
    assert_eq!(amount("1000E").to_string(), "1e21");
    assert_eq!(amount("1000E"), amount("1e21"));
    assert!(amount("10E") < amount("100E"));
    let vast = amount("1e2147483647");
    assert_eq!(&vast + &amount("1"), vast);
    assert_eq!(&amount("1") - &vast, -vast.clone());
    assert_eq!(vast.value(), i64::MAX);
    assert_eq!((&amount("1Ki") + &vast).to_string(), "10e2147483646");
    assert_eq!(amount("1e-2147483648").to_string(), "1e-9");
}

#[test]
fn long_texts_are_read_exactly() {
    assert_eq!(amount(&format!("0.{}1", "0".repeat(10_000))), amount("1n"));
    assert_eq!(
        amount(&format!("1{}e-10000", "0".repeat(10_000))),
        amount("1")
    );
    assert_eq!(amount(&"9".repeat(10_000)).to_string().len(), 10_000);
}

#[test]
fn amounts_are_written_in_either_format() {
    let cases = [
        (Amount::from_millis(350), "350m", "350m"),
        (Amount::from_units(2), "2", "2"),
        (Amount::from_units(96 << 20), "100663296", "96Mi"),
        (Amount::from_units(4_000_000_000), "4G", "3906250Ki"),
        (Amount::from_units(0), "0", "0"),
        (Amount::from_units(-1024), "-1024", "-1Ki"),
    ];
    for (amount, decimal, binary) in cases {
        assert_eq!(amount.to_decimal().as_str(), decimal);
        assert_eq!(amount.to_binary().as_str(), binary);
        assert_eq!(amount.to_decimal().amount(), Ok(amount.clone()));
        assert_eq!(amount.to_binary().amount(), Ok(amount));
    }
}

#[test]
fn equal_amounts_have_one_hash() {
    let hash = |amount: &Amount| {
        let mut hasher = DefaultHasher::new();
        amount.hash(&mut hasher);
        hasher.finish()
    };
    for (a, b) in [
        ("1", "1000m"),
        ("0", "-0Ki"),
        ("1e30", "1000000000000000000000000000000"),
    ] {
        assert_eq!(amount(a), amount(b));
        assert_eq!(hash(&amount(a)), hash(&amount(b)));
    }
}

#[test]
fn floating_point_numbers_are_the_nearest() {
    for (text, number) in [
        ("0.1", 0.1),
        ("-1.5Ki", -1536.0),
        ("1e400", f64::INFINITY),
        ("0", 0.0),
    ] {
        assert_eq!(amount(text).as_f64().to_bits(), number.to_bits(), "{text}");
    }
}

#[test]
fn a_sum_has_the_format_of_its_first_part() {
    let parts = ["512Mi", "1Gi", "1.5"].map(amount);
    assert_eq!(parts.iter().sum::<Amount>().to_string(), "1610612737500m");
    assert_eq!(parts[..2].iter().sum::<Amount>().to_string(), "1536Mi");
}

#[test]
fn an_error_names_the_text_and_what_to_write() {
    let error = Quantity::new("4GB").amount().map_err(|it| it.to_string());
    assert!(error.is_err_and(|it| it.starts_with("\"4GB\" is not a quantity: write a number")));
}

#[test]
fn a_quantity_is_written_as_it_was_read() {
    for (json, text) in [
        ("2", "2"),
        ("-1", "-1"),
        ("0.5", "0.5"),
        ("null", "0"),
        ("\"4G\"", "4G"),
        ("\"nonsense\"", "nonsense"),
    ] {
        let quantity: Quantity = serde_json::from_str(json).unwrap_or_else(|it| panic!("{it}"));
        assert_eq!(quantity.as_str(), text);
        assert_eq!(serde_json::to_value(&quantity).ok(), Some(text.into()));
    }
    assert!(serde_json::from_str::<Quantity>("true").is_err());
}

#[test]
fn equal_quantities_mean_the_same() {
    assert_eq!(Quantity::new("1"), Quantity::new("1000m"));
    assert_ne!(Quantity::new("1G"), Quantity::new("1Gi"));
    assert_ne!(Quantity::new("10E"), Quantity::new("100E"));
    assert_ne!(Quantity::new("x"), Quantity::new("y"));
}
