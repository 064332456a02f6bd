"""The books: accounts, wallets, payments and the rows of the history."""
import base64
import binascii
import itertools
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal

ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def now():
    return datetime.now(timezone.utc)


def iso(moment):
    return moment.isoformat(timespec="seconds")


def unique(length=20):
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(length))


@dataclass
class Row:
    seq: int
    id: str
    type: str            # payment, refund, deposit
    status: str
    currency: str
    amount: Decimal      # signed: what it does to the wallet
    fee: Decimal
    reference: str
    description: str
    created: datetime
    balance_after: Decimal

    def as_json(self):
        return {
            "id": self.id,
            "type": self.type,
            "status": self.status,
            "currency": self.currency,
            "amount": self.amount,
            "fee": self.fee,
            "balance_after": self.balance_after,
            "reference": self.reference,
            "description": self.description,
            "created_at": iso(self.created),
        }


@dataclass
class Payment:
    id: str
    account: "Account"
    from_currency: str
    to_currency: str
    send_amount: Decimal
    fee: Decimal
    rate: Decimal
    receive_amount: Decimal
    beneficiary: dict
    purpose: str | None
    created: datetime
    status: str = "pending"
    row: Row | None = None

    def as_json(self):
        body = {
            "id": self.id,
            "status": self.status,
            "from_currency": self.from_currency,
            "to_currency": self.to_currency,
            "send_amount": self.send_amount,
            "rate": self.rate,
            "receive_amount": self.receive_amount,
            "beneficiary": dict(self.beneficiary),
        }
        if self.purpose is not None:
            body["purpose"] = self.purpose
        body["created_at"] = iso(self.created)
        return body

    def event_json(self, mode):
        return {
            "id": self.id,
            "status": self.status,
            "from_currency": self.from_currency,
            "to_currency": self.to_currency,
            "send_amount": self.send_amount,
            "receive_amount": self.receive_amount,
            "mode": mode,
        }


@dataclass
class Account:
    name: str
    key: str
    mode: str = "test"
    wallets: dict = field(default_factory=dict)
    rows: list = field(default_factory=list)
    replays: dict = field(default_factory=dict)
    window_end: float = 0.0
    window_used: int = 0
    window_refused: int = 0


class InsufficientFunds(Exception):
    pass


class BadCursor(Exception):
    pass


class Ledger:
    def __init__(self):
        self.accounts = {}
        self.payments = {}
        self._seq = itertools.count(1)

    def open_account(self, name):
        account = Account(name=name, key="service_test_" + secrets.token_hex(16))
        account.wallets = {c: Decimal("0.00") for c in ("USD", "EUR", "GBP")}
        self.accounts[account.key] = account
        return account

    def _post(self, account, kind, status, currency, amount, fee, reference, description, when=None):
        account.wallets[currency] += amount
        row = Row(
            seq=next(self._seq), id="txn_" + unique(16), type=kind, status=status,
            currency=currency, amount=amount, fee=fee, reference=reference,
            description=description, created=when or now(),
            balance_after=account.wallets[currency],
        )
        account.rows.append(row)
        return row

    def deposit(self, account, currency, amount, description, age_hours):
        return self._post(account, "deposit", "completed", currency, Decimal(amount),
                          Decimal("0.00"), "dep_" + unique(12), description,
                          now() - timedelta(hours=age_hours))

    def create_payment(self, account, order, fee, rate, receive):
        debit = order["amount"] + fee
        currency = order["from_currency"]
        if account.wallets[currency] < debit:
            raise InsufficientFunds()
        beneficiary = {"name": order["beneficiary_name"]}
        for part in ("bank", "account", "country"):
            value = order.get("beneficiary_" + part)
            if value is not None:
                beneficiary[part] = value
        payment = Payment(
            id=f"pay_{account.mode}_{unique()}", account=account,
            from_currency=currency, to_currency=order["to_currency"],
            send_amount=order["amount"], fee=fee, rate=rate, receive_amount=receive,
            beneficiary=beneficiary, purpose=order.get("purpose"), created=now(),
        )
        payment.row = self._post(account, "payment", "pending", currency, -debit, fee,
                                 payment.id, "Payment to " + beneficiary["name"])
        self.payments[payment.id] = payment
        return payment

    def move(self, payment, status):
        payment.status = status
        payment.row.status = status
        if status == "failed":
            self._post(payment.account, "refund", "completed", payment.from_currency,
                       payment.send_amount + payment.fee, Decimal("0.00"), payment.id,
                       "Refund of " + payment.id)

    # -- history ---------------------------------------------------------

    def history(self, account, per_page, statuses, kind, cursor):
        """One slice. The general feed goes back in time from the newest row;
        the index by status is a work list and is read from its oldest row."""
        ascending = statuses is not None
        rows = account.rows
        if statuses is not None:
            rows = [r for r in rows if r.status in statuses]
        if kind is not None:
            rows = [r for r in rows if r.type == kind]
        if cursor is not None:
            last = decode_cursor(cursor, ascending)
            rows = [r for r in rows if (r.seq > last if ascending else r.seq < last)]
        rows = sorted(rows, key=lambda r: r.seq, reverse=not ascending)
        page, rest = rows[:per_page], rows[per_page:]
        following = encode_cursor(page[-1].seq, ascending) if rest else None
        return page, following


def encode_cursor(seq, ascending):
    raw = f"{'a' if ascending else 'd'}:{seq}".encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decode_cursor(text, ascending):
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode("ascii")
        order, seq = raw.split(":")
        seq = int(seq)
    except (ValueError, binascii.Error):
        raise BadCursor()
    if order != ("a" if ascending else "d"):
        raise BadCursor()
    return seq
