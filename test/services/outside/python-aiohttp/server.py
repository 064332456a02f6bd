"""Payments service (sandbox). See run.sh."""
import argparse
import asyncio
import json
import math
import re
import secrets
import signal
import sys
import time
from decimal import Decimal
from email.utils import formatdate
from urllib.parse import parse_qsl

from aiohttp import web

import money
from ledger import BadCursor, InsufficientFunds, Ledger, iso, now, unique
from webhooks import Dispatcher

BASE = "/api/v1"
MAX_BODY = 64 * 1024
MAX_TEXT = 255

# Rate limit: requests in a window of seconds (at speed 1), per account.
WINDOW_REQUESTS = 40
WINDOW_SECONDS = 4.0
# After so many refusals in one window the shield in front of the service answers.
SHIELD_AFTER = 3
UNAVAILABLE_SECONDS = 3.0

# Sandbox scenarios by beneficiary account.
ACCOUNT_FAILING = "GB94BARC10201530093459"
ACCOUNT_RETURNING = "DE75512108001245126199"
ACCOUNT_UNAVAILABLE = "FR7630006000011234567890189"

# (status, seconds since the payment was created)
PLAN_STRAIGHT = (("completed", 4.0),)
PLAN_FAILING = (("processing", 2.0), ("failed", 5.0))
PLAN_RETURNING = (("completed", 4.0), ("failed", 9.0))
PLAN_MANUAL = (("processing", 2.0), ("completed", 8.0))
PLAN_HELD = (("processing", 2.0),)
HELD_AMOUNT = Decimal("666.66")
REJECT_NAME = re.compile(r"\breject(ed)?\b", re.IGNORECASE)

ORDER_FIELDS = ("from_currency", "to_currency", "amount", "beneficiary_name", "beneficiary_bank",
                "beneficiary_account", "beneficiary_country", "purpose")
QUOTE_FIELDS = ("from_currency", "to_currency", "amount")


def plain(value):
    if isinstance(value, Decimal):
        number = float(value)
        return int(number) if number.is_integer() else number
    raise TypeError(type(value).__name__)


def dumps(body):
    return json.dumps(body, default=plain, ensure_ascii=False, separators=(",", ":"))


class Refusal(Exception):
    def __init__(self, status, kind, message, details=(), headers=None):
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.details = list(details)
        self.headers = headers or {}


def invalid(details):
    first = details[0]
    return Refusal(422, "validation_error", f"{first['field']} {first['issue']}", details)


# -- reading requests ------------------------------------------------------


def reject_constant(name):
    raise ValueError(name)


async def read_fields(request, known):
    """The body as a dict. The Content-Type only matters for forms: everything
    else is read as JSON, whatever it is labelled."""
    if request.content_length is not None and request.content_length > MAX_BODY:
        raise Refusal(413, "payload_too_large", "The request body is too large.")
    try:
        raw = await request.read()
    except web.HTTPRequestEntityTooLarge:
        raise Refusal(413, "payload_too_large", "The request body is too large.")
    if not raw.strip():
        fields = {}
    elif request.content_type == "application/x-www-form-urlencoded" and "Content-Type" in request.headers:
        try:
            fields = dict(parse_qsl(raw.decode("utf-8"), keep_blank_values=True))
        except ValueError:
            raise Refusal(422, "invalid_body", "The form could not be read.")
    else:
        try:
            fields = json.loads(raw.decode("utf-8"), parse_float=Decimal, parse_constant=reject_constant)
        except (ValueError, RecursionError):
            raise Refusal(422, "invalid_body", "The request body is not valid JSON.")
        if not isinstance(fields, dict):
            raise Refusal(422, "invalid_body", "The request body must be a JSON object.")
    unknown = [name for name in fields if name not in known]
    if unknown:
        raise invalid([{"field": name, "issue": "is not a known field"} for name in unknown])
    return fields


def check_currency(fields, name, problems):
    value = fields.get(name)
    if value is None:
        problems.append({"field": name, "issue": "is required"})
    elif not isinstance(value, str) or not re.fullmatch(r"[A-Za-z]{3}", value):
        problems.append({"field": name, "issue": "must be a 3-letter currency code"})
    else:
        return value.upper()
    return None


