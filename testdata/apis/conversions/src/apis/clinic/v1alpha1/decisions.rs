//! What rules cannot decide of the conversion to v1.

use codegen_runtime::conversion::BoxError;

use super::zz_generated_conversion::ClinicConversion;
use super::{Clinic, ClinicSpec};
use crate::apis::clinic::v1;

impl ClinicConversion for Clinic {
    fn clinic_spec_rooms_to_hub(value: Vec<String>) -> Result<Vec<v1::Room>, BoxError> {
        let room = |number| v1::Room {
            number,
            ..v1::Room::default()
        };
        Ok(value.into_iter().map(room).collect())
    }

    fn clinic_spec_rooms_from_hub(value: Vec<v1::Room>) -> Result<Vec<String>, BoxError> {
        Ok(value.into_iter().map(|room| room.number).collect())
    }

    fn clinic_spec_owner_to_hub(value: ClinicSpec) -> Result<String, BoxError> {
        Ok(format!("owner of {}", value.title))
    }
}
