"""Verifies webhooks and records the status of each payment. Standard library only."""

import hashlib
import hmac
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

MAX_BODY = 65_536
ORDER = ["pending", "processing", "completed", "failed"]


def is_valid_signature(body: bytes, signature: str, secret: bytes) -> bool:
    """Compares HMAC-SHA256 of the raw body with the header X-Service-Signature, in constant time."""
    expected = hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode("latin-1", "replace"))


class Statuses:
    """The latest status of each payment. In an application: a table with one statement per event."""

    def __init__(self):
        self.by_payment = {}
        self.lock = Lock()

    def record(self, payment_id: str, status: str) -> bool:
        """Records a status. Returns False for a duplicate, and for an event that arrives too late."""
        with self.lock:
            known = self.by_payment.get(payment_id)
            if status not in ORDER or (known and ORDER.index(status) <= ORDER.index(known)):
                return False
            self.by_payment[payment_id] = status
            return True


class WebhookHandler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_BODY:
            return self.respond(413)
        body = self.rfile.read(length)  # the raw bytes: a parsed and serialized body has another signature
        signatures = self.headers.get_all("X-Service-Signature", [])
        if len(signatures) != 1 or not is_valid_signature(body, signatures[0], self.server.secret):
            return self.respond(401)
        event = json.loads(body)
        if event["data"]["mode"] == self.server.mode:
            self.server.statuses.record(event["data"]["id"], event["data"]["status"])
        return self.respond(200)  # any other status makes the service send the event again

    def respond(self, status: int):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def create_server(secret: str, mode: str = "test", port: int = 0) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", port), WebhookHandler)
    server.secret, server.mode, server.statuses = secret.encode(), mode, Statuses()
    return server
