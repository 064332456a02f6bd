import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import document from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { createControl, controlOperations } from '../src/control/http/handler.ts';
import { listFields, takesQuery } from '../src/control/http/read-input.ts';
import { CONNECTION_LOST } from '../src/http/request.ts';
import { partsOf } from './control-support.ts';
import { createStillMock, order } from './support.ts';

// A value that the control API always refuses must not be valid in its document, from which clients are generated.

const ajv = new Ajv2020({ strict: false }).addSchema(document, 'document');

interface Documented {
  operationId: string;
  parameters?: { name: string }[];
  requestBody?: { content: { 'application/json': { schema: { properties: object } } } };
}

/** Returns a check of each field of an operation against the document. */
function listChecks(id: string): [name: string, isValid: (value: unknown) => boolean][] {
  const paths = document.paths as object as Record<string, Record<string, Documented>>;
  for (const [path, item] of Object.entries(paths))
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(item)) {
      if (operationId !== id) continue;
      const place = `document#/paths/${path.replaceAll('/', '~1')}/${method}`;
      const names = Object.keys(requestBody?.content['application/json'].schema.properties ?? {});
      const body = `${place}/requestBody/content/application~1json/schema/properties`;
      const places = [
        ...parameters.map(({ name }, index) => [name, `${place}/parameters/${index}/schema`] as const),
        ...names.map((name) => [name, `${body}/${name}`] as const),
      ];
      return places.map(([name, $ref]) => {
        const validate = ajv.compile({ $ref });
        return [name, (value) => validate(value)];
      });
    }
  throw new Error(`${id} is not documented.`);
}

/** Values at the limits of texts, numbers, amounts, times, durations, names and URLs. */
const candidates: readonly unknown[] = [
  '',
  ' ',
  'x',
  '0',
  '0.00',
  '-1',
  '1.001',
  '10000000000000',
  '9999999999999.99',
  'undefined',
  'null',
  'usd',
  'US',
  'POST',
  '2026-01-31',
  '2026-01-31T12:00:00',
  '5 s',
  'http://',
  'ftp://localhost/x',
  'http://localhost/x',
  'https://a@localhost/',
  'service_test_',
  'a'.repeat(300),
  'a\nb',
  '\0',
  '-',
  'é',
  0,
  -1,
  1,
  0.5,
  1e4,
  10001,
  1000001,
  1e9,
  86400001,
  31536000001,
  0x38d7ea4c68000,
  1e300,
  199,
  399,
  600,
  true,
  null,
  [],
  {},
];

const samples: Readonly<Record<string, unknown>> = {
  currency: 'USD',
  amount: '10.00',
  by: '1s',
  time: '2026-02-01T00:00:00Z',
  speed: 2,
  url: 'http://localhost:9/x',
  requests: 10,
  window: '1m',
  count: 1,
  settings: {},
};

/** Faults and states have documents of their own. */
const checked = controlOperations.filter(({ id, maxBody }) => id !== 'injectFault' && maxBody === undefined);

describe('the document of the control API', () => {
  it.each(checked.map((operation) => [operation.id, operation] as const))(
    'has the limits of %s',
    async (id, operation) => {
      const { mock, post } = createStillMock();
      const { body } = await post('/payments', order());
      const [request] = mock.sandbox.requests.list();
      const ids = {
        account: mock.account.id,
        payment: body.data.id,
        request: request!.id,
        key: mock.account.testKey,
      };
      const handle = createControl(partsOf(mock), { token: null, onDefect: () => {} });
      const isQuery = takesQuery(operation);
      const ask = async (fields: Record<string, unknown>): Promise<number | undefined> => {
        const rest = { ...fields };
        const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
          const value = rest[name] === undefined ? 'none' : JSON.stringify(rest[name]).replaceAll('"', '');
          delete rest[name];
          return encodeURIComponent(value);
        });
        const bytes = new TextEncoder().encode(JSON.stringify(rest));
        const headers = new Headers({ host: 'localhost' });
        if (!isQuery) headers.set('content-type', 'application/json');
        if (!isQuery) headers.set('content-length', String(bytes.length));
        const search = new URLSearchParams(
          Object.entries(rest).map(([name, value]) => [name, String(value)]),
        );
        const { response } = await handle({
          method: operation.method,
          path: `/_sandbox${path}`,
          search: isQuery ? search.toString() : '',
          header: (name) => headers.get(name),
          readBody: async () => bytes,
          headers: [],
          transport: 'http',
          signal: () => new AbortController().signal,
        });
        return response === CONNECTION_LOST ? undefined : response.status;
      };
      const fields = listFields(operation);
      const required = Object.entries(fields).filter(([, schema]) => schema.inner === undefined);
      const basis = {
        ...(id === 'createPayment' ? order() : {}),
        ...Object.fromEntries(
          required.map(([name]) => [
            name,
            (ids as Record<string, unknown>)[name] ?? samples[name] ?? order()[name],
          ]),
        ),
        ...(fields.timeout !== undefined && { timeout: 0 }),
      };
      const refused: unknown[] = [];
      for (const [name, validate] of listChecks(id)) {
        const isTested = (value: unknown): boolean =>
          (!isQuery || ['string', 'number'].includes(typeof value)) &&
          // A profile decides on the largest amount of a payment.
          !(id === 'createPayment' && name === 'amount' && Number(value) > 999_999_999) &&
          !(name === 'timeout' && Number(value) > 1);
        for (const value of candidates.filter((each) => isTested(each) && validate(each))) {
          const status = await ask({ ...basis, [name]: value });
          if (status === 400 || status === 500) refused.push([name, value, status]);
        }
      }
      expect(refused).toEqual([]);
    },
  );

  it('has no pattern that RE2 cannot read', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(
      ([, each]) => each!,
    );
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((each) => /\(\?[=!<]|\\\\[1-9]/.test(each))).toEqual([]);
  });
});
