import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import { clientAnswering, failure, json, payment, paymentInput, rejection, success } from './service.ts';

const reset = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
const refused = new TypeError('fetch failed', {
  cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
});
const keyText = 'A request with this Idempotency-Key is still running.';

/** Creates a payment that is answered once, and returns the error. */
async function failWith(answer: Response, call: object = {}, client: object = {}): Promise<ServiceError> {
  const { service, requests } = clientAnswering([answer], { maxRetries: 2, ...client });
  const error = await rejection(service.payments.create(paymentInput, call));
  expect(requests).toHaveLength(1);
  return error as ServiceError;
}

const conflicts: [string, () => Response][] = [
  ['409 idempotency_error', () => failure(409, 'idempotency_error')],
  ['422 idempotency_error', () => failure(422, 'idempotency_error')],
  ['400 idempotency_error', () => failure(400, 'idempotency_error')],
  ['409 idempotency_conflict', () => failure(409, 'idempotency_conflict')],
  ['422 idempotency_conflict', () => failure(422, 'idempotency_conflict')],
  ['an empty 409', () => new Response(null, { status: 409 })],
  ['409 with any JSON', () => json({ message: 'Conflict' }, 409)],
  ['409 of another type', () => failure(409, 'validation_error')],
  ['422 without a type that names the key', () => json({ message: keyText }, 422)],
  ['422 of problem+json', () => json({ type: 'https://x.example/idempotency-key-in-use', title: 'No' }, 422)],
  ['429 that names the key', () => json({ success: false, error: { message: keyText } }, 429)],
];

describe('a conflict on a key that the client generated', () => {
  it.each(conflicts)('is an unknown outcome: %s', async (_, answer) => {
    expect(await failWith(answer())).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      phase: 'answered',
      cause: { outcome: 'unknown' },
    });
  });

  it.each(conflicts)('is an unknown outcome where keys are omitted too: %s', async (_, answer) => {
    expect(await failWith(answer(), {}, { idempotencyKeys: 'omit' })).toMatchObject({ outcome: 'unknown' });
  });
});

describe('a conflict on a key of the caller', () => {
  const own = { idempotencyKey: 'order-42' };

  it('is an IdempotencyError where the service says that the body is another one', async () => {
    const message = 'This Idempotency-Key was used with another request body.';
    const answer = json({ success: false, mode: 'test', error: { type: 'idempotency_error', message } }, 422);
    const error = await failWith(answer, own);
    expect(error).toMatchObject({ name: 'IdempotencyError', outcome: 'rejected', status: 422 });
    expect(error.message).toBe(`${message} A payment may exist under that key.`);
  });

  it('is an IdempotencyError at a service that replays equal bodies', async () => {
    const client = { serviceIdempotency: 'replayed', keyRetention: 86_400_000, maxRetries: 0 };
    expect(await failWith(failure(422, 'idempotency_error'), own, client)).toMatchObject({
      name: 'IdempotencyError',
      outcome: 'rejected',
    });
  });

  it.each(conflicts)('is an unknown outcome otherwise: %s', async (_, answer) => {
    expect(await failWith(answer(), own)).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
    });
  });

  it('is an unknown outcome at a service that answers every repeated key with a conflict', async () => {
    const client = { serviceIdempotency: 'conflict' };
    expect(await failWith(failure(422, 'idempotency_error'), own, client)).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
    });
  });
});

describe('a refusal that names the key', () => {
  it.each([
    ['validation_error', 'This Idempotency-Key was already used.'],
    ['invalid_request_error', 'Idempotency key in use'],
    ['duplicate_request', 'Duplicate request.'],
    ['request_replayed', 'Seen before.'],
  ])('is an unknown outcome: 422 %s', async (type, message) => {
    const answer = json({ success: false, mode: 'test', error: { type, message } }, 422);
    expect(await failWith(answer)).toMatchObject({ name: 'PaymentOutcomeUnknownError', outcome: 'unknown' });
  });
});

describe('a refusal that is about something else', () => {
  it.each([
    [422, 'validation_error', 'ValidationError'],
    [422, 'insufficient_funds', 'InsufficientFundsError'],
    [400, 'invalid_request_error', 'ValidationError'],
    [401, 'authentication_error', 'AuthenticationError'],
  ])('is rejected: %i %s', async (status, type, name) => {
    for (const call of [{}, { idempotencyKey: 'order-42' }]) {
      expect(await failWith(failure(status, type), call)).toMatchObject({ name, outcome: 'rejected' });
    }
    const echo = json({ success: false, error: { type, message: 'No purpose "idempotency".' } }, status);
    expect(await failWith(echo)).toMatchObject({ name, outcome: 'rejected' });
  });
});

