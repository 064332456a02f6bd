import json
import os
import time

from openapi_client import (
    AccountApi,
    ApiClient,
    ApiException,
    Configuration,
    ErrorEnvelope,
    PaymentRequest,
    PaymentsApi,
    QuoteRequest,
    QuotesApi,
)

client = ApiClient(Configuration(host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"]))
payments = PaymentsApi(client)

quote = QuotesApi(client).create_quote(QuoteRequest(from_currency="USD", to_currency="EUR", amount=1234567.89)).data

body = PaymentRequest(
    from_currency="USD",
    to_currency="EUR",
    amount=1234567.89,
    beneficiary_name="Acme Supplies Ltd",
    purpose="INV-2026-0042",
)
payment = payments.create_payment(body).data
for _ in range(100):
    if payment.status == "completed":
        break
    time.sleep(0.05)
    payment = payments.get_payment(payment.id).data

transactions = AccountApi(client).list_transactions(status="completed", type="payment").data.transactions
debit = next(each for each in transactions if each.payment_id == payment.id)

error = "none"
try:
    payments.create_payment(body)
except ApiException as exception:
    error = ErrorEnvelope.from_json(exception.body).error.type

print(
    json.dumps(
        {
            "quoted": quote.receive_amount,
            "id": payment.id,
            "status": payment.status,
            "beneficiary": payment.beneficiary.name,
            "bank": payment.beneficiary.bank,
            "amount": debit.amount,
            "balance": debit.balance_after,
            "error": error,
        }
    )
)
