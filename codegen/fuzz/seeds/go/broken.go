package a
type A struct {
	B map[string string
	C "d
}
type
func {
