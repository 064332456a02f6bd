import { describe, expect, it } from 'vitest';
import { createMock, faultKinds, SandboxError } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { mountSandbox as mountInNext } from '@service/mock/next';
import { listen } from '@service/mock/node';
import { mountSandbox as mountInVite } from '@service/mock/vite';
import { createStillMock } from './support.ts';

const quote = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');
const payment = { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'Acme' };
const noTime = 'clock.set: time must be an ISO 8601 time with an offset, such as 2026-03-01T00:00:00Z, not ';
const noDuration =
  /^clock\.advance: duration must be milliseconds as a number, or text such as '500ms', .*, not /;
const noBaseUrl = 'createMock: baseUrl must be an http or https address that ends in /api/v1.';
const noAccount: [message: string, code: string] = ['There is no account "acct_x".', 'not_found'];
const noPath = /path must be a URL path without a trailing slash, such as '\/sandbox'/;
/** A part of a token is never in the message. */
const noToken = /^listen: control\.token must be text of 16 to 512 (?:(?!x{15}).)*$/;
const toDelivery = { target: 'delivery' };

/** By operation: an argument, the whole message or a pattern of it, and the code if it is not `invalid_argument`. */
const rejected: Record<string, [argument: unknown, message: string | RegExp, code?: string][]> = {
  createMock: [
    [
      { clock: 'slow' },
      `createMock: clock must be 'real', 'manual' or { speed: <above 0, at most 1000000> }, not "slow".`,
    ],
    [{ seeds: 1 }, /^createMock: has no field "seeds"; it takes initial, clock, start, seed, /],
    [{ accounts: 'any' }, `createMock: accounts must be 'strict' or 'open', not "any".`],
    [{ baseUrl: 'http://localhost/api' }, noBaseUrl],
    [{ baseUrl: 'http://h/api/v1#x' }, noBaseUrl],
    [{ baseUrl: 'ftp://h/api/v1' }, noBaseUrl],
    [{ baseUrl: 'http://u:p@h/api/v1' }, noBaseUrl],
    [
      { start: '2026-03-01T12:00:00' },
      'createMock: start must be a Date or an ISO 8601 time with an offset, such as 2026-03-01T00:00:00Z, from 1970 to 9999, not "2026-03-01T12:00:00": add Z or an offset such as +01:00.',
    ],
    [null, /^createMock takes an object with initial, clock, start, /],
  ],
  listen: [
    [{ port: 'x' }, 'listen: port must be a whole number from 0 to 65535, not "x".'],
    [{ port: 65_536 }, 'listen: port must be a whole number from 0 to 65535, not 65536.'],
    [
      { host: 'localhost' },
      'listen: has no field "host"; it takes port, hostname, control, grace, onResponse.',
    ],
    [{ control: 'on' }, /control must be 'off' or \{ token, selfService \}, not "on"\./],
    [
      { control: { tokens: 'a-token-of-the-test-0123' } },
      /control has no field "tokens"; it takes token, selfService; the nearest is "token"\.$/,
    ],
    ...['', 'x'.repeat(15), `${'x'.repeat(16)}\n`, `${'x'.repeat(16)}é`].map((token): [unknown, RegExp] => [
      { control: { token } },
      noToken,
    ]),
    [{ control: { selfService: 'yes' } }, /control\.selfService must be true or false, not "yes"\./],
  ],
  createHandlers: [
    ...[
      '',
      '*',
      '*/api/v1',
      '/api/v1/',
      '//host/api/v1',
      'https://payments.example/api/v1?x=1',
      'https://user:password@payments.example/api/v1',
      'ftp://payments.example/api/v1',
      'https://payments.example/:tenant/api/v1',
      '/api/(v1|v2)',
      null,
    ].map((baseUrl): [unknown, RegExp] => [{ baseUrl }, /^createHandlers: baseUrl must be a URL such as/]),
    [{ apiKey: '' }, /apiKey must be an API key of the mock/],
    [{ baseURL: '/api/v1' }, /^createHandlers: has no field "baseURL"; it takes baseUrl, apiKey/],
  ],
  'mountSandbox in Vite': [
    [{ path: 'sandbox' }, noPath],
    [{ path: '/sandbox/' }, noPath],
    [{ colour: 'red' }, /has no field "colour"/],
    [{ control: { token: 'short' } }, /control\.token must be text/],
  ],
  'mountSandbox in Next': [
    [{ allowInProduction: 'yes' }, /allowInProduction must be true or false/],
    [{ control: { token: 'short' } }, /control\.token must be text/],
    [{ colour: 'red' }, /has no field "colour"/],
  ],
  'accounts.create': [
    [
      { balances: { USD: 'many' } },
      /many is not an amount of USD. Use a number or text with at most 2 decimals/,
    ],
    [{ balances: { USD: 0.001 } }, /is not an amount/],
    [{ balances: { XAU: 1 } }, /"XAU" is not a supported currency. Use another one, or add it to/],
    [{ name: 'default' }, /The account name "default" is taken/],
    [{ balance: {} }, /accounts.create: has no field "balance"; it takes name, balances/],
  ],
  'accounts.find': [
    [undefined, /accounts.find takes an object with key/],
    ['service_test_of_my_own', /accounts.find takes an object with key/],
    [
      { id: 'acct_x' },
      /accounts.find: key is missing: it must be an API key; has no field "id"; it takes key/,
    ],
    [{ key: 5 }, /accounts.find: key must be an API key\./],
  ],
  'accounts.regenerateKey': [[{ mode: 'foo' }, /mode must be 'test' or 'live', not "foo"/]],
  'accounts.suspend': [[null, /There is no account null/, 'not_found']],
  'wallets.credit': [
    [{ currency: 'USD', amout: 1 }, /wallets.credit: amount is missing: .* has no field "amout"/],
    [{ currency: 'USD', amount: 0 }, /A deposit must be more than 0/],
  ],
  'profile.set': [
    [{ rateLimit: { requests: 1, window: 1e300 } }, /window must be a duration from '1ms' to '365d'/],
  ],
  'payments.create': [
    [{ ...payment, amount: 0 }, /amount must be from 0\.01 to 999999999\.99\./],
    [{ ...payment, amount: 'ten' }, /ten is not an amount of USD\./],
    [{ ...payment, to_currency: 'XXX' }, /The profile has no rate from USD to XXX\./],
    [{ ...payment, beneficiary_name: ' ' }, /beneficiary_name must be text of 1 to 255 characters/],
    [{ ...payment, amount: 1_000_000 }, /The USD balance is too low for this payment\./, 'invalid_state'],
    [{ ...payment, account: 'acct_x' }, ...noAccount],
  ],
  'clock.set': [
    ['yesterday', `${noTime}"yesterday".`],
    ['Mar 1, 2027', `${noTime}"Mar 1, 2027".`],
    ['2026-02-30T00:00:00Z', `${noTime}"2026-02-30T00:00:00Z": 2026-02 has 28 days.`],
    ['2027-03-01T12:00:00', `${noTime}"2027-03-01T12:00:00": add Z or an offset such as +01:00.`],
    ['2026-12-31T23:59:60Z', `${noTime}"2026-12-31T23:59:60Z".`],
    ['2027-03-01T24:00:00Z', `${noTime}"2027-03-01T24:00:00Z".`],
    ['2026-01-01T00:00:00Z', 'The clock cannot go back in time.'],
  ],
  'clock.advance': [
    ...['3 s', '3', '', 'soon', '-1s', -1, Number.NaN, Number.POSITIVE_INFINITY].map(
      (duration): [unknown, RegExp] => [duration, noDuration],
    ),
    ['1000000000d', 'The clock cannot pass the year 9999.'],
  ],
  'requests.list': [
    [
      { operations: 'createPayment' },
      'requests.list: has no field "operations"; it takes account, mode, operation, status, limit, offset; the nearest is "operation".',
    ],
    [
      { operation: 'pay' },
      /operation must be one of 'createQuote', 'createPayment', 'getPayment', 'getBalance', 'listTransactions', not "pay"\./,
    ],
    [{ status: '201' }, /status must be a whole number from 200 to 599, not "201"\./],
    [{ account: 'acct_x' }, ...noAccount],
    [{ limit: 0 }, /^requests\.list: limit must be a whole number/],
  ],
  'requests.waitFor': [
    [{ count: 0 }, /count must be a whole number from 1 to 10000, not 0\./],
    [{ count: 10_001 }, /count must be a whole number from 1 to 10000, not 10001\./],
    [{ amount: 1 }, /requests\.waitFor: has no field "amount"/],
    [{ timeout: -1 }, /timeout must be a duration of at most '4m', such as '500ms' or '3s', not -1\./],
    [{ timeout: Number.NaN }, /timeout must be a duration of at most '4m'/],
    [{ timeout: '5m' }, /timeout must be a duration of at most '4m'/],
  ],
  'webhooks.setEndpoint': [
    ...[
      'https://hooks.example/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data',
      'http://0.0.0.0/',
      'http://[::]/',
      'http://[2001:db8::1]/',
      'http://[::127.0.0.1]/',
      'http://[64:ff9b::127.0.0.1]/',
      'http://localhost.example/',
      'http://127.0.0.1.example/',
    ].map((url): [unknown, RegExp] => [{ url }, /only loopback hosts are allowed: .* allowHosts: /]),
    ...['ftp://u:sekret@localhost/', 'http://u:sekret@localhost:99999/', 'http://u:sekret@localhost/'].map(
      (url): [unknown, RegExp] => [{ url }, /^(?!.*sekret).*cannot be a webhook endpoint/],
    ),
  ],
  'webhooks.collect': [
    [{ receive: 'http://localhost/' }, /receive must be a function from a Request to a Response, not/],
    [{ secret: ' undefined ' }, /secret must be non-empty text, and neither 'undefined' nor 'null'/],
    [{ secret: 42 }, /secret must be non-empty text, and neither 'undefined' nor 'null'/],
    [{ url: 'http://localhost/' }, /has no field "url"; it takes account, mode, secret, receive/],
  ],
  'faults.inject': [
    [undefined, 'faults.inject takes an object with kind, target.'],
    [{ kind: 'flood' }, `faults.inject: kind must be one of ${quote(faultKinds)}, not "flood".`],
    [{ kind: 'toString' }, `faults.inject: kind must be one of ${quote(faultKinds)}, not "toString".`],
    [
      { kind: 'reset_after_commit', commit: true },
      'faults.inject of reset_after_commit: has no field "commit"; it takes target, kind, operation, account, mode, times, after, probability.',
    ],
    [
      { kind: 'status', status: 200, type: 'oops', retryAfter: -1, commit: 'no' },
      /^faults\.inject of status: status must be a whole number from 400 to 599, not 200; type must be one of/,
    ],
    [
      { kind: 'garbage', times: 0, after: 1.5, probability: 2, mode: 'both' },
      "faults.inject of garbage: mode must be 'test' or 'live', not \"both\"; times must be a whole number from 1 to 1000000 or 'unlimited', not 0; after must be a whole number from 0 to 1000000, not 1.5; probability must be a number from 0 to 1, not 2.",
    ],
    [{ kind: 'garbage', account: 'acct_x' }, ...noAccount],
    [toDelivery, /^faults\.inject: kind is missing: it must be one of 'duplicate', 'reorder', /],
    [{ ...toDelivery, kind: 'lose' }, /^faults\.inject: kind must be one of/],
    [
      { target: 'event', kind: 'drop' },
      "faults.inject: target must be 'request' or 'delivery', not \"event\".",
    ],
    [
      { ...toDelivery, kind: 'drop', times: 0 },
      /^faults\.inject of drop: times must be a whole number from 1 to 1000000/,
    ],
    [{ ...toDelivery, kind: 'drop', event: 'completed' }, /event must be one of 'payment\.pending', /],
    [{ ...toDelivery, kind: 'delay' }, /by is missing: it must be a duration from '1ms' to '365d'\.$/],
    [{ ...toDelivery, kind: 'delay', by: 'soon' }, /by must be a duration/],
    [
      { ...toDelivery, kind: 'drop', by: '1s' },
      /^faults\.inject of drop: has no field "by"; it takes target, kind, account/,
    ],
    [{ ...toDelivery, kind: 'drop', account: 'acct_x' }, ...noAccount],
  ],
};

