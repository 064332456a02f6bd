// An application that pays and receives webhooks. Each mistake in this folder replaces one of its parts.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The parts of the application.
var (
	claim     = claimFile
	claimKey  = func(reference, _ string) string { return reference }
	isGenuine = verify
	isKnown   = func(string) bool { return true }
)

var client = http.Client{Timeout: time.Second}

func place(kind, reference string) string {
	return filepath.Join(os.Getenv("STATE"), kind+"-"+reference)
}

// claimFile returns whether the reference was not claimed before: the file system decides, for all processes.
func claimFile(reference string) bool {
	file, err := os.OpenFile(place("claim", reference), os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	file.Close()
	return true
}

func verify(body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(os.Getenv("SERVICE_WEBHOOK_SECRET")))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

type envelope struct {
	Data  struct{ ID, Purpose string }
	Error struct{ Type string }
}

// call sends no Idempotency-Key: net/http would send a request with that header again.
func call(method, path string, body any) (status int, answer envelope, err error) {
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, os.Getenv("SERVICE_BASE_URL")+path, bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SERVICE_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, answer, err
	}
	defer response.Body.Close()
	return response.StatusCode, answer, json.NewDecoder(response.Body).Decode(&answer)
}

func pay(reference, amount string) int {
	if !claim(claimKey(reference, amount)) {
		return http.StatusOK
	}
	status, answer, err := call("POST", "/payments", map[string]any{
		"from_currency": "USD", "to_currency": "EUR", "beneficiary_name": "Acme Supplies Ltd",
		"amount": json.Number(amount), "purpose": reference,
	})
	if err == nil && status < 300 && answer.Data.ID != "" {
		os.WriteFile(place("payment", answer.Data.ID), nil, 0o600)
		// It can complete before its id is known.
		if _, err := os.Stat(place("completed", answer.Data.ID)); err == nil {
			receive(answer.Data.ID)
		}
		return http.StatusCreated
	}
	if err == nil && slices.Contains([]int{401, 403, 422, 429}, status) && answer.Error.Type != "" {
		release(claimKey(reference, amount))
	}
	return http.StatusBadGateway
}

// release lets a later trigger pay a reference that the service has rejected.
func release(reference string) {
	mutex.Lock()
	defer mutex.Unlock()
	delete(claimed, reference)
	os.Remove(place("claim", reference))
}

func receive(id string) {
	if !isKnown(id) {
		os.WriteFile(place("completed", id), nil, 0o600)
		return
	}
	if status, answer, err := call("GET", "/payments/"+id, nil); err == nil && status == 200 {
		os.WriteFile(place("handled", answer.Data.Purpose), []byte("completed\n"), 0o600)
	}
}

func serve(response http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	parts := strings.Split(request.URL.Path, "/")
	switch {
	case parts[1] == "payouts":
		response.WriteHeader(pay(parts[2], parts[3]))
	case !isGenuine(body, request.Header.Get("X-Service-Signature")):
		response.WriteHeader(http.StatusUnauthorized)
	default:
		var event struct {
			Event string
			Data  struct{ ID string }
		}
		json.Unmarshal(body, &event)
		if event.Event == "payment.completed" {
			receive(event.Data.ID)
		}
	}
}

func main() {
	if mistake, found := mistakes[os.Args[1]]; found {
		mistake()
	}
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(serve)))
}
