package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

const prefix = "/api/v1"

type apiError struct {
	status    int
	Type      string `json:"type"`
	Message   string `json:"message"`
	Details   any    `json:"details,omitempty"`
	RequestID string `json:"request_id"`
}

func invalid(problems []problem) *apiError {
	msg := fmt.Sprintf("%s %s.", problems[0].Field, problems[0].Message)
	if n := len(problems) - 1; n > 0 {
		msg += fmt.Sprintf(" (and %d more)", n)
	}
	return &apiError{status: 422, Type: "validation_error", Message: msg, Details: problems}
}

type envelope struct {
	Success bool      `json:"success"`
	Mode    string    `json:"mode,omitempty"`
	Data    any       `json:"data,omitempty"`
	Error   *apiError `json:"error,omitempty"`
}

type server struct{ book *ledger }

func send(w http.ResponseWriter, status int, e envelope) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		status = 500
		buf.Reset()
		buf.WriteString(`{"success":false,"error":{"type":"internal_error","message":"Something went wrong."}}` + "\n")
	}
	w.Header().Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(status)
	w.Write(buf.Bytes())
}

func refuse(w http.ResponseWriter, mode string, e *apiError) {
	e.RequestID = w.Header().Get("X-Request-Id")
	send(w, e.status, envelope{Mode: mode, Error: e})
}

// authenticate finds the account of the request, or nil.
func (s *server) authenticate(r *http.Request) *account {
	var keys []string
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, key, _ := strings.Cut(h, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil
		}
		keys = append(keys, strings.TrimSpace(key))
	}
	if h := r.Header.Get("X-API-Key"); h != "" {
		keys = append(keys, h)
	}
	if len(keys) == 0 || keys[0] != keys[len(keys)-1] {
		return nil
	}
	for _, a := range s.book.accounts {
		if a.key == keys[0] {
			return a
		}
	}
	return nil
}

type call func(w http.ResponseWriter, r *http.Request, a *account) *apiError

func (s *server) private(f call) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := s.authenticate(r)
		if a == nil {
			w.Header().Set("WWW-Authenticate", `Bearer realm="payments"`)
			refuse(w, "", &apiError{status: 401, Type: "authentication_error", Message: "Missing or invalid API key."})
			return
		}
		if e := f(w, r, a); e != nil {
			refuse(w, a.mode, e)
		}
	}
}

// lost answers for what the router does not know, before any key is asked for.
func (s *server) lost(e apiError, allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		mode := ""
		if a := s.authenticate(r); a != nil {
			mode = a.mode
		}
		if allow != "" {
			w.Header().Set("Allow", allow)
		}
		answer := e
		refuse(w, mode, &answer)
	}
}

var slashes = regexp.MustCompile(`/{2,}`)

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	route := func(method, path string, f call) {
		mux.HandleFunc(method+" "+prefix+path, s.private(f))
		allow := method
		if method == "GET" {
			allow = "GET, HEAD"
		}
		mux.HandleFunc(prefix+path, s.lost(apiError{status: 405, Type: "method_not_allowed",
			Message: "This method is not available here."}, allow))
	}
	route("POST", "/quotes", s.quote)
	route("POST", "/payments", s.pay)
	route("GET", "/payments/{id}", s.show)
	route("GET", "/balance", s.balance)
	route("GET", "/transactions", s.transactions)
	mux.HandleFunc("/", s.lost(apiError{status: 404, Type: "not_found", Message: "There is no such endpoint."}, ""))

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Request-Id", newID("req_"))
		p := slashes.ReplaceAllString(r.URL.Path, "/")
		if len(p) > 1 {
			p = strings.TrimSuffix(p, "/")
		}
		r.URL.Path, r.URL.RawPath = p, ""
		mux.ServeHTTP(w, r)
	})
}

func (s *server) quote(w http.ResponseWriter, r *http.Request, a *account) *apiError {
	f, e := readForm(w, r, "from_currency", "to_currency", "amount")
	if e != nil {
		return e
	}
	from, to, amount := f.currency("from_currency"), f.currency("to_currency"), f.amount("amount")
	if e := f.result(); e != nil {
		return e
	}
	rate := rateFor(from, to)
	send(w, 200, envelope{Success: true, Mode: a.mode, Data: struct {
		From    string `json:"from_currency"`
		To      string `json:"to_currency"`
		Send    cents  `json:"send_amount"`
		Fee     cents  `json:"fee"`
		Rate    micros `json:"rate"`
		Receive cents  `json:"receive_amount"`
	}{from, to, amount, feeFor(amount), rate, convert(amount, rate)}})
	return nil
}

