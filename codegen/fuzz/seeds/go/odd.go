package a
import . "x"; import _ "y"
import z "example.com/z"
var a, b = func() (c struct{ d int }) { return }, []interface{ e() }{{}, {"}"}}
func (x *T[K]) MarshalJSON() ([]byte, error) { return nil, nil }
func (T[K]) MarshalText() (b []byte, err error)
type T[K comparable, V interface{ ~int | string }] struct { m map[K]V }
type (U = T[string, z.Z]; V [4]z.Z; W [n*2]func(...int) <-chan struct{}; X struct { *U; z.Z `json:",inline"`; Y[int] })
type Z interface{}
