// Package payments calls the payments API and verifies its webhooks. Standard library only.
package payments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// ErrOutcomeUnknown means that the payment may exist. Search the transactions for its purpose, and do not create it again.
var ErrOutcomeUnknown = errors.New("the payment may exist")

// ErrRejected means that the service rejected the request and did nothing.
var ErrRejected = errors.New("rejected")

// Payment is a payment of the service. Its amount has the digits of the response.
type Payment struct {
	ID         string      `json:"id"`
	Status     string      `json:"status"`
	SendAmount json.Number `json:"send_amount"`
}

// Order is the body of a new payment.
type Order struct {
	FromCurrency       string      `json:"from_currency"`
	ToCurrency         string      `json:"to_currency"`
	Amount             json.Number `json:"amount"` // "1000.50" is sent as the JSON number 1000.50
	BeneficiaryName    string      `json:"beneficiary_name"`
	BeneficiaryAccount string      `json:"beneficiary_account,omitempty"`
	Purpose            string      `json:"purpose,omitempty"`
}

// Client calls the payments API with one API key.
type Client struct {
	BaseURL, APIKey string
	http            http.Client
}

// NewClient creates a client that follows no redirect, because a redirect would send the key and the order to another address.
func NewClient(baseURL, apiKey string) *Client {
	stop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{baseURL, apiKey, http.Client{Timeout: 30 * time.Second, CheckRedirect: stop}}
}

// CreatePayment creates a payment. It sets no Idempotency-Key: net/http would send a request with that header again.
func (client *Client) CreatePayment(order Order) (payment Payment, err error) {
	body, err := json.Marshal(order)
	if err != nil {
		return payment, err
	}
	request, err := http.NewRequest("POST", client.BaseURL+"/payments", bytes.NewReader(body))
	if err != nil {
		return payment, err
	}
	request.Header.Set("Authorization", "Bearer "+client.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.http.Do(request)
	if err != nil {
		return payment, fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	}
	defer response.Body.Close()
	var envelope struct {
		Data  Payment
		Error struct{ Message string }
	}
	err = json.NewDecoder(response.Body).Decode(&envelope)
	switch {
	case err == nil && response.StatusCode < 300 && envelope.Data.ID != "":
		return envelope.Data, nil
	case err == nil && slices.Contains([]int{401, 403, 404, 422, 429}, response.StatusCode):
		return payment, fmt.Errorf("%w: %s", ErrRejected, envelope.Error.Message)
	}
	return payment, fmt.Errorf("%w: HTTP %d", ErrOutcomeUnknown, response.StatusCode)
}
