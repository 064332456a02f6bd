package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

// waits before each attempt, counted from the answer to the one before.
var attemptWaits = []time.Duration{0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

type notifier struct {
	url    string
	secret []byte
	speed  float64
	client *http.Client
}

func newNotifier(url, secret string, speed float64) *notifier {
	timeout := time.Duration(float64(10*time.Second) / speed)
	if timeout < time.Second {
		timeout = time.Second
	}
	return &notifier{url: url, secret: []byte(secret), speed: speed, client: &http.Client{
		Timeout:       timeout,
		Transport:     &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 8},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// announce queues the notification of the payment's present status.
func (n *notifier) announce(p *payment, at time.Time) {
	if n == nil || n.url == "" {
		return
	}
	type data struct {
		ID            string `json:"id"`
		Status        string `json:"status"`
		FromCurrency  string `json:"from_currency"`
		ToCurrency    string `json:"to_currency"`
		SendAmount    cents  `json:"send_amount"`
		ReceiveAmount cents  `json:"receive_amount"`
		Mode          string `json:"mode"`
	}
	body, err := json.Marshal(struct {
		Event     string `json:"event"`
		CreatedAt stamp  `json:"created_at"`
		Data      data   `json:"data"`
	}{"payment." + p.Status, stamp(at),
		data{p.ID, p.Status, p.FromCurrency, p.ToCurrency, p.SendAmount, p.ReceiveAmount, p.owner.mode}})
	if err != nil {
		return
	}
	go n.deliver(newID("evt_"), body)
}

func (n *notifier) deliver(id string, body []byte) {
	mac := hmac.New(sha256.New, n.secret)
	mac.Write(body)
	signature := hex.EncodeToString(mac.Sum(nil))
	for i, wait := range attemptWaits {
		time.Sleep(time.Duration(float64(wait) / n.speed))
		if n.attempt(id, signature, body, i+1) {
			return
		}
	}
}

// attempt reports whether the event is done with: any 2xx takes it, 410 Gone
// says that nobody wants it any more.
func (n *notifier) attempt(id, signature string, body []byte, number int) bool {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return true
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "PaymentsService-Webhooks/1.0")
	req.Header.Set("X-Service-Signature", signature)
	req.Header.Set("X-Service-Event-Id", id)
	req.Header.Set("X-Service-Attempt", strconv.Itoa(number))
	res, err := n.client.Do(req)
	if err != nil {
		return false
	}
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	res.Body.Close()
	return res.StatusCode/100 == 2 || res.StatusCode == http.StatusGone
}
