import json
import os
import time

from generated import AuthenticatedClient
from generated.api.account import list_transactions
from generated.api.payments import create_payment, get_payment
from generated.api.quotes import create_quote
from generated.models import ErrorEnvelope, PaymentRequest, QuoteRequest

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])

quote = create_quote.sync(client=client, body=QuoteRequest(from_currency="USD", to_currency="EUR", amount=1234567.89))

body = PaymentRequest(
    from_currency="USD",
    to_currency="EUR",
    amount=1234567.89,
    beneficiary_name="Acme Supplies Ltd",
    purpose="INV-2026-0042",
)
payment = create_payment.sync(client=client, body=body).data
for _ in range(100):
    if payment.status == "completed":
        break
    time.sleep(0.05)
    payment = get_payment.sync(payment.id, client=client).data

page = list_transactions.sync(client=client, status="completed", type_="payment")
debit = next(each for each in page.data.transactions if each.payment_id == payment.id)

rejected = create_payment.sync(client=client, body=body)

print(
    json.dumps(
        {
            "quoted": quote.data.receive_amount,
            "id": payment.id,
            "status": payment.status,
            "beneficiary": payment.beneficiary.name,
            "bank": payment.beneficiary.bank,
            "amount": debit.amount,
            "balance": debit.balance_after,
            "error": rejected.error.type_ if isinstance(rejected, ErrorEnvelope) else "none",
        }
    )
)
