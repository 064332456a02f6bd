"""Deliveries to the endpoint of an account."""
import asyncio
import hashlib
import hmac
import sys

import aiohttp

RETRY_AFTER = (5, 300, 1800, 7200, 18000, 36000)   # seconds between attempts
FIRST_DELAY = 0.02
TIMEOUT = 5.0


class Dispatcher:
    def __init__(self, url, secret, speed, dumps):
        self.url = url
        self.secret = secret.encode()
        self.speed = speed
        self.dumps = dumps
        self.session = None
        self.tasks = set()

    async def start(self):
        self.session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=TIMEOUT),
            headers={"User-Agent": "payments-notifier/2.3"},
        )

    async def close(self):
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        if self.session:
            await self.session.close()

    def send(self, event, created_at, data):
        if not self.url:
            return
        body = self.dumps({"event": event, "created_at": created_at, "data": data}).encode()
        task = asyncio.get_running_loop().create_task(self._deliver(body))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _deliver(self, body):
        signature = hmac.new(self.secret, body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": "application/json", "X-Service-Signature": signature}
        await asyncio.sleep(FIRST_DELAY)
        for pause in (*RETRY_AFTER, None):
            status = await self._attempt(body, headers)
            if 200 <= status <= 299:
                return
            if status == 410:       # the endpoint is gone: nobody will ever take this event
                return
            if pause is None:
                print("webhook given up", file=sys.stderr)
                return
            await asyncio.sleep(pause / self.speed)

    async def _attempt(self, body, headers):
        try:
            async with self.session.post(self.url, data=body, headers=headers,
                                         allow_redirects=False) as answer:
                await answer.read()
                return answer.status
        except (aiohttp.ClientError, asyncio.TimeoutError, OSError):
            return 0
