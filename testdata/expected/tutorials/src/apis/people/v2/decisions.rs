//! What rules cannot decide of the conversion to v3.

use codegen_runtime::conversion::BoxError;

use super::zz_generated_conversion::PersonConversion;
use super::{Gender, Person};

impl PersonConversion for Person {
    fn person_spec_gender_to_hub(value: Gender) -> Result<String, BoxError> {
        let text = match value {
            Gender::Unknown => "Unknown",
            Gender::Male => "Male",
            Gender::Female => "Female",
        };
        Ok(text.to_owned())
    }

    fn person_spec_gender_from_hub(value: String) -> Result<Gender, BoxError> {
        Ok(match value.as_str() {
            "Male" => Gender::Male,
            "Female" => Gender::Female,
            _ => Gender::Unknown,
        })
    }
}
