package a
const A, B = "a" + `b`, T("c")
const (
	C T = iota
	D
	_
	E = -0x1F
	F = 1 << 3 &^ 2
	G = len("x") + x.Y
	H = '\''
	I = H
	J = J
)
type T string
