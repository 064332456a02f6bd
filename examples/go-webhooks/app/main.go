// Command app receives the webhooks of payments at the port in the variable PORT.
package main

import (
	"log"
	"net/http"
	"os"

	payments "example.com/go-webhooks"
)

func main() {
	receiver := &payments.Receiver{Secret: os.Getenv("SERVICE_WEBHOOK_SECRET"), Mode: "test"}
	http.Handle("POST /webhooks", receiver)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
