// A payments service for a sandbox: everything is kept in memory.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	port := flag.Int("port", 0, "port to listen on, 0 for a free one")
	hook := flag.String("webhook-url", "", "endpoint for the notifications of the account")
	speed := flag.Float64("speed", 1, "divides every duration")
	flag.Parse()
	if *speed <= 0 {
		log.Fatal("--speed must be above 0")
	}
	secret := newID("whsec_")
	book := newLedger(*speed)
	mine := book.open(newNotifier(*hook, secret, *speed))
	other := book.open(nil)

	foreign := &payment{FromCurrency: "EUR", ToCurrency: "GBP", SendAmount: 18000, Fee: feeFor(18000),
		Rate: rateFor("EUR", "GBP"), Beneficiary: beneficiary{Name: "Harbour Freight Ltd"}}
	foreign.ReceiveAmount = convert(foreign.SendAmount, foreign.Rate)
	book.mu.Lock()
	book.create(other, foreign)
	book.mu.Unlock()

	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"baseUrl":        fmt.Sprintf("http://%s%s", ln.Addr(), prefix),
		"apiKey":         mine.key,
		"webhookSecret":  secret,
		"foreignPayment": foreign.ID,
		"accounts":       map[string]string{"failing": "400000" + failingSuffix, "returning": "400000" + returningSuffix},
	})
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	srv := &http.Server{Handler: (&server{book}).handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-stop
		srv.Close()
	}()
	if err := srv.Serve(ln); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
