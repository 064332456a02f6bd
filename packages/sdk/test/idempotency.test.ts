import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../src/index.ts';
import { createManualClock } from './manual-clock.ts';
import {
  createStubClient,
  failure,
  json,
  payment,
  paymentInput,
  catchRejection,
  refused,
  reset,
  success,
} from './service.ts';

const keyText = 'A request with this Idempotency-Key is still running.';

/** Creates a payment with one response, and returns the error. */
async function failWith(
  response: Response,
  call: object = {},
  clientOptions: object = {},
): Promise<ServiceError> {
  const { client, requests } = createStubClient([response], { maxRetries: 2, ...clientOptions });
  const error = await catchRejection(client.payments.create(paymentInput, call));
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

/** Rejections that name the idempotency key, or a repetition, only in their texts. */
const named = Object.entries({
  validation_error: 'This Idempotency-Key was already used.',
  invalid_request_error: 'Idempotency key in use',
  duplicate_request: 'Duplicate request.',
  request_replayed: 'Seen before.',
}).map(([type, message]): (typeof conflicts)[number] => [
  `422 ${type}`,
  () => json({ success: false, mode: 'test', error: { type, message } }, 422),
]);

describe('a conflict on a generated idempotency key', () => {
  it.each([...conflicts, ...named])('is an unknown outcome: %s', async (_, response) => {
    expect(await failWith(response())).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      phase: 'responded',
      cause: { outcome: 'unknown' },
    });
    expect(await failWith(response(), {}, { idempotencyKeys: 'omit' })).toMatchObject({ outcome: 'unknown' });
  });
});

describe('a conflict on the idempotency key of a call', () => {
  const own = { idempotencyKey: 'order-42' };

  it('is an IdempotencyError if the service reports another body', async () => {
    const message = 'This Idempotency-Key was used with another request body.';
    const response = json(
      { success: false, mode: 'test', error: { type: 'idempotency_error', message } },
      422,
    );
    const error = await failWith(response, own);
    expect(error).toMatchObject({ name: 'IdempotencyError', outcome: 'rejected', status: 422 });
    expect(error.message).toBe(`${message} A payment may exist under that idempotency key.`);
  });

  it('is an IdempotencyError if the service replays keys', async () => {
    const clientOptions = { keyRetention: 86_400_000, maxRetries: 0 };
    expect(await failWith(failure(422, 'idempotency_error'), own, clientOptions)).toMatchObject({
      name: 'IdempotencyError',
      outcome: 'rejected',
    });
  });

  it.each([
    ...conflicts.filter(([title]) => title !== '409 of another type'),
    ['409 duplicate_request', () => failure(409, 'duplicate_request')],
    ['400 idempotency_key_in_use', () => failure(400, 'idempotency_key_in_use')],
    ['a 422 with a code', () => json({ code: 'IDEMPOTENCY_KEY_REUSED', message: 'No.' }, 422)],
    ['a 422 with a sentence', () => json({ message: 'This Idempotency-Key was already used.' }, 422)],
  ] as typeof conflicts)('has a code: %s', async (_, response) => {
    const code = 'idempotency_conflict';
    const error = await failWith(response(), own);
    expect(error).toMatchObject({ code, cause: { name: 'IdempotencyError', outcome: 'unknown', code } });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code });
    expect((error.cause as Error).message).toContain('A payment may exist under that idempotency key.');
    expect(await failWith(response())).not.toHaveProperty('code');
  });

  it.each([
    ['409 insufficient_funds', () => failure(409, 'insufficient_funds')],
    ['422 validation_error', () => failure(422, 'validation_error')],
    ['400 about the form of the key', () => json({ message: 'The Idempotency-Key must be a UUID.' }, 400)],
    ['503', () => failure(503, 'service_unavailable')],
  ])('has no code for another error: %s', async (_, response) => {
    expect(await failWith(response(), own)).not.toHaveProperty('code');
  });
});

describe('a rejection for another reason', () => {
  it.each([
    [422, 'validation_error', 'ValidationError'],
    [422, 'insufficient_funds', 'InsufficientFundsError'],
    [400, 'invalid_request_error', 'ValidationError'],
    [401, 'authentication_error', 'AuthenticationError'],
  ])('has the outcome rejected: %i %s', async (status, type, name) => {
    for (const call of [{}, { idempotencyKey: 'order-42' }]) {
      expect(await failWith(failure(status, type), call)).toMatchObject({ name, outcome: 'rejected' });
    }
    const echo = json({ success: false, error: { type, message: 'No purpose "idempotency".' } }, status);
    expect(await failWith(echo)).toMatchObject({ name, outcome: 'rejected' });
  });
});

describe('a create at a service that replays keys for 60 s', () => {
  const replayed = { keyRetention: 60_000, timeout: 10_000, maxRetries: 5 };

  async function run(responses: Parameters<typeof createStubClient>[0], options: object = {}) {
    const clock = createManualClock();
    const { client, requests } = createStubClient(responses, { ...replayed, ...options }, clock);
    const settled = client.payments.create(paymentInput).catch((error: unknown) => error);
    await clock.advance(600_000);
    return { result: await settled, requests };
  }
  const busy = (seconds: number): Response =>
    failure(503, 'service_unavailable', { 'retry-after': String(seconds) });

  it('is retried with its key while its first request is younger than 60 s minus the timeout', async () => {
    const { result, requests } = await run([busy(49), success(payment, 201)]);
    expect(result).toMatchObject({ id: payment.id });
    expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  it('is not retried later, and its outcome is unknown', async () => {
    const { result, requests } = await run([busy(25), busy(25), success(payment, 201)]);
    expect(result).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 2 });
    expect(requests).toHaveLength(2);
  });

  it('is not retried after a suspension that outlasts the retention', async () => {
    const clock = createManualClock();
    let hooks = 0;
    const onRequest = async (): Promise<void> => {
      if ((hooks += 1) === 2) await new Promise<void>((resolve) => clock.schedule(resolve, 9_999));
    };
    const options = { ...replayed, onRequest };
    const { client, requests } = createStubClient([busy(45), success(payment, 201)], options, clock);
    const failed = catchRejection(client.payments.create(paymentInput));
    await clock.advance(600_000);
    expect(await failed).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      attempts: 1,
      cause: { name: 'TimeoutError', outcome: 'not_sent' },
    });
    expect(requests).toHaveLength(1);
  });

  it('is not retried after the retention if the clock of the machine was set back', async () => {
    const clock = createManualClock();
    let back = 0;
    const setBack = { ...clock, date: () => new Date(clock.date().getTime() - back) };
    const { client, requests } = createStubClient([busy(51), success(payment, 201)], replayed, setBack);
    const failed = catchRejection(client.payments.create(paymentInput));
    await clock.advance(1_000);
    back = 3_600_000;
    await clock.advance(600_000);
    expect(await failed).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  it('is retried at any age if no request has an unknown outcome', async () => {
    const responses = [failure(429, 'rate_limit_error', { 'retry-after': '60' }), refused];
    const { result, requests } = await run([...responses, success(payment, 201)]);
    expect(result).toMatchObject({ id: payment.id });
    expect(requests).toHaveLength(3);
  });

  it('is not retried after a late 429 if an earlier request has an unknown outcome', async () => {
    const limited = failure(429, 'rate_limit_error', { 'retry-after': '55' });
    const { result, requests } = await run([reset, limited, success(payment, 201)]);
    expect(result).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 2 });
    expect(requests).toHaveLength(2);
  });
});
