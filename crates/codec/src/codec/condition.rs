//! Conditions with exact times. k8s-openapi writes whole seconds only, so the fields are listed here.

use k8s_openapi::{
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use serde::{Deserialize, Deserializer, Serializer, ser::SerializeMap};

use super::{Codec, Encoded};

impl Codec for Condition {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Condition", rename_all = "camelCase")]
        struct Wire {
            #[serde(deserialize_with = "Codec::decode")]
            last_transition_time: Time,
            message: String,
            observed_generation: Option<i64>,
            reason: String,
            status: String,
            #[serde(rename = "type")]
            type_: String,
        }
        let wire = Wire::deserialize(deserializer)?;
        Ok(Self {
            last_transition_time: wire.last_transition_time,
            message: wire.message,
            observed_generation: wire.observed_generation,
            reason: wire.reason,
            status: wire.status,
            type_: wire.type_,
        })
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("lastTransitionTime", &Encoded(&self.last_transition_time))?;
        map.serialize_entry("message", &self.message)?;
        if let Some(generation) = &self.observed_generation {
            map.serialize_entry("observedGeneration", generation)?;
        }
        map.serialize_entry("reason", &self.reason)?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("type", &self.type_)?;
        map.end()
    }
}

/// The placeholder for an unset condition: empty strings, at the Unix epoch.
#[must_use]
pub fn condition() -> Condition {
    Condition {
        last_transition_time: Time(Timestamp::UNIX_EPOCH),
        message: String::new(),
        observed_generation: None,
        reason: String::new(),
        status: String::new(),
        type_: String::new(),
    }
}
