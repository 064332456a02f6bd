import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStillMock, order } from './support.ts';
import { createRandomProfile } from '../../../test/support/random-profile.ts';
import { runs } from '../../../test/support/runs.ts';

// Each response is checked against openapi.yaml and is never a 5xx. A rejected request changes nothing.

const json = { 'content-type': 'application/json' };
const fields = [
  'from_currency',
  'to_currency',
  'amount',
  'beneficiary_name',
  'beneficiary_bank',
  'purpose',
  '__proto__',
  'constructor',
];
const strange = fc.constantFrom<unknown>(
  'USD',
  'EUR',
  'usd',
  '',
  ' ',
  '\u0000',
  '\uD800',
  '😀'.repeat(256),
  1,
  0,
  -1,
  0.005,
  1e21,
  5e-324,
  true,
  null,
  [],
  {},
  ['USD'],
);

const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.dictionary(fc.constantFrom(...fields), strange).map((given) => JSON.stringify({ ...order(), ...given })),
  fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()).map((given) => JSON.stringify(given)),
);
const bytes = fc.oneof(
  body.map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ maxLength: 300 }),
);

/** Returns the name of the error of a call, or undefined. */
function catchRefusal(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as Error).name;
  }
}

describe('the service', () => {
  it('responds to any body in the documented form', async () => {
    const { mock, send } = createStillMock();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('/quotes', '/payments'), bytes, async (path, sent) => {
        const before = await mock.sandbox.stateHash();
        const { status } = await send('POST', path, { body: sent as BodyInit, headers: json });
        expect(status).toBeLessThan(500);
        const after = await mock.sandbox.stateHash();
        expect(status >= 400 && after !== before, 'a refused request changed something').toBe(false);
      }),
      { numRuns: runs(300) },
    );
  });

  const pathPart = fc.oneof(
    fc.constantFrom(
      'payments',
      'quotes',
      'balance',
      'transactions',
      '..',
      '.',
      '',
      '%2e%2e',
      '%',
      '%00',
      '__proto__',
    ),
    fc.string(),
  );
  const path = fc
    .array(pathPart, { maxLength: 3 })
    .map((parts) => `/${parts.join('/')}`.replaceAll(/[?#\\]/g, ''));
  const query = fc.dictionary(
    fc.constantFrom('page', 'per_page', 'status', 'type', 'x'),
    fc.oneof(fc.string(), fc.nat().map(String)),
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'BREW');
  const headerValue = fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  });
  const headers = fc.dictionary(
    fc.constantFrom('content-type', 'content-encoding', 'idempotency-key', 'x-api-key', 'authorization'),
    headerValue,
  );

  it('responds to any method, path, query and header in the documented form', async () => {
    const { mock, send } = createStillMock();
    const before = await mock.sandbox.stateHash();
    await fc.assert(
      fc.asyncProperty(method, path, fc.tuple(query, headers), async (verb, where, [parameters, given]) => {
        const { status } = await send(verb, `${where}?${new URLSearchParams(parameters)}`, {
          headers: given,
        });
        expect(status).toBeLessThan(500);
        expect(await mock.sandbox.stateHash()).toBe(before);
      }),
      { numRuns: runs(300) },
    );
  });

  it('responds without a defect with any profile, also a damaged one, which changes nothing', async () => {
    const defects: unknown[] = [];
    const { mock } = createStillMock({ onDefect: (error) => defects.push(error) });
    const damage = fc.option(fc.tuple(fc.nat(), fc.oneof(strange, fc.jsonValue())), { nil: undefined });
    const request = fc.record({ verb: method, where: path, given: headers, content: bytes });
    await fc.assert(
      fc.asyncProperty(fc.nat(), damage, fc.array(request, { maxLength: 4 }), async (seed, change, sent) => {
        const names = Object.keys(createRandomProfile(seed, { hasReadLag: true }));
        const damaged = change && { [names[change[0] % names.length] ?? '']: change[1] };
        const before = mock.sandbox.profile.get();
        const choice = { ...createRandomProfile(seed, { hasReadLag: true }), ...damaged };
        const refusal = catchRefusal(() => mock.sandbox.profile.set(choice));
        expect([undefined, 'SandboxError']).toContain(refusal);
        expect(refusal === undefined || isDeepStrictEqual(mock.sandbox.profile.get(), before)).toBe(true);
        for (const { verb, where, given, content } of sent) {
          const hasBody = verb !== 'GET' && verb !== 'HEAD';
          await mock.fetch(`${mock.baseUrl}${where}`, {
            method: verb,
            headers: { 'x-api-key': mock.account.testKey, ...given },
            ...(hasBody && { body: content as BodyInit }),
          });
        }
        expect(defects).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });
});
