//! The flags of options, which follow from the table of options.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::{
    Config,
    options::{
        Options,
        define::{Given, MANIFESTS, OptionDef, Row, Type},
        rows,
    },
};

/// The options that a command has flags for; `COMMAND` is one of the constants of the table.
#[derive(Debug)]
pub(super) struct Flags<const COMMAND: u8>(Vec<(&'static str, String)>);

impl<const COMMAND: u8> Flags<COMMAND> {
    fn rows() -> impl Iterator<Item = &'static Row<Options>> {
        rows().filter(|row| row.def.commands & COMMAND != 0)
    }

    /// Sets the options that were given.
    pub(super) fn apply(self, mut config: Config) -> Config {
        for row in Self::rows() {
            let given = self.0.iter().filter(|(name, _)| *name == row.def.name);
            for (_, word) in given {
                // The parser has checked it.
                let _ = give(row, &mut config.options, word);
            }
        }
        config
    }
}

/// Gives an option a value as written on the command line.
fn give(row: &Row<Options>, options: &mut Options, word: &str) -> Result<(), String> {
    let given = match row.def.ty {
        Type::Bool => Given::Flag(true),
        Type::Count => Given::Count(word.parse().map_err(|_| "expected a number")?),
        Type::Map => {
            let (key, value) = entry(&row.def, word)?;
            Given::Entry(key, value)
        }
        _ => Given::Word(word),
    };
    row.give(options, given)
}

/// Splits an entry of a map, written `KEY=VALUE`.
fn entry<'w>(def: &OptionDef, word: &'w str) -> Result<(&'w str, &'w str), String> {
    let parts = word.split_once('=');
    let parts = parts.filter(|(key, value)| !key.is_empty() && !value.is_empty());
    let (key, value) =
        parts.ok_or_else(|| format!("write {}, such as {}", def.value, example(def)))?;
    if let Some(check) = def.check_key {
        check(key)?;
    }
    Ok((key, value))
}

/// The example of a map, as on the command line.
fn example(def: &OptionDef) -> String {
    let plain = def.example.trim_matches(['{', '}', ' ']);
    plain.replace('"', "").replace(" = ", "=")
}

/// The flag of an option.
fn flag<const COMMAND: u8>(row: &'static Row<Options>) -> Arg {
    let def = &row.def;
    let arg = Arg::new(def.name).long(def.flag()).help(help(def));
    let arg = match def.ty {
        Type::Bool => arg.action(ArgAction::SetTrue),
        Type::Strings | Type::Map => arg.action(ArgAction::Append),
        _ => arg.action(ArgAction::Set),
    };
    let arg = match def.ty {
        Type::Bool => arg,
        _ => arg.value_name(def.value).value_parser(|word: &str| {
            let word = word.to_owned();
            give(row, &mut Options::default(), &word).map(|()| word)
        }),
    };
    let arg = match def.separated {
        true => arg.value_delimiter(','),
        false => arg,
    };
    match COMMAND {
        MANIFESTS => arg.requires("input"),
        _ => arg,
    }
}

/// The documentation of an option, as clap writes that of other flags.
fn help(def: &OptionDef) -> String {
    let docs = def.docs.trim_end_matches('.');
    match def.ty {
        Type::Map => format!("{docs}, as in {}; may be repeated", example(def)),
        Type::Strings => format!("{docs}; may be repeated"),
        Type::String | Type::Count if !def.default.is_empty() => {
            format!("{docs} [default: {}]", def.default.trim_matches('"'))
        }
        _ => docs.to_owned(),
    }
}

impl<const COMMAND: u8> Args for Flags<COMMAND> {
    fn augment_args(command: Command) -> Command {
        command.args(Self::rows().map(flag::<COMMAND>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const COMMAND: u8> FromArgMatches for Flags<COMMAND> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self(Vec::new());
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in Self::rows() {
            let name = row.def.name;
            if row.def.ty == Type::Bool {
                self.0
                    .extend(matches.get_flag(name).then(|| (name, String::new())));
            } else {
                let words = matches.get_many::<String>(name).into_iter().flatten();
                self.0.extend(words.map(|word| (name, word.clone())));
            }
        }
        Ok(())
    }
}
