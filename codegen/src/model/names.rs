//! Names: every plural, case and identifier rule of the generator.
