"""Mistake: sends a create for each trigger, and trusts that the service replays its key."""

from application import Application, start


class TrustsKeys(Application):
    def pay(self, reference, amount):
        self.create(reference, amount, **{"Idempotency-Key": reference})


start(TrustsKeys())
