import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import generated as models
from scenario import EXCHANGE, ORDER, run


def send(path, model, body=None):
    """Sends a request and parses the response with a generated model. Returns its data, or the type of the error."""
    request = Request(
        os.environ["BASE_URL"] + path,
        data=body and body.model_dump_json(exclude_unset=True).encode(),
        headers={"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"},
    )
    try:
        with urlopen(request) as response:
            return model.model_validate_json(response.read()).model_dump(mode="json")["data"]
    except HTTPError as error:
        return models.ErrorEnvelope.model_validate_json(error.read()).model_dump(mode="json")["error"]["type"]


run(
    quote=lambda: send("/quotes", models.QuoteEnvelope, models.QuoteRequest(**EXCHANGE)),
    create=lambda: send("/payments", models.PaymentEnvelope, models.PaymentRequest(**ORDER)),
    retrieve=lambda id: send(f"/payments/{id}", models.PaymentEnvelope),
    transactions=lambda: send("/transactions?status=completed&type=payment", models.TransactionsEnvelope)[
        "transactions"
    ],
)
