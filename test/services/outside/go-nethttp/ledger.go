package main

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"sync"
	"time"
)

var officeZone = time.FixedZone("WAT", 3600)

type stamp time.Time

func (s stamp) String() string {
	return time.Time(s).In(officeZone).Format("2006-01-02T15:04:05.000-07:00")
}
func (s stamp) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

func newID(prefix string) string {
	b := make([]byte, 10)
	rand.Read(b)
	return prefix + strings.ToLower(base32.StdEncoding.EncodeToString(b))
}

type beneficiary struct {
	Name    string `json:"name"`
	Bank    string `json:"bank,omitempty"`
	Account string `json:"account,omitempty"`
	Country string `json:"country,omitempty"`
}

type payment struct {
	ID            string      `json:"id"`
	Status        string      `json:"status"`
	FromCurrency  string      `json:"from_currency"`
	ToCurrency    string      `json:"to_currency"`
	SendAmount    cents       `json:"send_amount"`
	Fee           cents       `json:"fee"`
	Rate          micros      `json:"rate"`
	ReceiveAmount cents       `json:"receive_amount"`
	Beneficiary   beneficiary `json:"beneficiary"`
	Purpose       string      `json:"purpose,omitempty"`
	CreatedAt     stamp       `json:"created_at"`

	owner *account
	row   *transaction
}

type transaction struct {
	ID           string `json:"id"`
	Type         string `json:"type"`
	Status       string `json:"status"`
	Currency     string `json:"currency"`
	Amount       cents  `json:"amount"`
	Fee          *cents `json:"fee,omitempty"`
	BalanceAfter cents  `json:"balance_after"`
	PaymentID    string `json:"payment_id,omitempty"`
	Description  string `json:"description"`
	CreatedAt    stamp  `json:"created_at"`
}

type wallet struct {
	Currency string `json:"currency"`
	Balance  cents  `json:"balance"`
}

type replay struct {
	fingerprint string
	response    payment
}

type account struct {
	key     string
	mode    string
	wallets []*wallet
	rows    []*transaction // oldest first
	replays map[string]replay
	hooks   *notifier
}

func (a *account) wallet(currency string) *wallet {
	for _, w := range a.wallets {
		if w.Currency == currency {
			return w
		}
	}
	return nil
}

// ledger holds everything; one lock is enough for a sandbox.
type ledger struct {
	mu       sync.Mutex
	speed    float64
	accounts []*account
	payments map[string]*payment
}

func newLedger(speed float64) *ledger {
	return &ledger{speed: speed, payments: map[string]*payment{}}
}

func (l *ledger) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / l.speed) }

func (l *ledger) open(hooks *notifier) *account {
	a := &account{key: newID("service_test_"), mode: "test", replays: map[string]replay{}, hooks: hooks}
	for _, c := range []string{"USD", "EUR", "GBP"} {
		a.wallets = append(a.wallets, &wallet{Currency: c})
	}
	l.accounts = append(l.accounts, a)
	start := time.Now().Add(-48 * time.Hour)
	for i, d := range []wallet{{"USD", 7500000}, {"EUR", 10000000}, {"GBP", 10000000}, {"USD", 2500000}} {
		a.post(&transaction{Type: "deposit", Status: "completed", Currency: d.Currency, Amount: d.Balance,
			Description: "Wallet funding", CreatedAt: stamp(start.Add(time.Duration(i) * 3 * time.Hour))})
	}
	return a
}

// post books a row: the wallet moves by the amount of the row.
func (a *account) post(t *transaction) {
	w := a.wallet(t.Currency)
	w.Balance += t.Amount
	t.ID, t.BalanceAfter = newID("txn_"), w.Balance
	a.rows = append(a.rows, t)
}

type shortfall struct{ available, required cents }

// create books a valid payment. The lock is held by the caller.
func (l *ledger) create(a *account, p *payment) *shortfall {
	total := p.SendAmount + p.Fee
	w := a.wallet(p.FromCurrency)
	if w == nil {
		return &shortfall{0, total}
	}
	if w.Balance < total {
		return &shortfall{w.Balance, total}
	}
	now := time.Now()
	p.ID, p.Status, p.CreatedAt, p.owner = newID("pay_"+a.mode+"_"), "pending", stamp(now), a
	fee := p.Fee
	p.row = &transaction{Type: "payment", Status: "pending", Currency: p.FromCurrency, Amount: -total, Fee: &fee,
		PaymentID: p.ID, Description: "Payment to " + p.Beneficiary.Name, CreatedAt: p.CreatedAt}
	a.post(p.row)
	l.payments[p.ID] = p
	if p.SendAmount >= watchedFrom {
		a.hooks.announce(p, now)
	}
	for _, s := range script(p) {
		s := s
		time.AfterFunc(l.scaled(s.after), func() { l.advance(p, s.status) })
	}
	return nil
}

const (
	// Payments from this amount are on the watch list: their notifications
	// begin with payment.pending.
	watchedFrom cents = 250000
	// From this amount the screening answers before the bank does.
	screenedFrom cents = 100000

	failingSuffix   = "0002"
	returningSuffix = "0010"
	slowSuffix      = "0028"
)

type step struct {
	after  time.Duration
	status string
}

// script is the life of a payment in the sandbox, by the end of the account number.
func script(p *payment) []step {
	acct := strings.NewReplacer(" ", "", "-", "").Replace(p.Beneficiary.Account)
	switch {
	case strings.HasSuffix(acct, failingSuffix):
		if p.SendAmount >= screenedFrom {
			return []step{{2 * time.Second, "failed"}}
		}
		return []step{{time.Second, "processing"}, {3 * time.Second, "failed"}}
	case strings.HasSuffix(acct, returningSuffix):
		return []step{{time.Second, "processing"}, {3 * time.Second, "completed"}, {6 * time.Second, "failed"}}
	case strings.HasSuffix(acct, slowSuffix):
		return []step{{time.Second, "processing"}, {10 * time.Second, "completed"}}
	}
	return []step{{time.Second, "processing"}, {3 * time.Second, "completed"}}
}

func (l *ledger) advance(p *payment, status string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	p.Status, p.row.Status = status, status
	if status == "failed" { // the fee is for the work done and is kept
		p.owner.post(&transaction{Type: "refund", Status: "completed", Currency: p.FromCurrency, Amount: p.SendAmount,
			PaymentID: p.ID, Description: "Refund of payment to " + p.Beneficiary.Name, CreatedAt: stamp(now)})
	}
	p.owner.hooks.announce(p, now)
}
