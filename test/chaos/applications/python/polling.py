"""Receives no webhooks: a worker pays stored jobs, and reads each payment until its status is final."""

import os
import signal
import time
from threading import Event, Thread

from application import STATE, Application, Rejected, call, start


DELAY = 0.15  # seconds from a trigger to its create
stopping = Event()


class Polling(Application):
    def pay(self, reference, amount):
        job = STATE / f"job-{reference}"
        if not job.exists():
            job.write_text(amount)

    def work(self):
        while not stopping.wait(0.05):
            for job in STATE.glob("job-*"):
                if time.time() - job.stat().st_mtime > DELAY:
                    self.advance(job.name[4:], job)
        os._exit(0)

    def advance(self, reference, job):
        payment = STATE / f"payment-{reference}"
        try:
            if self.claim(reference):
                payment.write_text(self.create(reference, job.read_text())["id"])
            if payment.exists():
                status = call("/payments/" + payment.read_text())["status"]
                if status in ("completed", "failed"):
                    payment.unlink()
                if status == "completed":
                    self.complete(reference)
        except Rejected:
            self.release(reference)
        except Exception:
            pass  # its outcome is unknown: a person decides


application = Polling()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
Thread(target=application.work, daemon=True).start()
start(application)
