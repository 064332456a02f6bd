package payments

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const secret = "the signing secret of the tests"

var mock struct{ URL, BaseURL string }

// TestMain runs `service-cli mock`, whose clock the tests advance through its control API.
func TestMain(m *testing.M) {
	command := exec.Command("node_modules/.bin/service-cli", "mock", "--port", "0", "--clock", "manual", "--json", "--quiet")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err == nil {
		err = json.NewDecoder(output).Decode(&mock)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	command.Process.Signal(os.Interrupt)
	command.Wait()
	os.Exit(code)
}

type account struct{ ID, TestKey string }

// control calls the control API of the mock.
func control(t *testing.T, method, path string, body, result any) {
	t.Helper()
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, mock.URL+"/_sandbox"+path, bytes.NewReader(text))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s: %s", path, response.Status)
	}
	if result != nil {
		if err := json.NewDecoder(response.Body).Decode(result); err != nil {
			t.Fatal(err)
		}
	}
}

// open opens an account for a test, with an endpoint for its webhooks.
func open(t *testing.T) (*Client, *Receiver, *httptest.Server) {
	receiver := &Receiver{Secret: secret, Mode: "test"}
	server := httptest.NewServer(receiver)
	t.Cleanup(server.Close)
	var opened account
	control(t, "POST", "/accounts", map[string]string{}, &opened)
	control(t, "PUT", "/webhooks/endpoint", map[string]string{"account": opened.ID, "url": server.URL, "secret": secret}, nil)
	return NewClient(mock.BaseURL, opened.TestKey), receiver, server
}

func newOrder(beneficiaryAccount string) Order {
	return Order{"USD", "EUR", "1000.50", "Acme Supplies Ltd", beneficiaryAccount, "INV-42"}
}

func TestWebhooksOfPayments(t *testing.T) {
	for beneficiary, status := range map[string]string{"": "completed", "SIM-RETURN": "failed", "SIM-HOOK-SHUFFLE": "completed"} {
		t.Run("ends as "+status+" "+beneficiary, func(t *testing.T) {
			client, receiver, _ := open(t)
			payment, err := client.CreatePayment(newOrder(beneficiary))
			if err != nil || payment.SendAmount != "1000.5" {
				t.Fatal(payment, err)
			}
			control(t, "POST", "/clock/advance", map[string]string{"duration": "10s"}, nil)
			if got := receiver.Status(payment.ID); got != status {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestRejectedPayment(t *testing.T) {
	client, _, _ := open(t)
	order := newOrder("")
	order.Amount = "999999.00"
	if _, err := client.CreatePayment(order); !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "balance is too low") {
		t.Error(err)
	}
}

func TestLostResponse(t *testing.T) {
	client, _, _ := open(t)
	client.CreatePayment(newOrder("")) // opens a connection: net/http repeats some requests on a connection that it used before
	if _, err := client.CreatePayment(newOrder("SIM-DROP")); !errors.Is(err, ErrOutcomeUnknown) {
		t.Error(err)
	}
	request, _ := http.NewRequest("GET", mock.BaseURL+"/transactions?type=payment", nil)
	request.Header.Set("X-API-Key", client.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var page struct{ Data struct{ Transactions []any } }
	json.NewDecoder(response.Body).Decode(&page)
	if got := len(page.Data.Transactions); got != 2 {
		t.Errorf("%d payments", got)
	}
}

func TestUnreadableResponse(t *testing.T) {
	for _, fault := range []map[string]any{{"kind": "truncated"}, {"kind": "garbage"}, {"kind": "html"}, {"kind": "html", "status": 422}} {
		fault["operation"] = "createPayment"
		control(t, "POST", "/faults", fault, nil)
		client, _, _ := open(t)
		if _, err := client.CreatePayment(newOrder("")); !errors.Is(err, ErrOutcomeUnknown) {
			t.Error(fault, err)
		}
	}
}

func TestForgedWebhook(t *testing.T) {
	_, _, server := open(t)
	request, _ := http.NewRequest("POST", server.URL, strings.NewReader("{}"))
	request.Header.Set("X-Service-Signature", strings.Repeat("0", 64))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Error(response.Status)
	}
}

// TestVectors tests the valid and malformed signatures that the package publishes for any language.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("node_modules/@service/webhooks/vectors/signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Title        string
			Body, Secret []byte
			Signatures   []string
			Valid        bool
		}
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Vectors) == 0 {
		t.Fatal(err)
	}
	for _, vector := range file.Vectors {
		valid := len(vector.Signatures) == 1 && IsValidSignature(vector.Body, vector.Signatures[0], vector.Secret)
		if valid != vector.Valid {
			t.Error(vector.Title)
		}
	}
}
