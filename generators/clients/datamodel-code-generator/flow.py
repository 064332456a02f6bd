import json
import os
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import generated as models


def send(path, model, body=None):
    """Sends a request and parses the response with a generated model. An error response is an ErrorEnvelope."""
    request = Request(
        os.environ["BASE_URL"] + path,
        data=body and body.model_dump_json(exclude_unset=True).encode(),
        headers={"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"},
    )
    try:
        with urlopen(request) as response:
            return model.model_validate_json(response.read())
    except HTTPError as error:
        return models.ErrorEnvelope.model_validate_json(error.read())


exchange = {"from_currency": "USD", "to_currency": "EUR", "amount": 1234567.89}
quote = send("/quotes", models.QuoteEnvelope, models.QuoteRequest(**exchange)).data

body = models.PaymentRequest(**exchange, beneficiary_name="Acme Supplies Ltd", purpose="INV-2026-0042")
payment = send("/payments", models.PaymentEnvelope, body).model_dump(mode="json")["data"]
for _ in range(100):
    if payment["status"] == "completed":
        break
    time.sleep(0.05)
    payment = send(f"/payments/{payment['id']}", models.PaymentEnvelope).model_dump(mode="json")["data"]

page = send("/transactions?status=completed&type=payment", models.TransactionsEnvelope).model_dump(mode="json")["data"]
debit = next(each for each in page["transactions"] if each["payment_id"] == payment["id"])

rejected = send("/payments", models.PaymentEnvelope, body).model_dump(mode="json")

print(
    json.dumps(
        {
            "quoted": quote.receive_amount,
            "id": payment["id"],
            "status": payment["status"],
            "beneficiary": payment["beneficiary"]["name"],
            "bank": payment["beneficiary"]["bank"],
            "amount": debit["amount"],
            "balance": debit["balance_after"],
            "error": rejected["error"]["type"],
        }
    )
)
