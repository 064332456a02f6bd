import { expect } from 'vitest';
import type { Mock } from '@service/mock';
import { order } from './support.ts';

/** Creates of every kind of response: their fields, and the status. */
export const creates = [
  ['a create', {}, 201],
  ['a create that is rejected', { amount: -1 }, 422],
  ['a create over 64 KiB', { purpose: 'x'.repeat(200_000) }, 413],
] as const;

/** Sends a create through an interception, and checks that the listeners of its life cycle can read the request. */
export async function expectReadable(
  server: { readonly events: object },
  mock: Mock,
  fields: object,
): Promise<number> {
  const events = server.events as {
    on: (event: string, listener: (facts: { request: Request }) => void) => void;
  };
  const read: Promise<string>[] = [];
  for (const event of ['request:start', 'request:match', 'request:end', 'response:mocked'])
    events.on(event, ({ request }) => void read.push(request.clone().text()));
  const body = JSON.stringify(order({ ...fields }));
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
  const { status } = await fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body });
  await expect.poll(() => read.length).toBe(4);
  expect(await Promise.all(read)).toEqual([body, body, body, body]);
  return status;
}
