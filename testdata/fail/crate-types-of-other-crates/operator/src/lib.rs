use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use upstream::Policy;

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Boat", status = "published::Status")]
pub struct BoatSpec {
    pub endpoint: api_common::Endpoint,
    pub ports: Vec<api_common::net::Port>,
    pub hull: gone::Hull,
    pub policy: Option<Policy>,
    #[schemars(with = "String")]
    pub described: published::Text,
}
