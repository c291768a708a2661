//! Lines of code, broken where rustfmt breaks them.

use super::WIDTH;

/// A statement in a function that replaces a variable by the result of calling its method.
pub(super) fn chained(variable: &str, call: &str) -> String {
    let value = format!("{variable}.{call};");
    if format!("    let {variable} = {value}").len() <= WIDTH {
        format!("let {variable} = {value}")
    } else if format!("        {value}").len() <= WIDTH {
        format!("let {variable} =\n    {value}")
    } else {
        format!("let {variable} = {variable}\n    .{call};")
    }
}

/// The start of an implementation of a trait.
pub(super) fn implementation(trait_name: &str, type_name: &str) -> String {
    let line = format!("impl {trait_name} for {type_name} {{");
    match line.len() <= WIDTH {
        true => line,
        false => format!("impl {trait_name}\n    for {type_name}\n{{"),
    }
}
