"""Mistake: repeats a create without a key after a timeout or a broken connection."""

import urllib.error
from http.client import HTTPException

from application import Application, start


class RepeatsPost(Application):
    def create(self, *order):
        try:
            return super().create(*order)
        except urllib.error.HTTPError:
            raise
        except (OSError, HTTPException):
            return super().create(*order)


start(RepeatsPost())
