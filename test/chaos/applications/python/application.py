"""An application that pays and receives webhooks. Each mistake in this folder replaces one of its parts."""

import hashlib
import hmac
import json
import os
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

STATE = Path(os.environ["STATE"])
BASE_URL = os.environ["SERVICE_BASE_URL"]
HEADERS = {"Authorization": "Bearer " + os.environ["SERVICE_API_KEY"], "Content-Type": "application/json"}
SECRET = os.environ["SERVICE_WEBHOOK_SECRET"].encode()


class Rejected(Exception):
    """The service has made no payment."""


def call(path, body=None, **headers):
    request = urllib.request.Request(BASE_URL + path, body, {**HEADERS, **headers})
    with urllib.request.urlopen(request, timeout=1) as response:
        return json.load(response)["data"]


class Application:
    def __init__(self):
        self.lock = Lock()

    def claim(self, reference):
        try:
            (STATE / f"claim-{reference}").touch(exist_ok=False)
            return True
        except FileExistsError:
            return False

    def release(self, reference):
        (STATE / f"claim-{reference}").unlink()

    def create(self, reference, amount, **headers):
        order = {"from_currency": "USD", "to_currency": "EUR", "beneficiary_name": "Acme Supplies Ltd"}
        body = json.dumps({**order, "amount": float(amount), "purpose": reference}).encode()
        try:
            return call("/payments", body, **headers)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403, 422, 429) and b'"error"' in error.read():
                raise Rejected from error
            raise

    def pay(self, reference, amount):
        if not self.claim(reference):
            return
        try:
            self.create(reference, amount)
        except Rejected:
            self.release(reference)

    def is_genuine(self, body, signature):
        expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected.encode(), signature.encode("latin-1", "replace"))

    def complete(self, reference):
        with self.lock:
            (STATE / f"handled-{reference}").write_text("completed\n")

    def receive(self, event):
        if event["event"] != "payment.completed":
            return
        try:
            reference = call("/payments/" + event["data"]["id"])["purpose"]
        except urllib.error.HTTPError:
            return  # a payment that is not ours
        self.complete(reference)


def start(application):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            _, path, *rest = self.path.split("/")
            try:
                if path == "payouts":
                    application.pay(*rest)
                elif not application.is_genuine(body, self.headers.get("X-Service-Signature", "")):
                    return self.respond(401)
                else:
                    application.receive(json.loads(body))
                self.respond(200)
            except Exception:
                self.respond(502)

        def respond(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    start(Application())
