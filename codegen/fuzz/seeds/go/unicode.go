package größe
type Größe struct { Ж string `json:"ж"` }
// +optional