def check_amount(fields, low, high, problems):
    value = fields.get("amount")
    if value is None:
        problems.append({"field": "amount", "issue": "is required"})
        return None
    try:
        return money.parse_amount(value, low, high)
    except money.AmountError as problem:
        problems.append({"field": "amount", "issue": str(problem)})
        return None


def check_text(fields, name, required, problems):
    value = fields.get(name)
    if value is None:
        if required:
            problems.append({"field": name, "issue": "is required"})
        return None
    if not isinstance(value, str):
        problems.append({"field": name, "issue": "must be a string"})
    elif not value.strip():
        problems.append({"field": name, "issue": "must not be empty"})
    elif len(value) > MAX_TEXT:
        problems.append({"field": name, "issue": f"must not be longer than {MAX_TEXT} characters"})
    else:
        return value
    return None


def check_pair(source, target):
    for name, code in (("from_currency", source), ("to_currency", target)):
        if code not in money.USD_PER_UNIT:
            raise Refusal(422, "unsupported_currency", f"{code} is not supported.",
                          [{"field": name, "issue": "is not supported"}])
    if source not in money.SOURCE_CURRENCIES:
        raise Refusal(422, "unsupported_currency", f"{source} cannot be sent.",
                      [{"field": "from_currency", "issue": "must be one of USD, EUR, GBP"}])
    if source == target:
        raise invalid([{"field": "to_currency", "issue": "must differ from from_currency"}])


def squeeze(account_number):
    return re.sub(r"[\s-]", "", account_number or "").upper()


# -- the service -----------------------------------------------------------


