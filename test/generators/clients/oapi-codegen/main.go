package main

import (
	"context"
	"net/http"
	"os"

	"generators/clients/scenario"
	generated "generators/out/oapi-codegen"
)

func main() {
	ctx := context.Background()
	authenticate := generated.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	})
	client, err := generated.NewClientWithResponses(os.Getenv("BASE_URL"), authenticate)
	scenario.Check(err)
	scenario.Run(scenario.Client{
		Quote: func() (any, error) {
			request := generated.QuoteRequest{FromCurrency: "USD", ToCurrency: "EUR", Amount: scenario.Amount}
			response, err := client.CreateQuoteWithResponse(ctx, request)
			return response.JSON200.Data, err
		},
		Create: func() (any, string, error) {
			purpose := scenario.Purpose
			response, err := client.CreatePaymentWithResponse(ctx, nil, generated.PaymentRequest{
				FromCurrency: "USD", ToCurrency: "EUR", Amount: scenario.Amount, BeneficiaryName: scenario.Name, Purpose: &purpose,
			})
			switch {
			case err != nil:
				return nil, "", err
			case response.JSON422 != nil:
				return nil, response.JSON422.Error.Type, nil
			case response.JSON200 != nil:
				return response.JSON200.Data, "", nil
			}
			return response.JSON201.Data, "", nil
		},
		Retrieve: func(id string) (any, error) {
			response, err := client.GetPaymentWithResponse(ctx, id)
			return response.JSON200.Data, err
		},
		Transactions: func() (any, error) {
			status, kind := "completed", "payment"
			response, err := client.ListTransactionsWithResponse(ctx, &generated.ListTransactionsParams{Status: &status, Type: &kind})
			return response.JSON200.Data.Transactions, err
		},
	})
}
