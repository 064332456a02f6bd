package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	"generators/clients/scenario"
	generated "generators/out/ogen"
)

type security struct{}

func (security) BearerKey(context.Context, generated.OperationName) (generated.BearerKey, error) {
	return generated.BearerKey{Token: os.Getenv("API_KEY")}, nil
}

func (security) HeaderKey(context.Context, generated.OperationName) (generated.HeaderKey, error) {
	return generated.HeaderKey{}, ogenerrors.ErrSkipClientSecurity
}

func unexpected(response any, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("unexpected response: %T", response)
}

func main() {
	ctx := context.Background()
	client, err := generated.NewClient(os.Getenv("BASE_URL"), security{})
	scenario.Check(err)
	scenario.Run(scenario.Client{
		Quote: func() (any, error) {
			request := generated.QuoteRequest{FromCurrency: "USD", ToCurrency: "EUR", Amount: scenario.Amount}
			response, err := client.CreateQuote(ctx, &request)
			if quote, ok := response.(*generated.CreateQuoteOK); ok {
				return &quote.Response.Data, nil
			}
			return nil, unexpected(response, err)
		},
		Create: func() (any, string, error) {
			response, err := client.CreatePayment(ctx, &generated.PaymentRequest{
				FromCurrency: "USD", ToCurrency: "EUR", Amount: scenario.Amount, BeneficiaryName: scenario.Name,
				Purpose: generated.NewOptNilString(scenario.Purpose),
			}, generated.CreatePaymentParams{})
			switch result := response.(type) {
			case *generated.CreatePaymentCreated:
				return &result.Response.Data, "", nil
			case *generated.CreatePaymentOK:
				return &result.Response.Data, "", nil
			case *generated.InvalidPaymentHeaders:
				return nil, string(result.Response.Error.Type), nil
			}
			return nil, "", unexpected(response, err)
		},
		Retrieve: func(id string) (any, error) {
			response, err := client.GetPayment(ctx, generated.GetPaymentParams{PaymentID: generated.PaymentId(id)})
			if payment, ok := response.(*generated.PaymentEnvelopeHeaders); ok {
				return &payment.Response.Data, nil
			}
			return nil, unexpected(response, err)
		},
		Transactions: func() (any, error) {
			response, err := client.ListTransactions(ctx, generated.ListTransactionsParams{
				Status: generated.NewOptTransactionStatus("completed"), Type: generated.NewOptTransactionType("payment"),
			})
			if page, ok := response.(*generated.TransactionsEnvelopeHeaders); ok {
				return page.Response.Data.Transactions, nil
			}
			return nil, unexpected(response, err)
		},
	})
}
