package main

import (
	"context"
	"errors"
	"os"

	"generators/clients/scenario"
	generated "generators/out/openapi-generator-go"
)

func main() {
	ctx := context.WithValue(context.Background(), generated.ContextAccessToken, os.Getenv("API_KEY"))
	configuration := generated.NewConfiguration()
	configuration.Servers = generated.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := generated.NewAPIClient(configuration)
	scenario.Run(scenario.Client{
		Quote: func() (any, error) {
			request := generated.NewQuoteRequest("USD", "EUR", scenario.Amount)
			envelope, _, err := client.QuotesAPI.CreateQuote(ctx).QuoteRequest(*request).Execute()
			return envelope.GetData(), err
		},
		Create: func() (any, string, error) {
			request := generated.NewPaymentRequest("USD", "EUR", scenario.Amount, scenario.Name)
			request.SetPurpose(scenario.Purpose)
			envelope, _, err := client.PaymentsAPI.CreatePayment(ctx).PaymentRequest(*request).Execute()
			if failure := (*generated.GenericOpenAPIError)(nil); errors.As(err, &failure) {
				if rejection, ok := failure.Model().(generated.ErrorEnvelope); ok {
					return nil, rejection.Error.Type, nil
				}
			}
			return envelope.GetData(), "", err
		},
		Retrieve: func(id string) (any, error) {
			envelope, _, err := client.PaymentsAPI.GetPayment(ctx, id).Execute()
			return envelope.GetData(), err
		},
		Transactions: func() (any, error) {
			envelope, _, err := client.AccountAPI.ListTransactions(ctx).Status("completed").Type_("payment").Execute()
			return envelope.GetData().Transactions, err
		},
	})
}
