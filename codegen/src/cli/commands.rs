//! The macro that declares commands: one row each, from which the arguments and the call follow.

/// Declares an enum of commands, each with its documentation and the type of its arguments, whose
/// `run` executes it. Deferred: only the arguments of the selected command are declared. The list
/// of commands shows the first sentence of each command's own documentation.
macro_rules! commands {
    ($name:ident; $(
        $(#[doc = $doc:literal])+ $(#[cfg($condition:meta)])? $(#[command($($setting:tt)+)])?
        $variant:ident($arguments:ty),
    )+) => {
        #[derive(Debug, clap::Subcommand)]
        #[command(defer = true)]
        enum $name {$(
            $(#[doc = $doc])+ $(#[cfg($condition)])? $(#[command($($setting)+)])?
            $variant($arguments),
        )+}

        impl $name {
            fn run(self, color: Color) -> Result<(), Failure> {
                match self {$(
                    $(#[cfg($condition)])?
                    Self::$variant(command) => command.run(color),
                )+}
            }
        }
    };
}
