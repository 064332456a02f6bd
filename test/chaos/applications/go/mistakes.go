package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

var (
	mutex   sync.Mutex
	claimed = map[string]bool{}
)

var mistakes = map[string]func(){
	// Reads the claims when it starts, so that another instance does not see later ones.
	"no-lock-between-instances": func() {
		files, _ := filepath.Glob(place("claim", "*"))
		for _, file := range files {
			claimed[strings.TrimPrefix(filepath.Base(file), "claim-")] = true
		}
		claim = func(reference string) bool {
			mutex.Lock()
			defer mutex.Unlock()
			if claimed[reference] {
				return false
			}
			claimed[reference] = true
			os.WriteFile(place("claim", reference), nil, 0o600)
			return true
		}
	},
	// No mistake: records only payments whose create had a response, and leaves the others to a person.
	"leaves-unknowns": func() {
		isKnown = func(id string) bool {
			_, err := os.Stat(place("payment", id))
			return err == nil
		}
	},
	// Claims the reference with its amount, so that another amount is another payment.
	"claims-with-amount": func() {
		claimKey = func(reference, amount string) string { return reference + "-" + amount }
	},
	// Compares the length of the signature.
	"any-signature": func() {
		isGenuine = func(_ []byte, signature string) bool { return len(signature) == 64 }
	},
}
