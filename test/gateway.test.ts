// Creates behind a gateway that repeats requests, like nginx with `proxy_next_upstream non_idempotent`.
import { describe, expect, it } from 'vitest';
import { type GatewayRun, payBehindGateway } from './support/gateway.ts';
import { runs } from './support/runs.ts';

const CREATES = runs(20, 600);
const run = (part: Pick<GatewayRun, 'keys' | 'service' | 'funds'>) =>
  payBehindGateway({ creates: CREATES, seed: 7, ...part });

describe('creates behind a gateway that repeats requests', () => {
  it.each([1, 2] as const)(
    'are never paid twice or falsely rejected if the service replays keys, with funds for %i',
    async (funds) => {
      const figures = await run({ keys: 'send', service: 'replayed', funds });
      expect(figures).toMatchObject({ paidTwice: 0, falselyRejected: 0, missing: 0 });
      expect(figures.outcomes.created).toBeGreaterThan(0);
    },
  );

  it('are never paid twice or falsely rejected if the service responds to repeated keys with a conflict', async () => {
    const figures = await run({ keys: 'send', service: 'conflict', funds: 1 });
    expect(figures).toMatchObject({ paidTwice: 0, falselyRejected: 0, missing: 0 });
  });

  it('are paid twice without keys, and falsely rejected if the wallet becomes empty', async () => {
    expect((await run({ keys: 'omit', service: 'replayed', funds: 2 })).paidTwice).toBeGreaterThan(0);
    expect((await run({ keys: 'omit', service: 'replayed', funds: 1 })).falselyRejected).toBeGreaterThan(0);
  });

  it('are paid twice if the service ignores keys', async () => {
    expect((await run({ keys: 'send', service: 'ignored', funds: 2 })).paidTwice).toBeGreaterThan(0);
  });
});
