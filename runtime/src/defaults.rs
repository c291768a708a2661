//! Gives objects the defaults of their schema before they are sent, as kube-apiserver does when it
//! reads and stores them.
//!
//! The generator `defaults` implements [`DefaultFields`] for kinds, with the part of the schema
//! that leads to defaults. It is compiled on first use.

use kube_schema::Structural;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::json::{from_value, to_value};

/// Kinds whose objects can be given the defaults of their schema without a server.
pub trait DefaultFields: Serialize + DeserializeOwned {
    /// Returns the defaults of the kind's schema.
    fn defaults() -> &'static Defaults;

    /// Sets absent fields that have a default to it, as the API server would. Defaults of fields in
    /// an absent object are not set, unless the object has a default itself.
    ///
    /// # Errors
    /// The object has no JSON form, or its type does not accept a default. It is unchanged then.
    fn default_fields(&mut self) -> Result<(), serde_json::Error> {
        Self::defaults().fill(self)
    }
}

/// The defaults of a schema.
#[derive(Debug)]
pub struct Defaults(Structural);

impl Defaults {
    /// Sets absent fields of an object that have a default to it: [`DefaultFields::default_fields`]
    /// for types of other crates.
    ///
    /// # Errors
    /// The object has no JSON form, or its type does not accept a default. It is unchanged then.
    pub fn fill<T: Serialize + DeserializeOwned>(
        &self,
        object: &mut T,
    ) -> Result<(), serde_json::Error> {
        let mut value = to_value(object)?;
        self.0.apply_defaults(&mut value);
        *object = from_value(&value)?;
        Ok(())
    }
}

/// Creates the defaults of a kind from its schema, as JSON; for generated code.
///
/// # Panics
/// `json` is not a structural schema.
#[doc(hidden)]
#[must_use]
pub fn of_schema(json: &str) -> Defaults {
    let schema: Result<Value, _> = serde_json::from_str(json);
    let compiled = schema.map(|schema| Structural::compile(&schema));
    match compiled {
        Ok(Ok(schema)) => Defaults(schema),
        Ok(Err(errors)) => panic!("invalid generated schema, regenerate it: {errors:?}"),
        Err(error) => panic!("invalid generated schema, regenerate it: {error}"),
    }
}
