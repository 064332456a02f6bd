"""Pays a supplier when it starts, and receives the webhooks of the payment."""

import os
from decimal import Decimal

from payments import Client
from webhooks import create_server

server = create_server(os.environ["SERVICE_WEBHOOK_SECRET"], port=int(os.environ.get("PORT", "8000")))
client = Client(os.environ["SERVICE_BASE_URL"], os.environ["SERVICE_API_KEY"])
payment = client.create_payment(Decimal("100.00"), "Acme Supplies Ltd", "INV-2026-0042")
print(payment["id"], payment["status"], flush=True)
server.serve_forever()
