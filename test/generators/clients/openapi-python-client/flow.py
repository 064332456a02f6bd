import os

from generated import AuthenticatedClient
from generated.api.account import list_transactions
from generated.api.payments import create_payment, get_payment
from generated.api.quotes import create_quote
from generated.models import ErrorEnvelope, PaymentRequest, QuoteRequest
from scenario import EXCHANGE, ORDER, run

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])


def create():
    result = create_payment.sync(client=client, body=PaymentRequest.from_dict(ORDER))
    return result.error.type_ if isinstance(result, ErrorEnvelope) else result.data.to_dict()


run(
    quote=lambda: create_quote.sync(client=client, body=QuoteRequest.from_dict(EXCHANGE)).data.to_dict(),
    create=create,
    retrieve=lambda id: get_payment.sync(id, client=client).data.to_dict(),
    transactions=lambda: list_transactions.sync(client=client, status="completed", type_="payment").data.to_dict()[
        "transactions"
    ],
)
