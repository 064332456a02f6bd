package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	generated "generators/out/oapi-codegen"
)

type report struct {
	Quoted      float64 `json:"quoted"`
	ID          string  `json:"id"`
	Status      string  `json:"status"`
	Beneficiary string  `json:"beneficiary"`
	Bank        *string `json:"bank"`
	Amount      float64 `json:"amount"`
	Balance     float64 `json:"balance"`
	Error       string  `json:"error"`
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	authenticate := generated.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	})
	client, err := generated.NewClientWithResponses(os.Getenv("BASE_URL"), authenticate)
	check(err)

	quote, err := client.CreateQuoteWithResponse(ctx, generated.QuoteRequest{FromCurrency: "USD", ToCurrency: "EUR", Amount: 1234567.89})
	check(err)

	purpose := "INV-2026-0042"
	body := generated.PaymentRequest{
		FromCurrency: "USD", ToCurrency: "EUR", Amount: 1234567.89,
		BeneficiaryName: "Acme Supplies Ltd", Purpose: &purpose,
	}
	created, err := client.CreatePaymentWithResponse(ctx, nil, body)
	check(err)
	envelope := created.JSON201
	if envelope == nil {
		envelope = created.JSON200
	}
	payment := envelope.Data
	for reads := 0; reads < 100 && payment.Status != "completed"; reads++ {
		time.Sleep(50 * time.Millisecond)
		current, err := client.GetPaymentWithResponse(ctx, payment.Id)
		check(err)
		payment = current.JSON200.Data
	}

	status, kind := "completed", "payment"
	page, err := client.ListTransactionsWithResponse(ctx, &generated.ListTransactionsParams{Status: &status, Type: &kind})
	check(err)
	var debit generated.Transaction
	for _, transaction := range page.JSON200.Data.Transactions {
		if transaction.PaymentId != nil && *transaction.PaymentId == payment.Id {
			debit = transaction
		}
	}

	rejected, err := client.CreatePaymentWithResponse(ctx, nil, body)
	check(err)

	check(json.NewEncoder(os.Stdout).Encode(report{
		Quoted:      quote.JSON200.Data.ReceiveAmount,
		ID:          payment.Id,
		Status:      string(payment.Status),
		Beneficiary: payment.Beneficiary.Name,
		Bank:        payment.Beneficiary.Bank,
		Amount:      debit.Amount,
		Balance:     debit.BalanceAfter,
		Error:       rejected.JSON422.Error.Type,
	}))
}
