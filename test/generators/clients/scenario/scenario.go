// Package scenario has the calls of every generated client in Go, and its report.
package scenario

import (
	"encoding/json"
	"log"
	"os"
	"time"
)

const (
	Amount  = 1234567.89
	Name    = "Acme Supplies Ltd"
	Purpose = "INV-2026-0042"
)

// Client has the operations of a client. Their results are generated models, which become JSON again.
type Client struct {
	Quote func() (quote any, err error)
	// Create returns the payment, or the type of the error.
	Create       func() (payment any, rejection string, err error)
	Retrieve     func(id string) (payment any, err error)
	Transactions func() (transactions any, err error)
}

type payment struct {
	ID, Status  string
	Beneficiary struct {
		Name string
		Bank *string
	}
}

// Check ends the program after an error.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func convert[T any](model any, err error) (result T) {
	Check(err)
	text, err := json.Marshal(model)
	Check(err)
	Check(json.Unmarshal(text, &result))
	return result
}

// Run calls the service and prints the report.
func Run(client Client) {
	quote := convert[struct {
		ReceiveAmount float64 `json:"receive_amount"`
	}](client.Quote())
	created, rejection, err := client.Create()
	if rejection != "" {
		log.Fatal(rejection)
	}
	current := convert[payment](created, err)
	for reads := 0; reads < 100 && current.Status != "completed"; reads++ {
		time.Sleep(50 * time.Millisecond)
		current = convert[payment](client.Retrieve(current.ID))
	}
	report := map[string]any{
		"quoted": quote.ReceiveAmount, "id": current.ID, "status": current.Status,
		"beneficiary": current.Beneficiary.Name, "bank": current.Beneficiary.Bank,
	}
	for _, row := range convert[[]struct {
		PaymentID    string  `json:"payment_id"`
		Amount       float64 `json:"amount"`
		BalanceAfter float64 `json:"balance_after"`
	}](client.Transactions()) {
		if row.PaymentID == current.ID {
			report["amount"], report["balance"] = row.Amount, row.BalanceAfter
		}
	}
	_, report["error"], err = client.Create()
	Check(err)
	Check(json.NewEncoder(os.Stdout).Encode(report))
}
