import { expect } from 'vitest';
import { handlerOf } from '../../src/core.ts';
import type { MockRequest } from '../../src/http/request.ts';
import { findDeviations } from '../../../../test/support/conformance.ts';
import type { Who } from './command.ts';
import { modeOf, type Stage } from './stage.ts';

/** A request of a client. Its body arrives in pieces, each after a number of ticks. */
export interface Ask {
  who: Who;
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  pieces?: readonly number[];
  idempotencyKey?: string;
  /** @default the current key of the account */
  apiKey?: string;
}

/** A response as a client sees it; `lost` without one. */
export interface Seen {
  status: number | 'lost';
  text: string;
  isReplayed: boolean;
}

/** A response of a fault, of SIM-500 or after a restore: it does not tell whether the payment exists. */
export const isDamaged = ({ status, text }: Seen): boolean =>
  status === 'lost' || /because of an injected fault|The service failed|was reset during/.test(text);

/** Sends a request and checks the form of the response. Other clients continue while its body arrives. */
export async function send(stage: Stage, ask: Ask): Promise<Seen> {
  const { body = '', pieces = [] } = ask;
  const { wait, leaving } = stage.options;
  const isAlone = pieces.length === 0 && !body.includes('SIM-HOOK-FIRST');
  const before = isAlone ? stage.checksum() : '';
  const barred = findBar(stage, ask);
  const { response: answer, flushed } = await handlerOf(stage.mock)(toCall(stage, ask));
  void wait(leaving).then(flushed);
  if (answer === 'connection_lost') return { status: 'lost', text: '', isReplayed: false };
  const { status, headers } = answer;
  const seen = { status, text: answer.body ?? '', isReplayed: 'Idempotent-Replayed' in headers };
  if (barred !== undefined || status === 401 || status === 403) expect(status, 'who is let in').toBe(barred);
  if (isAlone && status >= 400 && !isDamaged(seen)) {
    expect(stage.checksum(), 'what is refused changes nothing').toBe(before);
  }
  checkForm(stage, ask, { ...seen, headers: new Headers(headers) });
  return seen;
}

/** The status of a request that fails before its operation; undefined for other requests. */
function findBar(stage: Stage, { who, apiKey }: Ask): 401 | 403 | undefined {
  if (apiKey !== undefined && apiKey !== stage.keyOf(who)) return 401;
  const { accounts } = stage.mock.sandbox;
  return accounts.list().find(({ name }) => who.startsWith(name))?.suspended ? 403 : undefined;
}

function toCall(stage: Stage, ask: Ask): MockRequest {
  const { method, path, body = '', pieces = [], idempotencyKey, apiKey = stage.keyOf(ask.who) } = ask;
  const headers = new Map([
    ['x-api-key', apiKey],
    ['content-type', 'application/json'],
  ]);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  const [pathname = '', search = ''] = path.split('?');
  return {
    transport: 'fetch',
    method,
    path: `/api/v1${pathname}`,
    search,
    header: (name) => headers.get(name) ?? null,
    headers: [...headers].flat(),
    async readBody() {
      for (const ticks of pieces) await stage.options.wait(ticks);
      return new TextEncoder().encode(body);
    },
  };
}

function checkForm({ defects }: Stage, { who, method, path }: Ask, seen: Seen & { headers: Headers }): void {
  const { status, text, headers } = seen;
  expect(defects).toEqual([]);
  expect((JSON.parse(text) as { mode?: string }).mode).toBe(status === 401 ? undefined : modeOf(who));
  // The OpenAPI document does not contain injected statuses and added payment statuses.
  if (status === 'lost' || /under_review|because of an injected fault/.test(text)) return;
  expect(findDeviations(method, `http://localhost/api/v1${path}`, { status, headers, text })).toEqual([]);
}
