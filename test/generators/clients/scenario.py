"""The calls of every generated client in Python, and its report."""

import json
import time

EXCHANGE = {"from_currency": "USD", "to_currency": "EUR", "amount": 1234567.89}
ORDER = {**EXCHANGE, "beneficiary_name": "Acme Supplies Ltd", "purpose": "INV-2026-0042"}


def run(quote, create, retrieve, transactions):
    """Takes functions that return dictionaries with the field names of the service. `create` returns the type of an error."""
    quoted = quote()["receive_amount"]
    payment = create()
    for _ in range(100):
        if payment["status"] == "completed":
            break
        time.sleep(0.05)
        payment = retrieve(payment["id"])
    debit = next(each for each in transactions() if each["payment_id"] == payment["id"])
    rejected = create()
    report = {
        "quoted": quoted,
        "id": payment["id"],
        "status": payment["status"],
        "beneficiary": payment["beneficiary"]["name"],
        "bank": payment["beneficiary"]["bank"],
        "amount": debit["amount"],
        "balance": debit["balance_after"],
        "error": rejected if isinstance(rejected, str) else "none",
    }
    print(json.dumps(report))