func (s *server) pay(w http.ResponseWriter, r *http.Request, a *account) *apiError {
	f, e := readForm(w, r, "from_currency", "to_currency", "amount", "beneficiary_name", "beneficiary_bank",
		"beneficiary_account", "beneficiary_country", "purpose")
	if e != nil {
		return e
	}
	p := &payment{FromCurrency: f.currency("from_currency"), ToCurrency: f.currency("to_currency"), SendAmount: f.amount("amount")}
	p.Beneficiary = beneficiary{Name: f.text("beneficiary_name", true, 70), Bank: f.text("beneficiary_bank", false, 100),
		Account: f.accountNumber("beneficiary_account"), Country: f.text("beneficiary_country", false, 60)}
	p.Purpose = f.text("purpose", false, 140)
	key := r.Header.Get("Idempotency-Key")
	if len(key) > 128 {
		f.bad("Idempotency-Key", "too_long", "must not be longer than 128 characters")
	}
	if e := f.result(); e != nil {
		return e
	}
	p.Rate, p.Fee = rateFor(p.FromCurrency, p.ToCurrency), feeFor(p.SendAmount)
	p.ReceiveAmount = convert(p.SendAmount, p.Rate)
	print, _ := json.Marshal([]any{p.FromCurrency, p.ToCurrency, p.SendAmount, p.Beneficiary, p.Purpose})

	s.book.mu.Lock()
	if old, ok := a.replays[key]; ok && key != "" {
		s.book.mu.Unlock()
		if old.fingerprint != string(print) {
			return &apiError{status: 422, Type: "idempotency_error",
				Message: "This Idempotency-Key was used with another request body."}
		}
		w.Header().Set("Idempotent-Replayed", "true")
		send(w, 200, envelope{Success: true, Mode: a.mode, Data: old.response})
		return nil
	}
	short := s.book.create(a, p)
	answer := *p
	if short == nil && key != "" {
		a.replays[key] = replay{string(print), answer}
	}
	s.book.mu.Unlock()
	if short != nil {
		return &apiError{status: 422, Type: "insufficient_funds",
			Message: "The " + p.FromCurrency + " wallet does not cover the amount and the fee.",
			Details: map[string]any{"currency": p.FromCurrency, "available": short.available, "required": short.required}}
	}
	w.Header().Set("Location", prefix+"/payments/"+answer.ID)
	send(w, 202, envelope{Success: true, Mode: a.mode, Data: answer})
	return nil
}

func (s *server) show(w http.ResponseWriter, r *http.Request, a *account) *apiError {
	s.book.mu.Lock()
	p := s.book.payments[r.PathValue("id")]
	if p == nil {
		s.book.mu.Unlock()
		return &apiError{status: 404, Type: "not_found", Message: "There is no such payment."}
	}
	answer := *p
	s.book.mu.Unlock()
	if answer.owner != a {
		return &apiError{status: 403, Type: "permission_error", Message: "This payment belongs to another account."}
	}
	send(w, 200, envelope{Success: true, Mode: a.mode, Data: answer})
	return nil
}

func (s *server) balance(w http.ResponseWriter, r *http.Request, a *account) *apiError {
	list := []wallet{}
	s.book.mu.Lock()
	for _, x := range a.wallets {
		list = append(list, *x)
	}
	s.book.mu.Unlock()
	send(w, 200, envelope{Success: true, Mode: a.mode, Data: map[string]any{"balances": list}})
	return nil
}

type pageInfo struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	Total      int `json:"total"`
	TotalPages int `json:"total_pages"`
}

func (s *server) transactions(w http.ResponseWriter, r *http.Request, a *account) *apiError {
	q := r.URL.Query()
	f := &form{}
	number := func(name string, fallback, max int) int {
		if !q.Has(name) {
			return fallback
		}
		v := q.Get(name)
		n, err := strconv.Atoi(v)
		if err != nil || !wholeNumber.MatchString(v) || n < 1 || n > max {
			f.bad(name, "out_of_range", fmt.Sprintf("must be a whole number from 1 to %d", max))
		}
		return n
	}
	choice := func(name string, values ...string) string {
		if !q.Has(name) {
			return ""
		}
		for _, v := range values {
			if v == q.Get(name) {
				return v
			}
		}
		f.bad(name, "invalid_choice", "must be one of "+strings.Join(values, ", "))
		return ""
	}
	page, per := number("page", 1, 1000000), number("per_page", 20, 100)
	status := choice("status", "pending", "processing", "completed", "failed")
	kind := choice("type", "payment", "refund", "deposit")
	if e := f.result(); e != nil {
		return e
	}
	items := []transaction{}
	total := 0
	s.book.mu.Lock()
	for i := len(a.rows) - 1; i >= 0; i-- {
		t := a.rows[i]
		if (status != "" && t.Status != status) || (kind != "" && t.Type != kind) {
			continue
		}
		if total >= (page-1)*per && len(items) < per {
			items = append(items, *t)
		}
		total++
	}
	s.book.mu.Unlock()
	send(w, 200, envelope{Success: true, Mode: a.mode, Data: map[string]any{
		"transactions": items, "pagination": pageInfo{page, per, total, (total + per - 1) / per}}})
	return nil
}
