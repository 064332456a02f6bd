"""Mistake: each event takes effect, also a repeated one."""

from application import STATE, Application, start


class NoDeduplication(Application):
    def complete(self, reference):
        with self.lock, (STATE / f"handled-{reference}").open("a") as file:
            file.write("completed\n")


start(NoDeduplication())
