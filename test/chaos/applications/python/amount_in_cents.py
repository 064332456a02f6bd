"""Mistake: sends the amount in cents."""

from application import Application, start


class AmountInCents(Application):
    def create(self, reference, amount, **headers):
        return super().create(reference, float(amount) * 100, **headers)


start(AmountInCents())
