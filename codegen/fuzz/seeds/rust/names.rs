// +genclient
// +genclient:method=*/"\n,verb=get
pub struct r#type { pub metadata: ObjectMeta, pub r#fn: u8 }
