import { createHmac } from 'node:crypto';

export interface NotifierOptions {
  readonly url: string;
  readonly secret: string;
  readonly random: () => number;
  readonly speed: number;
}

const COPY_PROBABILITY = 0.3;
const LATE_PROBABILITY = 0.2;
const LATENESS = 6_000;
const RETRY_GAPS = [1_000, 3_000, 9_000];

/** Sends events over a queue that delivers at least once and in no order. */
export function createNotifier({ url, secret, random, speed }: NotifierOptions): (event: object) => void {
  const after = (milliseconds: number, job: () => void): void => {
    setTimeout(job, milliseconds / speed);
  };

  async function deliver(body: string, attempt = 0): Promise<void> {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json; charset=utf-8', 'x-service-signature': signature };
    const isAcknowledged = await fetch(url, { method: 'POST', headers, body }).then(
      async (response) => (await response.arrayBuffer(), response.status === 200),
      () => false,
    );
    const gap = RETRY_GAPS[attempt];
    if (!isAcknowledged && gap !== undefined) after(gap, () => void deliver(body, attempt + 1));
  }

  return (event) => {
    const body = JSON.stringify(event);
    const delay = random() < LATE_PROBABILITY ? LATENESS * random() : 0;
    after(delay, () => void deliver(body));
    if (random() < COPY_PROBABILITY) after(delay + 400 * random(), () => void deliver(body));
  };
}
