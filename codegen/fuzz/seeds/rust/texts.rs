const A: &str = "// +a\""; const B: &str = r##""# // +b"##; const C: char = '\''; const D: u8 = b'"'; // +c