describe('a create at a service that replays keys for 60 s', () => {
  const replayed = { serviceIdempotency: 'replayed', keyRetention: 60_000, timeout: 10_000, maxRetries: 5 };

  async function run(answers: Parameters<typeof clientAnswering>[0], options: object = {}) {
    const clock = createManualClock();
    const { service, requests } = clientAnswering(answers, { ...replayed, ...options }, clock);
    const settled = service.payments.create(paymentInput).catch((error: unknown) => error);
    await clock.advance(600_000);
    return { result: await settled, requests };
  }
  const busy = (seconds: number): Response =>
    failure(503, 'service_unavailable', { 'retry-after': String(seconds) });

  it('is sent again with the same key while the first request is younger than that, less a timeout', async () => {
    const { result, requests } = await run([busy(49), success(payment, 201)]);
    expect(result).toMatchObject({ id: payment.id });
    expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  it('is not sent again later, and its outcome is unknown', async () => {
    const { result, requests } = await run([busy(25), busy(25), success(payment, 201)]);
    expect(result).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 2 });
    expect(requests).toHaveLength(2);
  });

  it('is not sent again after a suspension that outlasted the retention', async () => {
    const clock = createManualClock();
    let hooks = 0;
    const onRequest = async (): Promise<void> => {
      if ((hooks += 1) === 2) await new Promise<void>((resolve) => clock.schedule(resolve, 9_999));
    };
    const options = { ...replayed, onRequest };
    const { service, requests } = clientAnswering([busy(45), success(payment, 201)], options, clock);
    const failed = rejection(service.payments.create(paymentInput));
    await clock.advance(600_000);
    expect(await failed).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      attempts: 1,
      cause: { name: 'TimeoutError', outcome: 'not_sent' },
    });
    expect(requests).toHaveLength(1);
  });

  it('is sent again at any age where no request is in doubt', async () => {
    const answers = [failure(429, 'rate_limit_error', { 'retry-after': '60' }), refused];
    const { result, requests } = await run([...answers, success(payment, 201)]);
    expect(result).toMatchObject({ id: payment.id });
    expect(requests).toHaveLength(3);
  });

  it('is not sent again after a 429 that comes late to a create in doubt', async () => {
    const limited = failure(429, 'rate_limit_error', { 'retry-after': '55' });
    const { result, requests } = await run([reset, limited, success(payment, 201)]);
    expect(result).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 2 });
    expect(requests).toHaveLength(2);
  });
});

describe.each(['unknown', 'conflict', 'ignored'])('a create at a service whose keys are %s', (word) => {
  it('is not sent again when it may have been carried out', async () => {
    const { service, requests } = clientAnswering([reset, success(payment, 201)], {
      serviceIdempotency: word,
      maxRetries: 2,
    });
    expect(await rejection(service.payments.create(paymentInput))).toMatchObject({ outcome: 'unknown' });
    expect(requests).toHaveLength(1);
  });
});

describe('the idempotency options of a client', () => {
  it.each([
    [{ serviceIdempotency: 'replayed' }, 'needs keyRetention'],
    [{ serviceIdempotency: 'replayed', keyRetention: 0 }, 'keyRetention must be a whole number from 1'],
    [{ serviceIdempotency: 'replayed', keyRetention: '24h' }, 'keyRetention must be a whole number from 1'],
    [{ serviceIdempotency: 'replayed', keyRetention: 1, idempotencyKeys: 'omit' }, "idempotencyKeys: 'send'"],
    [{ serviceIdempotency: 'conflict', keyRetention: 1 }, "no effect without serviceIdempotency: 'replayed'"],
    [{ keyRetention: 1 }, "no effect without serviceIdempotency: 'replayed'"],
    [{ serviceIdempotency: 'on' }, "'unknown' or 'replayed' or 'conflict' or 'ignored'"],
    [{ idempotencyKeys: true }, "'send' or 'omit'"],
  ])('refuse %o', (options, message) => {
    expect(() => clientAnswering([], options)).toThrow(message);
  });
});