const { mock: served } = createStillMock();
const functions: Record<string, (argument: never) => unknown> = {
  createMock,
  listen: (options) => listen(served, options),
  createHandlers: (options) => createHandlers(served, options),
  'mountSandbox in Vite': (options) => mountInVite(createMock, options),
  'mountSandbox in Next': (options) => mountInNext(createMock, options),
};

describe('a wrong argument', () => {
  it.each(Object.entries(rejected))(
    'of %s is rejected with its reason, and changes nothing',
    async (operation, rows) => {
      const { mock } = createStillMock();
      const { sandbox } = mock;
      const [group = '', name = ''] = operation.split('.');
      const act = functions[operation] ?? Reflect.get(Reflect.get(sandbox, group), name);
      const differences: unknown[] = [];
      const before = await sandbox.stateHash();
      for (const [argument, message, code = 'invalid_argument'] of rows) {
        let error: unknown;
        try {
          await act(argument);
        } catch (caught) {
          error = caught;
        }
        const isExpected =
          error instanceof SandboxError &&
          error.code === code &&
          (typeof message === 'string' ? error.message === message : message.test(error.message));
        if (!isExpected) differences.push([argument, message, error]);
      }
      expect(differences).toEqual([]);
      expect(await sandbox.stateHash()).toBe(before);
      expect(sandbox.faults.list()).toEqual([]);
    },
  );
});
