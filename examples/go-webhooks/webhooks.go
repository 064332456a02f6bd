package payments

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
)

const maxBody = 65_536

// IsValidSignature compares HMAC-SHA256 of the raw body with the header X-Service-Signature, in constant time.
func IsValidSignature(body []byte, signature string, secret []byte) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

var order = []string{"pending", "processing", "completed", "failed"}

// Receiver verifies webhooks and records the latest status of each payment. In an application, this is a table.
type Receiver struct {
	Secret, Mode string
	mutex        sync.Mutex
	statuses     map[string]string
}

// Status returns the latest status of a payment.
func (receiver *Receiver) Status(id string) string {
	receiver.mutex.Lock()
	defer receiver.mutex.Unlock()
	return receiver.statuses[id]
}

func (receiver *Receiver) record(id, status string) {
	receiver.mutex.Lock()
	defer receiver.mutex.Unlock()
	if receiver.statuses == nil {
		receiver.statuses = map[string]string{}
	}
	// Events can arrive late, out of order and more than once.
	if slices.Index(order, status) > slices.Index(order, receiver.statuses[id]) {
		receiver.statuses[id] = status
	}
}

// ServeHTTP handles a webhook. Any other status than 200 makes the service send the event again.
func (receiver *Receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBody))
	if err != nil {
		response.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	signatures := request.Header.Values("X-Service-Signature")
	if len(signatures) != 1 || !IsValidSignature(body, signatures[0], []byte(receiver.Secret)) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event struct {
		Data struct{ ID, Status, Mode string }
	}
	if json.Unmarshal(body, &event) != nil {
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	if event.Data.Mode == receiver.Mode {
		receiver.record(event.Data.ID, event.Data.Status)
	}
}
