package a
type A struct {
	B int `json:"-,"`
	C int "json:\"c\""
	D int `json:d`
	E int `json:"e" json:"f" :"g"`
	F int `json:"\u00e9,omitempty"yaml:"x"`
	G int "\xff"
}
