#[serde(rename_all = "é", tag = "", content = "", untagged)]
pub enum E { #[serde(rename = "\0")] A, #[serde(other)] B(u8), C { #[serde(flatten, skip)] c: () } }
