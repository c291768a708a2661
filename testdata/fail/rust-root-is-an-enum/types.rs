// +genclient
pub enum Machine {
    Small,
}
