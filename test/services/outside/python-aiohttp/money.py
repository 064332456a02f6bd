"""Amounts, currencies, rates and fees.

All arithmetic is done on Decimal. The house never rounds against itself:
what the beneficiary gets is cut, what the customer pays is rounded up.
"""
import re
from decimal import Decimal, InvalidOperation, ROUND_DOWN, ROUND_UP

CENT = Decimal("0.01")
MICRO = Decimal("0.000001")

# US dollars for one unit of the currency.
USD_PER_UNIT = {
    "USD": Decimal("1"),
    "EUR": Decimal("1.0853"),
    "GBP": Decimal("1.2714"),
    "CHF": Decimal("1.1287"),
    "CAD": Decimal("0.7318"),
    "AUD": Decimal("0.6594"),
    "NZD": Decimal("0.6047"),
    "JPY": Decimal("0.006731"),
    "CNY": Decimal("0.1383"),
    "HKD": Decimal("0.1279"),
    "SGD": Decimal("0.7426"),
    "INR": Decimal("0.011973"),
    "AED": Decimal("0.2723"),
    "NGN": Decimal("0.000672"),
    "KES": Decimal("0.007712"),
    "ZAR": Decimal("0.0549"),
    "MXN": Decimal("0.0587"),
    "PLN": Decimal("0.2519"),
}

# Only currencies of which we keep wallets can be sent.
SOURCE_CURRENCIES = ("USD", "EUR", "GBP")

FEE_FLAT = Decimal("1.50")
FEE_SHARE = Decimal("0.007")

QUOTE_MIN = Decimal("0.01")
QUOTE_MAX = Decimal("1000000")
PAYMENT_MIN = Decimal("1.00")
PAYMENT_MAX = Decimal("250000")

_DECIMAL_TEXT = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


class AmountError(ValueError):
    pass


def parse_amount(value, low, high):
    """A JSON number or a plain decimal text; digits after the cents are cut."""
    if isinstance(value, bool):
        raise AmountError("must be a number")
    if isinstance(value, str):
        text = value.strip()
        if not _DECIMAL_TEXT.fullmatch(text):
            raise AmountError("must be a number")
        number = Decimal(text)
    elif isinstance(value, (int, Decimal)):
        try:
            number = Decimal(value)
        except InvalidOperation:
            raise AmountError("must be a number")
    else:
        raise AmountError("must be a number")
    if not number.is_finite():
        raise AmountError("must be a number")
    if number > high:
        raise AmountError(f"must not be greater than {high}")
    if number < low:
        raise AmountError(f"must be at least {low}")
    return number.quantize(CENT, rounding=ROUND_DOWN)


def rate(source, target):
    value = USD_PER_UNIT[source] / USD_PER_UNIT[target]
    return value.quantize(MICRO, rounding=ROUND_DOWN)


def fee(amount):
    return (FEE_FLAT + amount * FEE_SHARE).quantize(CENT, rounding=ROUND_UP)


def convert(amount, price):
    return (amount * price).quantize(CENT, rounding=ROUND_DOWN)
