use super::{WIDTH, lines, of_field, summary};

fn check(text: &str, expected: &[&str]) {
    assert_eq!(lines(text), expected, "documentation of {text:?}");
}

#[test]
fn paragraphs_flow_and_stay_apart() {
    check("One\ntwo.\n\n\nThree.", &["One two.", "", "Three."]);
    check("", &[]);
    check("    indented is no code", &["indented is no code"]);
}

#[test]
fn markup_is_escaped_outside_code() {
    check(
        "a <b> [c] d*e `f[g]` | h",
        &[r"a \<b\> \[c\] d\*e `f[g]` \| h"],
    );
    check("an odd ` tick <", &[r"an odd \` tick \<"]);
}

#[test]
fn urls_become_links() {
    rows![check:
        ("See https://k8s.io/a_b?c=d#e. Or (http://x.y).",
            &["See <https://k8s.io/a_b?c=d#e>. Or (<http://x.y>)."]),
        ("http:// is none, nor is http://<host>", &[r"http:// is none, nor is http://\<host\>"]),
        ("See <https://a.b/c> or <a>", &[r"See <https://a.b/c> or \<a\>"]),
        ("from https://%s.x.com/%s or http://-y.com", &[r"from https\://%s.x.com/%s or http\://-y.com"]),
    ];
}

#[test]
fn lists_keep_their_items() {
    check(
        "Is:\n- one\n  more\n* two\n  - three\n1. four",
        &["Is:", "- one more", "- two", "  - three", "1. four"],
    );
}

#[test]
fn lists_keep_their_numbers() {
    rows![check:
        ("Do:\n1. one\n   more\n2. two\n   - three\n3. four", &["Do:", "1. one more", "2. two", "   - three", "3. four"]),
        ("1) one\n\n2) two\n\n   of two\n\n3) three", &["1) one", "2) two", "", "   of two", "3) three"]),
        ("9. nine\n10. ten\n    - a", &["9. nine", "10. ten", "    - a"]),
        ("1. a\n1. b", &["1. a", "1. b"]),
        // Another number than 1 does not end a paragraph.
        ("Is\n0. none\n1. some", &["Is", "", "0. none", "1. some"]),
        // Markdown would count on.
        ("1. a\n3. b", &[r"- 1\. a", r"- 3\. b"]),
        ("1. a\n2) b", &["1. a", "", "2) b"]),
        ("1. a\n```\nx\n```\n2. b", &["1. a", "", "```text", "x", "```", "", "2. b"]),
        ("1. a\n   ```\n   x\n\n   y\n   ```\n2. b", &["1. a", "   ```text", "   x", "", "   y", "   ```", "2. b"]),
    ];
}

#[test]
fn every_bullet_is_one() {
    rows![check:
        ("Is:\n• a\n  ◦ b\n•c\n● d", &["Is:", "- a", "  - b", "- c", "- d"]),
        ("Is:\n– a\n— b", &["Is:", "- a", "- b"]),
        ("Is\n– a", &["Is – a"]),
    ];
}

#[test]
fn headings_rules_and_quotes_stand_apart() {
    rows![check:
        ("# One\n\na\n## Two ##\nb <c>", &["# One", "", "a", "", "## Two", "", r"b \<c\>"]),
        ("Title\n=====\na\n\nOther\n------\nb", &["# Title", "", "a", "", "## Other", "", "b"]),
        ("it is\n---\na\n***\nb", &["it is", "", r"\---", "", "a", "", r"\*\*\*", "", "b"]),
        ("see issue\n# 12", &["see issue # 12"]),
        ("> a\n> b\n\nc\n> 5", &["> a b", "", r"c \> 5"]),
    ];
    assert_eq!(
        summary("# Title\n\nIt is. Two.\n\nThree."),
        ["It is."],
        "a heading is not a summary"
    );
}

#[test]
fn names_with_underscores_stay() {
    rows![check:
        ("the label __name__ of snake_case_names", &[r"the label \_\_name\_\_ of snake_case_names"]),
        ("run _before_ it, _at least_ once", &["run _before_ it, _at least_ once"]),
        ("`__a__` or (_a_b_), __meta", &[r"`__a__` or (\_a_b\_), __meta"]),
    ];
}

#[test]
fn line_starts_open_nothing() {
    check(
        "#no heading\n\n1. \n\n- \n\n---\n\n=",
        &["#no heading", "", r"1\.", "", r"\-", "", r"\---", "", r"\="],
    );
    let line = "a".repeat(WIDTH - 1);
    check(&format!("{line} - b"), &[&line, r"\- b"]);
}

#[test]
fn no_block_opens_within_code() {
    let xs = "x".repeat(WIDTH - 4);
    for opener in [
        ">", ">=", "*", "-", "+", "<div>", "<!--", "~~~", "#", "1.", "12)", "=", "---", "|",
    ] {
        let text = format!("{xs} `a {opener} b` tail");
        check(&text, &[xs.as_str(), &format!("`a {opener} b` tail")]);
    }
    check(&format!("{xs} `a def`"), &[&format!("{xs} `a"), "def`"]);
}

