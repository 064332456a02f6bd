import os

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
from scenario import EXCHANGE, ORDER, run

client = ApiClient(Configuration(host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"]))
payments = PaymentsApi(client)


def create():
    try:
        return payments.create_payment(PaymentRequest.from_dict(ORDER)).data.to_dict()
    except ApiException as exception:
        return ErrorEnvelope.from_json(exception.body).error.type


run(
    quote=lambda: QuotesApi(client).create_quote(QuoteRequest.from_dict(EXCHANGE)).data.to_dict(),
    create=create,
    retrieve=lambda id: payments.get_payment(id).data.to_dict(),
    transactions=lambda: AccountApi(client)
    .list_transactions(status="completed", type="payment")
    .data.to_dict()["transactions"],
)
