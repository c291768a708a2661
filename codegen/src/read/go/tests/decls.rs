//! Declarations: types, imports, constants, methods.

use super::*;

#[track_caller]
fn check_type(declaration: &str, expected: &str) {
    let (package, _) = read_one(&format!("package a\n{declaration}\n"));
    let types: Vec<String> = package
        .types
        .iter()
        .map(|decl| {
            let sign = if decl.alias { " = " } else { " " };
            format!("{}{sign}{}", decl.name, short(&decl.ty))
        })
        .collect();
    assert_eq!(types.join(", "), expected, "{declaration}");
}

#[test]
fn types_of_every_form_are_read() {
    check_type("type A string", "A string");
    check_type(
        "type A = B; type B []*C; type C bool",
        "A = B, B []*C, C bool",
    );
    check_type("type (\n\tA int\n\tB = A\n)", "A int, B = A");
    check_type("type ()", "");
    check_type("type A map[string][]byte", "A map[string][]byte");
    check_type("type A [16]byte", "A [16]byte");
    check_type("type A [0x10]byte", "A [16]byte");
    check_type("type A [n]byte", "A [?]byte");
    check_type("type A [2*n]byte", "A [?]byte");
    check_type("type A [len(x{})]byte", "A [?]byte");
    check_type("type A (map[string](int))", "A map[string]int");
    check_type("type A interface{}", "A any");
    check_type("type A any", "A any");
    check_type("type A interface { B(); ~int | string }", "A interface");
    check_type("type A func(a struct{}, b ...int) (c, d func())", "A other");
    check_type("type A chan<- <-chan int", "A other");
    check_type("type A <-chan struct{}", "A other");
    check_type("type A List[string]", "A other");
}

#[test]
fn generic_types_are_told_by_their_place() {
    for (text, generic) in [
        ("type A[T any] struct{ X T }", true),
        ("type A[K comparable, V interface{ B() }] map[K]V", true),
        ("type A[T ~[]int] []T", true),
        ("type A [N]int", false),
        ("type A []int", false),
        ("type A [b.N]int", false),
    ] {
        let (package, _) = read_one(&format!("package a\n{text}\n"));
        assert_eq!(package.types[0].generics.is_some(), generic, "{text}");
    }
}

#[test]
fn fields_of_every_form_are_read() {
    check_type("type A struct{}", "A {}");
    check_type("type A struct { B, C int; D *A }", "A {B int; C int; D *A}");
    check_type(
        "type A struct { B []int; C [2]int; D [n]int }",
        "A {B []int; C [2]int; D [?]int}",
    );
    check_type(
        "type A struct { B; *C; D `json:\"d\"` }",
        "A {^B B; ^C *C; ^D D}",
    );
    check_type(
        "type A struct { B[int]; *C[int]; x.D[int] }",
        "A {^B other; ^C *other; ^D other}",
    );
    check_type(
        "type A struct {\n\tB struct {\n\t\tC int\n\t}\n}",
        "A {B {C int}}",
    );
    check_type("type A struct { B func(); _ int }", "A {B other; _ int}");
}

#[test]
fn what_is_not_a_type_is_skipped() {
    let package = read_clean(
        "package a\nimport (\n\t\"fmt\"\n\t_ \"embed\"\n)\n\
         var x, y = map[string]func() int{\"}\": func() int { return '}' }}, `}`\n\
         var (\n\ta = struct{ b int }{\n\t\tb: 1,\n\t}\n\tc int\n)\n\
         func init() { if x { /* } */ \"}\" // }\n } }\n\
         func f[T any](a struct{ b int }, c ...interface{ d() }) (e int, err error) { return }\n\
         func g() interface{ h() } { type B struct{}; return nil }\n\
         func i() map[string]struct{} { return nil }\n\
         func j() func() []T[int] { return nil }\n\
         func k()\n\
         func (x *A[T]) l() <-chan int { for {} }\n\
         type A struct{}\n",
    );
    assert_eq!(package.types.len(), 1);
    let imports: Vec<_> = package.imports.iter().map(|i| i.path.as_str()).collect();
    assert_eq!(imports, ["embed", "fmt"]);
}