#[test]
fn fences_are_text() {
    check(
        "Use:\n```yaml\na: [1]\n  b: <c>\n```\nend",
        &["Use:", "```text", "a: [1]", "  b: <c>", "```", "", "end"],
    );
    check("```\nopen", &["```text", "open", "```"]);
    check("```a``` b ``c`` d", &["`a` b `c` d"]);
    check("``` a: 1\nb: 2\n```", &["```text", "a: 1", "b: 2", "```"]);
}

#[test]
fn hostile_characters_are_dropped() {
    check("a\u{202e}b\0c\r\nd */ e", &[r"abc d \*/ e"]);
    check(
        "a\rb\u{2028}c\u{c}d\u{200b}e\u{200d}f",
        &["a b c de\u{200d}f"],
    );
}

#[test]
fn lists_of_letters_words_and_definitions_keep_their_items() {
    rows![check:
        ("Use this if:\na) it is\nb) it was\n   before",
            &["Use this if:", r"- a) it is", "- b) it was before"]),
        ("must be unset:\n-spec.hostPID\n-spec.hostIPC\nand -1 is none",
            &["must be unset:", "- spec.hostPID", "- spec.hostIPC and -1 is none"]),
        ("Valid are:\n  Localhost - of the node.\n  Unconfined - none.\nNothing else.",
            &["Valid are:", "- Localhost - of the node.", "- Unconfined - none. Nothing else."]),
        ("Valid are:\n  a: first\n  b: second", &["Valid are:", "- a: first", "- b: second"]),
        ("From:\n  one to\n  two", &["From: one to two"]),
    ];
}

#[test]
fn lines_set_in_by_go_are_code() {
    rows![check:
        ("Such as:\n\n\tObject{\n\t  spec: [x]\n\n\t}\n\nthen",
            &["Such as:", "```text", "Object{", "  spec: [x]", "", "}", "```", "", "then"]),
        ("- one\n\n    of it\n    more", &["- one", "", "  of it more"]),
        ("a\n\n    - b\n    - c", &["a", "- b", "- c"]),
    ];
}

#[test]
fn examples_in_yaml_are_code() {
    rows![check:
        ("For example:\n  a:\n    b: 1\n    c:\n    - d\nso", &["For example:", "```text", "a:", "  b: 1", "  c:", "  - d", "```", "", "so"]),
        ("Is for example:\n\n- a: 1\n  b:\n  - c", &["Is for example:", "```text", "- a: 1", "  b:", "  - c", "```"]),
        ("One of these:\n- a: first\n- b: second", &["One of these:", "- a: first", "- b: second"]),
        ("data:\n  a: x\n  b: y", &["data: a: x b: y"]),
    ];
}

#[test]
fn tables_are_code() {
    check(
        "A | B\n--- | ---\na | b\nso",
        &["```text", "A | B", "--- | ---", "a | b", "```", "", "so"],
    );
    check("a | b\nc | d", &[r"a \| b c \| d"]);
    check(
        "Spread:\n| z1 | z2 |\n| P  |    |\nso",
        &[
            "Spread:",
            "```text",
            "| z1 | z2 |",
            "| P  |    |",
            "```",
            "",
            "so",
        ],
    );
}

#[test]
fn links_and_strong_words_stay() {
    check(
        "See [the *docs* of](https://a.b/c_d) and [b](c), [e][1].",
        &[r"See [the \*docs\* of](<https://a.b/c_d>) and \[b\](c), \[e\]\[1\]."],
    );
    check(
        "if **any** one (**at all**): **Classic Preemption**, 2**3 ** x**",
        &[r"if **any** one (**at all**): **Classic Preemption**, 2\*\*3 \*\* x\*\*"],
    );
    check("Use ``TCP`` or `UDP``.", &["Use `TCP` or `UDP`."]);
}

#[test]
fn a_long_paragraph_of_an_item_starts_with_its_first_sentence() {
    let long = "word ".repeat(3 * WIDTH / 5);
    let long = long.trim();
    let text = format!("One, e.g. Two (see x. Y) is. Three {long}");
    let item = lines(&text);
    assert_eq!(item[..2], ["One, e.g. Two (see x. Y) is.", ""]);
    assert!(item[2].starts_with("Three word"), "{item:?}");
    check("One. Two.", &["One. Two."]);
    let field = of_field(&text);
    assert!(
        field[0].starts_with("One, e.g. Two (see x. Y) is. Three word"),
        "{field:?}"
    );
}

#[test]
fn a_summary_is_the_first_sentence_or_paragraph() {
    assert_eq!(summary("It is. Two.\n\nThree."), ["It is."]);
    assert_eq!(summary("one, i.e. two\n\nthree."), ["one, i.e. two"]);
    assert_eq!(summary("One of:\n- a\n- b"), ["One of:", "- a", "- b"]);
    assert_eq!(summary("One of these. They are:\n- a"), ["One of these."]);
    assert_eq!(summary("- a\n- b"), ["- a", "- b"]);
}