class Service:
    def __init__(self, options):
        self.speed = options.speed
        self.ledger = Ledger()
        self.secret = "whs_" + secrets.token_hex(20)
        self.hooks = Dispatcher(options.webhook_url, self.secret, self.speed, dumps)
        self.tasks = set()
        self.account = self.ledger.open_account("main")
        self.other = self.ledger.open_account("other")
        self.seed()
        self.routes = (
            (re.compile(r"/quotes"), {"POST": self.create_quote}),
            (re.compile(r"/payments"), {"POST": self.create_payment}),
            (re.compile(r"/payments/([^/]+)"), {"GET": self.show_payment}),
            (re.compile(r"/balance"), {"GET": self.show_balance}),
            (re.compile(r"/transactions"), {"GET": self.list_transactions}),
        )

    def seed(self):
        deposit = self.ledger.deposit
        deposit(self.account, "GBP", "60000.00", "Bank transfer", 96)
        deposit(self.account, "EUR", "100000.00", "Bank transfer", 72)
        deposit(self.account, "GBP", "40000.00", "Bank transfer", 48)
        deposit(self.account, "USD", "100000.00", "Wire", 24)
        deposit(self.other, "USD", "5000.00", "Wire", 24)
        price = money.rate("USD", "EUR")
        amount = Decimal("150.00")
        self.foreign = self.ledger.create_payment(
            self.other,
            {"from_currency": "USD", "to_currency": "EUR", "amount": amount,
             "beneficiary_name": "Nordlicht GmbH"},
            money.fee(amount), price, money.convert(amount, price))
        self.ledger.move(self.foreign, "completed")

    # -- frame ------------------------------------------------------------

    async def handle(self, request):
        request_id = "req_" + unique(16)
        account = None
        try:
            account, complaint = self.who(request)
            handler, args = self.route(request)
            if complaint:
                raise Refusal(401, "authentication_error", complaint,
                              headers={"WWW-Authenticate": "Bearer"})
            self.throttle(account)
            status, data = await handler(request, account, *args)
            body = {"success": True, "mode": account.mode, "data": data}
            headers = {}
        except Refusal as refusal:
            status, headers = refusal.status, refusal.headers
            body = {"success": False}
            if account is not None:
                body["mode"] = account.mode
            body["error"] = {"type": refusal.kind, "message": refusal.message,
                             "details": refusal.details, "request_id": request_id}
        except web.HTTPException:
            raise
        except Exception as problem:  # a bug: say so without the trace
            print("internal error:", repr(problem), file=sys.stderr)
            status, headers = 500, {}
            body = {"success": False, "error": {"type": "internal_error", "details": [],
                    "message": "Something went wrong.", "request_id": request_id}}
            if account is not None:
                body["mode"] = account.mode
        return web.Response(
            status=status, body=dumps(body).encode("utf-8", "replace"), content_type="application/json",
            charset="utf-8",
            headers={"X-Request-Id": request_id, "Cache-Control": "no-store", **headers})

    def who(self, request):
        """(account, None) or (None, what is wrong)."""
        keys = []
        authorization = request.headers.get("Authorization")
        if authorization is not None:
            scheme, _, value = authorization.partition(" ")
            if scheme.lower() != "bearer" or not value.strip():
                return None, "The Authorization header must be a Bearer token."
            keys.append(value.strip())
        if "X-API-Key" in request.headers:
            keys.append(request.headers["X-API-Key"].strip())
        if not keys:
            return None, "An API key is required."
        if len(set(keys)) > 1:
            return None, "Two different API keys were sent."
        account = self.ledger.accounts.get(keys[0])
        if account is None:
            return None, "The API key is not valid."
        return account, None

    def route(self, request):
        path = re.sub(r"/{2,}", "/", request.path)
        if len(path) > 1 and path.endswith("/"):
            path = path[:-1]
        if path.startswith(BASE + "/"):
            for pattern, methods in self.routes:
                found = pattern.fullmatch(path[len(BASE):])
                if not found:
                    continue
                if request.method not in methods:
                    allowed = ", ".join(methods)
                    raise Refusal(405, "method_not_allowed", f"Use {allowed}.",
                                  headers={"Allow": allowed})
                return methods[request.method], found.groups()
        raise Refusal(404, "route_not_found", "There is no such path.")

    def throttle(self, account):
        clock = time.time()
        if clock >= account.window_end:
            account.window_end = clock + WINDOW_SECONDS / self.speed
            account.window_used = 0
            account.window_refused = 0
        if account.window_used < WINDOW_REQUESTS:
            account.window_used += 1
            return
        account.window_refused += 1
        if account.window_refused > SHIELD_AFTER:
            wait = formatdate(math.ceil(account.window_end), usegmt=True)
        else:
            wait = seconds_text(account.window_end - clock)
        raise Refusal(429, "rate_limited", "Too many requests.", headers={"Retry-After": wait})

    # -- quotes and payments ------------------------------------------------

    async def create_quote(self, request, account):
        fields = await read_fields(request, QUOTE_FIELDS)
        problems = []
        source = check_currency(fields, "from_currency", problems)
        target = check_currency(fields, "to_currency", problems)
        amount = check_amount(fields, money.QUOTE_MIN, money.QUOTE_MAX, problems)
        if problems:
            raise invalid(problems)
        check_pair(source, target)
        price = money.rate(source, target)
        return 200, {
            "from_currency": source,
            "to_currency": target,
            "send_amount": amount,
            "fee": money.fee(amount),
            "rate": price,
            "receive_amount": money.convert(amount, price),
        }

    async def create_payment(self, request, account):
        fields = await read_fields(request, ORDER_FIELDS)
        problems = []
        order = {
            "from_currency": check_currency(fields, "from_currency", problems),
            "to_currency": check_currency(fields, "to_currency", problems),
            "amount": check_amount(fields, money.PAYMENT_MIN, money.PAYMENT_MAX, problems),
            "beneficiary_name": check_text(fields, "beneficiary_name", True, problems),
        }
        for name in ORDER_FIELDS[4:]:
            order[name] = check_text(fields, name, False, problems)
        key = request.headers.get("Idempotency-Key")
        if key is not None and not 1 <= len(key) <= MAX_TEXT:
            problems.append({"field": "Idempotency-Key", "issue": "must have 1 to 255 characters"})
        if problems:
            raise invalid(problems)
        check_pair(order["from_currency"], order["to_currency"])
        if key is not None and key in account.replays:
            earlier, answer = account.replays[key]
            if earlier != order:
                raise Refusal(422, "idempotency_conflict",
                              "This Idempotency-Key was used for another request.")
            return 201, answer
        number = squeeze(order["beneficiary_account"])
        if number == ACCOUNT_UNAVAILABLE:
            raise Refusal(503, "service_unavailable", "The bank of the beneficiary cannot be reached.",
                          headers={"Retry-After": seconds_text(UNAVAILABLE_SECONDS / self.speed)})
        price = money.rate(order["from_currency"], order["to_currency"])
        try:
            payment = self.ledger.create_payment(
                account, order, money.fee(order["amount"]), price,
                money.convert(order["amount"], price))
        except InsufficientFunds:
            raise Refusal(422, "insufficient_funds",
                          f"The {order['from_currency']} wallet does not cover the amount and its fee.")
        answer = payment.as_json()
        if key is not None:
            account.replays[key] = (order, answer)
        self.announce(payment)
        self.spawn(self.live(payment, self.plan(order, number)))
        return 201, answer

    def plan(self, order, number):
        if number == ACCOUNT_FAILING or REJECT_NAME.search(order["beneficiary_name"]):
            return PLAN_FAILING
        if number == ACCOUNT_RETURNING:
            return PLAN_RETURNING
        if order["amount"] == HELD_AMOUNT:
            return PLAN_HELD
        if not number:
            return PLAN_MANUAL      # somebody has to look the account up
        return PLAN_STRAIGHT

    async def live(self, payment, plan):
        start = time.monotonic()
        for status, at in plan:
            await asyncio.sleep(max(0.0, start + at / self.speed - time.monotonic()))
            self.ledger.move(payment, status)
            self.announce(payment)

    def announce(self, payment):
        self.hooks.send("payment." + payment.status, iso(now()),
                        payment.event_json(payment.account.mode))

    def spawn(self, work):
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def show_payment(self, request, account, payment_id):
        payment = self.ledger.payments.get(payment_id)
        if payment is None:
            raise Refusal(404, "not_found", "There is no such payment.")
        if payment.account is not account:
            raise Refusal(403, "permission_denied", "This payment belongs to another account.")
        return 200, payment.as_json()

    # -- balance and history ------------------------------------------------

    async def show_balance(self, request, account):
        return 200, {"balances": [{"currency": code, "balance": balance}
                                  for code, balance in account.wallets.items()]}

    async def list_transactions(self, request, account):
        query = request.query
        per_page = lenient_size(query.get("per_page"))
        statuses = None
        if query.get("status"):
            statuses = {part.strip() for part in query["status"].split(",")}
        kind = query.get("type") or None
        try:
            rows, following = self.ledger.history(account, per_page, statuses, kind,
                                                  query.get("cursor") or None)
        except BadCursor:
            raise Refusal(400, "invalid_cursor", "The cursor does not belong to this list.",
                          [{"field": "cursor", "issue": "is not valid"}])
        return 200, {"items": [row.as_json() for row in rows],
                     "has_more": following is not None,
                     "next_cursor": following}

    async def close(self):
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.hooks.close()


def seconds_text(seconds):
    """Seconds with a fraction, never too short: 2.75"""
    return f"{math.ceil(max(seconds, 0.01) * 100 - 1e-6) / 100:.2f}"


def lenient_size(text):
    """A page size is a wish: it is brought into 1..100, and 20 if it is no number."""
    if text is None or not re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", text):
        return 20
    return min(100, max(1, int(text)))


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--webhook-url", default="")
    parser.add_argument("--speed", type=float, default=1.0)
    options = parser.parse_args()
    if options.speed <= 0:
        parser.error("--speed must be positive")

    service = Service(options)
    await service.hooks.start()
    app = web.Application(client_max_size=MAX_BODY)
    app.router.add_route("*", "/{tail:.*}", service.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", options.port)
    await site.start()
    port = runner.addresses[0][1]

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    print(dumps({
        "baseUrl": f"http://127.0.0.1:{port}{BASE}",
        "apiKey": service.account.key,
        "webhookSecret": service.secret,
        "foreignPayment": service.foreign.id,
        "accounts": {"failing": ACCOUNT_FAILING, "returning": ACCOUNT_RETURNING,
                     "unavailable": ACCOUNT_UNAVAILABLE},
    }), flush=True)
    await stop.wait()
    await service.close()
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