#[test]
fn names_of_packages_are_resolved_by_import() {
    let library = package(
        "example.com/lib-go/v2",
        &[("l.go", "package library\ntype T int\n")],
    );
    let text = "package a\nimport (\n\tm \"k8s.io/api/core/v1\"\n\t\"k8s.io/api/apps/v1\"\n\
                \t\"example.com/lib-go/v2\"\n\t. \"example.com/dots\"\n)\n\
                type A struct {\n\tB m.B\n\tC v1.C\n\tD library.T\n\tE Dot\n\tF nowhere.F\n\tG string\n}\n\
                type string int\n";
    let dots = package(
        "example.com/dots",
        &[("d.go", "package dots\ntype Dot int\n")],
    );
    let user = package("a", &[("a.go", text)]);
    let (packages, found) = read_all(vec![user, dots, library]);
    assert_eq!(found, [""; 0]);
    assert_eq!(
        short(&packages[0].types[0].ty),
        "{B k8s.io/api/core/v1.B; C k8s.io/api/apps/v1.C; D example.com/lib-go/v2.T; \
         E example.com/dots.Dot; F other; G string}"
    );
    let Type::Struct(fields) = &packages[0].types[0].ty else {
        panic!("a struct");
    };
    // The package declares its own `string`.
    assert!(matches!(fields[5].ty, Type::Local(..)));
}

#[test]
fn constants_have_types_and_values() {
    let package = read_clean(
        "package a\ntype P string\ntype N int\n\
         const (\n\
         \t// A is documented.\n\
         \tA P = \"a\"\n\
         \tB = P(\"b\") // B is behind.\n\
         \tC P = Prefix + \"c\"\n\
         \tD, E P = \"d\", `e`\n\
         \tF N = iota\n\
         \tG\n\
         \tH = A\n\
         \tI = len(\"x\")\n\
         \tJ = -0x10\n\
         \tK = 1 << 3\n\
         \tL = M\n\
         \tM = L\n\
         \tO = '/'\n\
         )\n\
         // Prefix is above.\n\
         const Prefix = \"p/\" // not this\n\
         const Behind = \"x\" // Behind is behind.\n\
         const _ = 1\n",
    );
    let consts: Vec<String> = package
        .consts
        .iter()
        .map(|found| {
            let ty = found.ty.as_ref().map_or("-".to_owned(), short);
            let value = match &found.value {
                ConstValue::Literal(EnumLiteral::String(text)) => format!("{text:?}"),
                ConstValue::Literal(EnumLiteral::Integer(text)) => text.clone(),
                ConstValue::Other => "?".to_owned(),
            };
            format!("{} {ty} {value} {}", found.name, found.docs)
        })
        .collect();
    assert_eq!(
        consts,
        [
            "A P \"a\" A is documented.",
            "B P \"b\" B is behind.",
            "C P \"p/c\" ",
            "D P \"d\" ",
            "E P \"e\" ",
            "F N ? ",
            "G N ? ",
            "H P \"a\" ",
            "I - ? ",
            "J - -0x10 ",
            "K - ? ",
            "L - ? ",
            "M - ? ",
            "O - ? ",
            "Prefix - \"p/\" Prefix is above.",
            "Behind - \"x\" Behind is behind.",
        ]
    );
}

#[test]
fn constants_that_double_do_not_fill_memory() {
    let mut text = "package a\nconst A0 = \"0123456789\"\n".to_owned();
    for n in 1..49 {
        let before = n - 1;
        text.push_str(&format!("const A{n} = A{before} + A{before}\n"));
    }
    let package = read_clean(&text);
    assert_eq!(package.consts[48].value, ConstValue::Other);
}

