// Prints controller-gen's plural of each kind on standard input: the kind, a tab, and the plural.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/gobuffalo/flect"
)

func main() {
	kinds := bufio.NewScanner(os.Stdin)
	for kinds.Scan() {
		fmt.Printf("%s\t%s\n", kinds.Text(), strings.ToLower(flect.Pluralize(kinds.Text())))
	}
}
