"""Calls the payments API. Standard library only."""

import json
import urllib.error
import urllib.request
from decimal import Decimal
from http.client import HTTPException


class ServiceError(Exception):
    """The service rejected the request and did nothing."""


class OutcomeUnknown(Exception):
    """The payment may exist. Search the transactions for its purpose, and do not create it again."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send the key and the order to another address."""

    def redirect_request(self, *_):
        return None


class Client:
    def __init__(self, base_url: str, api_key: str):
        self.base_url = base_url
        self.api_key = api_key
        self.opener = urllib.request.build_opener(NoRedirects)

    def create_payment(self, amount: Decimal, supplier: str, purpose: str, **fields) -> dict:
        # The API takes amounts as JSON numbers, not as strings.
        rest = {"from_currency": "USD", "to_currency": "EUR", "beneficiary_name": supplier, "purpose": purpose, **fields}
        body = json.dumps(rest)[:-1] + f', "amount": {amount:f}}}'
        return self.send("POST", "/payments", body.encode())

    def find_payment(self, payment_id: str) -> dict:
        return self.send("GET", f"/payments/{payment_id}")

    def send(self, method: str, path: str, body: bytes | None = None) -> dict:
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.base_url + path, body, headers, method=method)
        try:
            with self.opener.open(request, timeout=30) as response:
                return json.load(response, parse_float=Decimal)["data"]
        except urllib.error.HTTPError as error:
            with error:
                message = self.read_message(error)
            if error.code in (401, 403, 404, 422, 429) and message:
                raise ServiceError(message) from None
            raise OutcomeUnknown(f"HTTP {error.code}") from error
        except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
            raise OutcomeUnknown(str(error)) from error

    @staticmethod
    def read_message(response) -> str | None:
        try:
            return json.load(response)["error"]["message"]
        except (OSError, HTTPException, ValueError, KeyError, TypeError):
            return None
