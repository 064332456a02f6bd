import { expect, it } from 'vitest';
import { defaultProfile } from '../src/domain/profile.ts';
import { createApp } from '../src/http/app.ts';
import { createClock } from '../src/world/clock.ts';
import { createFaults } from '../src/world/faults.ts';
import { createJournal } from '../src/world/journal.ts';
import { createRateLimiter } from '../src/world/rate-limit.ts';
import { addAccount, createWorld } from '../src/world/world.ts';

it('answers a plain 500 when it is broken inside, and tells who listens, even one who is broken too', async () => {
  const clock = createClock('manual', 0);
  const world = createWorld({ clock, seed: 'x', profile: defaultProfile, announce: async () => {} });
  const account = addAccount(world, { name: 'a' });
  Object.defineProperty(account.books.test, 'ledger', { value: undefined });
  const heard: unknown[] = [];
  const handle = createApp({
    world,
    rateLimiter: createRateLimiter(clock),
    faults: createFaults('x'),
    journal: createJournal({ requests: 1, characters: 1_000 }),
    cors: 'off',
    onDefect: (error) => {
      heard.push(error);
      throw new Error('a listener that is broken too');
    },
  });
  const { answer } = await handle({
    method: 'GET',
    path: '/api/v1/balance',
    way: 'fetch',
    search: '',
    header: (name) => (name === 'x-api-key' ? account.keys.test : null),
    headers: () => [],
    readBody: async () => new Uint8Array(),
  });
  expect(answer).toMatchObject({
    status: 500,
    body: '{"success":false,"mode":"test","error":{"type":"server_error","message":"The sandbox failed."}}',
  });
  expect(heard).toEqual([expect.any(TypeError)]);
});
