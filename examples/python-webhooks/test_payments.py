import base64
import json
import os
import socket
import subprocess
import sys
import threading
import unittest
import urllib.error
import urllib.request
from decimal import Decimal
from pathlib import Path

from payments import Client, OutcomeUnknown, ServiceError
from webhooks import create_server, is_valid_signature

SECRET = "the signing secret of the tests"
VECTORS = Path("node_modules/@service/webhooks/vectors/signatures.json")


class PaymentsTest(unittest.TestCase):
    """Tests against `service-cli mock`, whose clock the tests advance through its control API."""

    @classmethod
    def setUpClass(cls):
        command = ["node_modules/.bin/service-cli", "mock", "--port", "0", "--clock", "manual", "--json"]
        cls.mock = subprocess.Popen(command, stdout=subprocess.PIPE)
        cls.addClassCleanup(cls.stop_mock)
        started = json.loads(cls.mock.stdout.readline())
        cls.url, cls.base_url = started["url"], started["baseUrl"]

    @classmethod
    def stop_mock(cls):
        cls.mock.terminate()
        cls.mock.communicate()

    def setUp(self):
        self.server = create_server(SECRET)
        threading.Thread(target=self.server.serve_forever).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.account = self.control("POST", "/accounts", {})  # an account for each test
        self.client = Client(self.base_url, self.account["testKey"])
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}/webhooks"
        endpoint = {"account": self.account["id"], "url": self.endpoint, "secret": SECRET}
        self.control("PUT", "/webhooks/endpoint", endpoint)

    def control(self, method, path, body):
        headers = {"Content-Type": "application/json"}
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_sandbox{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def pay(self, **fields):
        return self.client.create_payment(Decimal("1000.50"), "Acme Supplies Ltd", "INV-42", **fields)

    def test_webhook_completes_payment(self):
        payment = self.pay()
        self.assertEqual(payment["send_amount"], Decimal("1000.50"))
        self.control("POST", "/clock/advance", {"duration": "4s"})
        self.assertEqual(self.server.statuses.by_payment, {payment["id"]: "completed"})

    def test_returned_payment_has_failed(self):
        payment = self.pay(beneficiary_account="SIM-RETURN")
        self.control("POST", "/clock/advance", {"duration": "10s"})
        self.assertEqual(self.server.statuses.by_payment, {payment["id"]: "failed"})

    def test_late_event_changes_nothing(self):
        payment = self.pay(beneficiary_account="SIM-HOOK-SHUFFLE")
        self.control("POST", "/clock/advance", {"duration": "10s"})
        self.assertEqual(self.server.statuses.by_payment, {payment["id"]: "completed"})

    def test_rejected_payment(self):
        with self.assertRaisesRegex(ServiceError, "balance is too low"):
            self.client.create_payment(Decimal("999999.00"), "Acme Supplies Ltd", "INV-43")

    def test_lost_response(self):
        faults = [
            {"kind": "reset_after_commit"},
            {"kind": "truncated"},
            {"kind": "garbage"},
            {"kind": "html"},
            {"kind": "html", "status": 422},
        ]
        for fault in faults:
            with self.subTest(fault):
                self.control("POST", "/faults", {**fault, "operation": "createPayment", "account": self.account["id"]})
                with self.assertRaises(OutcomeUnknown):
                    self.pay()

    def test_forged_event(self):
        headers = {"X-Service-Signature": "0" * 64}
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(self.endpoint, b"{}", headers))
        refused.exception.close()
        self.assertEqual(refused.exception.code, 401)


class AppTest(unittest.TestCase):
    def test_dev_sends_webhooks_to_app(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            environment = {**os.environ, "PORT": str(free.getsockname()[1])}
        command = ["node_modules/.bin/service-cli", "dev", "--speed", "60"]
        program = [*command, "--", sys.executable, "app.py"]
        with subprocess.Popen(program, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as dev:
            last = next((line for line in dev.stderr if "payment.completed" in line), "")
            dev.terminate()
            dev.stderr.read()
        self.assertRegex(last, r"payment\.completed  http://localhost:\d+/webhooks  200  ")


class SignatureTest(unittest.TestCase):
    def test_vectors(self):
        """The package publishes valid and malformed signatures for tests in any language."""
        vectors = json.loads(VECTORS.read_text())["vectors"]
        self.assertGreater(len(vectors), 0)
        for vector in vectors:
            body, secret = base64.b64decode(vector["body"]), base64.b64decode(vector["secret"])
            signatures = vector["signatures"]
            valid = len(signatures) == 1 and is_valid_signature(body, signatures[0], secret)
            with self.subTest(vector["title"]):
                self.assertEqual(valid, vector["valid"])