#[test]
fn marshallers_are_told_by_receiver() {
    let package = read_clean(
        "package a\ntype A int\ntype B int\n\
         func (a A) MarshalJSON() ([]byte, error) { return nil, nil }\n\
         func (*B) MarshalText() ([]byte, error) { return nil, nil }\n\
         func (b *B) UnmarshalJSON(data []byte) error { return nil }\n\
         func MarshalJSON() {}\n",
    );
    let found: Vec<_> = package
        .marshalers
        .iter()
        .map(|m| (m.type_name.as_str(), m.pointer, m.kind))
        .collect();
    assert_eq!(
        found,
        [
            ("A", false, MarshalKind::Json),
            ("B", true, MarshalKind::Text)
        ]
    );
}

#[test]
fn files_of_other_builds_are_left_out() {
    let files = [
        ("a.go", "package a\ntype A int\n"),
        ("b.go", "//go:build windows\n\npackage other\ntype A int\n"),
        ("c.go", "// Docs of a.\npackage a\n"),
    ];
    let (packages, found) = read_all(vec![package("a", &files)]);
    assert_eq!(found, [""; 0]);
    assert_eq!(packages[0].docs, "Docs of a.");
    assert_eq!(packages[0].types.len(), 1);
}

#[test]
fn a_folder_has_one_package_and_a_type_one_declaration() {
    let files = [
        ("a.go", "package a\ntype A int\n"),
        ("b.go", "package b\ntype A int\n"),
    ];
    let (_, found) = read_all(vec![package("a", &files)]);
    assert_eq!(
        found,
        [
            "a/b.go:1:9: error: a contains two packages",
            "a/b.go:2:6: error: `A` is declared twice"
        ]
    );
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    let (_, found) = read_all(vec![package("a", &[("a.go", text)])]);
    assert_eq!(found, [expected], "{text}");
}

#[test]
fn syntax_errors_have_their_place() {
    check_error(
        "",
        "a/a.go:1:1: error: expected the package clause, found the end of the file",
    );
    check_error(
        "package a\ntype A struct {\n\tB map[string string\n\tC int\n}\n",
        "a/a.go:3:15: error: expected `]`, found `string`",
    );
    check_error(
        "package a\n\ntype A struct {\n\tB int\n",
        "a/a.go:3:15: error: the struct is not closed",
    );
    check_error(
        "package a\ntype A struct {\n\tB string `json:\"b\n}\n",
        "a/a.go:3:11: error: the string is not terminated",
    );
    check_error(
        "package a\ntype A struct { B int C int }\n",
        "a/a.go:2:23: error: expected the end of the line or `;`, found `C`",
    );
    check_error(
        "package a\ntype A\n",
        "a/a.go:2:7: error: expected a type, found the end of the line",
    );
    check_error(
        "package a\nfunc f() {\n",
        "a/a.go:2:10: error: the brace is not closed",
    );
    check_error(
        "package a\nfunc f(a int\n",
        "a/a.go:2:7: error: the bracket is not closed",
    );
    check_error(
        "package a\nclass A {}\n",
        "a/a.go:2:1: error: expected a declaration, found `class`",
    );
    check_error(
        "package a\ntype A ?\n",
        "a/a.go:2:8: error: invalid character",
    );
}

#[test]
fn faults_of_tags_are_kept_for_the_main_module_only() {
    let text = "package a\ntype A struct {\n\tB int `json:b`\n}\n";
    for main in [true, false] {
        let mut package = package("a", &[("a.go", text)]);
        package.main = main;
        let (found, diagnostics) = read_all(vec![package]);
        assert_eq!(diagnostics, [""; 0]);
        let crate::read::go::Type::Struct(fields) = &found[0].types[0].ty else {
            panic!("no struct");
        };
        let fault = fields[0].tag.as_ref().unwrap().fault.as_ref();
        let problem = fault.map(|fault| (fault.problem.as_str(), fault.place.range.start));
        let expected = ("the value in the struct tag is not in double quotes", 33);
        assert_eq!(problem, main.then_some(expected));
    }
}
