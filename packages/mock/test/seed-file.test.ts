import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type MockOptions, SandboxError, type SandboxSeed } from '@service/mock';
import schema from '@service/mock/service.sandbox.schema.json' with { type: 'json' };
import { findSeedFile, loadSeedFile, redactVariables } from '@service/mock/seed-file';
import { parse } from 'yaml';

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'seed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Writes a seed file and returns its path. */
async function write(text: string, name = 'service.sandbox.yaml'): Promise<string> {
  const path = join(await createFolder(), name);
  await writeFile(path, text);
  return path;
}

interface Env {
  readonly [name: string]: string | undefined;
}

/** Returns the lines of the error of a seed file, relative to its folder. */
async function linesOf(
  text: string,
  { env = {}, name, ...options }: MockOptions & { env?: Env; name?: string } = {},
): Promise<string[]> {
  const path = await write(text, name);
  let caught: unknown;
  try {
    createMock({ ...options, initial: loadSeedFile(path, { env }) });
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(SandboxError);
  return (caught as Error).message.replaceAll(path, 'FILE').split('\n');
}

describe('loadSeedFile', () => {
  it('reads YAML and JSON', async () => {
    const yaml = await write('clock: manual\naccounts:\n  - name: shop\n    balances: { USD: 12.50 }\n');
    const json = await write(
      '{\n\t"clock": "manual",\n\t"accounts": [{ "name": "shop", "balances": { "USD": 12.50 } }]\n}',
      'service.sandbox.json',
    );
    for (const path of [yaml, json]) {
      const mock = createMock({ initial: loadSeedFile(path) });
      expect([mock.account.name, mock.sandbox.clock.mode]).toEqual(['shop', 'manual']);
    }
  });

  it.each(['', '# only a comment\n', '{}', '\uFEFFclock: manual'])('accepts %j', async (text) => {
    const mock = createMock({ initial: loadSeedFile(await write(text)) });
    expect(mock.account.name).toBe('default');
  });

  it('names all problems with file, line, column and suggestion', async () => {
    const text = `clock: manual
sed: 1
accounts:
  - name: shop
    testKey: service_test_shop
    profile:
      successStatus: { createPayment: 204 }
    balnces:
      USD: 10
    payments:
      - { from_currency: USD, to_currency: EUR, amount: 5, beneficiary_name: Acme, status: complete }
      - from_currency: USD
        amount: 5
  - name:
faults: none
`;
    expect(await linesOf(text)).toEqual([
      'FILE has 8 problems:',
      '  FILE:2:1: "sed" is unknown. Did you mean "seed"?',
      '  FILE:7:39: accounts[0].profile.successStatus.createPayment must be 201 or 200 or 202.',
      '  FILE:8:5: accounts[0]: "balnces" is unknown. Did you mean "balances"?',
      "  FILE:11:92: accounts[0].payments[0].status must be one of 'pending', 'processing', 'completed', 'failed'.",
      "  FILE:12:9: accounts[0].payments[1]: to_currency is missing: it must be a code such as 'USD'.",
      '  FILE:12:9: accounts[0].payments[1]: beneficiary_name is missing: it must be text of 1 to 255 characters without control characters.',
      expect.stringMatching(/^ {2}FILE:1[45]:\d+: accounts\[1\]\.name must be non-empty text\.$/),
      '  FILE:15:9: faults must be a list.',
    ]);
  });

  it.each([
    ['accounts:\n  - name: a\n   payments: []\n', /^ {2}FILE:3:1: /],
    ['accounts: [\n', /^ {2}FILE:2:1: /],
    ['seed: 1\nseed: 2\n', /^ {2}FILE:2:1: Map keys must be unique$/],
    ['{ "seed": 1, }}', /^ {2}FILE:1:15: /],
  ])('names the position of a syntax error in %j', async (text, line) => {
    const [title, ...lines] = await linesOf(text);
    expect(title).toBe('FILE is not valid YAML or JSON:');
    expect(lines[0]).toMatch(line);
  });
});

describe('${NAME} in a seed file', () => {
  const secret = 'a-secret-of-the-environment';
  const text = `accounts:
  - name: shop
    testKey: \${SHOP_KEY}
    endpoint: { url: "http://localhost:\${PORT}/hooks", secret: '\${HOOK_SECRET}' }
`;

  it('is replaced by the environment variable', async () => {
    const path = await write(text);
    const env = { SHOP_KEY: 'service_test_from_env', PORT: '3000', HOOK_SECRET: secret };
    const { account, sandbox } = createMock({ initial: loadSeedFile(path, { env }) });
    expect(account.testKey).toBe('service_test_from_env');
    expect(sandbox.webhooks.endpoint()).toEqual({ url: 'http://localhost:3000/hooks' });
    expect(JSON.stringify(sandbox.snapshot())).toContain(secret);
  });

  it('names each variable that is not set, with all other problems', async () => {
    expect(await linesOf(`${text}    suspnded: true\n`, { env: { PORT: '1', HOOK_SECRET: '' } })).toEqual([
      'FILE has 3 problems:',
      '  FILE:3:14: accounts[0].testKey: the environment variable SHOP_KEY is not set.',
      '  FILE:4:64: accounts[0].endpoint.secret: the environment variable HOOK_SECRET is not set.',
      '  FILE:5:5: accounts[0]: "suspnded" is unknown. Did you mean "suspended"?',
    ]);
  });

  it('shows the name of the variable in messages instead of its value', async () => {
    const env = { SHOP_KEY: `service_live_${secret}`, PORT: '3000', HOOK_SECRET: secret };
    const lines = await linesOf(text, { env });
    expect(lines[1]).toBe(
      "  FILE:3:14: accounts[0].testKey must be 'service_test_' and 1 to 255 letters, digits and any of ._~-.",
    );
    const url = await linesOf('accounts: [{ name: a, endpoint: { url: "https://${SECRET}.example" } }]', {
      env: { SECRET: secret },
    });
    expect(url.join('\n')).not.toContain(secret);
    expect(url.join('\n')).toContain('https://${SECRET}.example');
  });

  it('is a problem with the reason of `refuse`, which gets the path of a value that nothing repeats', async () => {
    const asked: string[] = [];
    const refuse = (name: string, path: string): string | undefined => {
      asked.push(`${name} ${path}`);
      return name === 'OTHER' ? 'OTHER is for somebody else.' : undefined;
    };
    const path = await write(
      'seed: ${OTHER}\naccounts:\n  - { name: "a ${A}${B}", profile: &p { errorBody: "${C}" } }\n  - { name: &n "${D}" }\n',
    );
    const env = { OTHER: secret, A: '1', B: '2', C: '3', D: '4' };
    const seed = loadSeedFile(path, { env, refuse });
    expect(asked).toEqual(['OTHER seed', 'A accounts.0.name', 'B accounts.0.name', 'C ', 'D ']);
    expect(() => createMock({ initial: seed })).toThrow(`${path}:1:7: seed: OTHER is for somebody else.`);
  });

  it('can be redacted from a text', async () => {
    const seed = loadSeedFile(await write('seed: ${SEED}\n'), { env: { SEED: secret } });
    expect(redactVariables(seed, `the seed ${secret}`)).toBe('the seed ${SEED}');
    expect(redactVariables({ ...seed, clock: 'manual' }, secret)).toBe('${SEED}');
    expect(redactVariables({}, secret)).toBe(secret);
  });
});

describe('findSeedFile', () => {
  it('returns the YAML or JSON file of a folder', async () => {
    const folder = await createFolder();
    expect(findSeedFile(folder)).toBeUndefined();
    await writeFile(join(folder, 'service.sandbox.json'), '{}');
    expect(findSeedFile(folder)).toBe(join(folder, 'service.sandbox.json'));
    await writeFile(join(folder, 'service.sandbox.yaml'), '{}');
    expect(() => findSeedFile(folder)).toThrow(
      'There are two seed files: service.sandbox.yaml and service.sandbox.json. Remove one of them.',
    );
  });
});

describe('the page on seed files', () => {
  it('has an example that is valid for createMock and for editors', async () => {
    const page = await readFile(join(import.meta.dirname, '../docs/seed-file.md'), 'utf8');
    const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const env = { SERVICE_TEST_KEY: 'service_test_shop', SERVICE_WEBHOOK_SECRET: 'a secret' };
    const { sandbox, account } = createMock({ initial: loadSeedFile(await write(yaml), { env }) });
    expect(account.testKey).toBe('service_test_shop');
    expect(sandbox.accounts.list()).toMatchObject([{ name: 'shop' }, { name: 'closed', suspended: true }]);
    expect(sandbox.faults.list()).toHaveLength(2);
    expect(findSchemaErrors(parse(yaml))).toEqual([]);
  });
});

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

function findSchemaErrors(value: unknown): string[] {
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function isAccepted(initial: SandboxSeed): boolean {
  try {
    createMock({ initial });
    return true;
  } catch (error) {
    if (error instanceof SandboxError) return false;
    throw error;
  }
}

describe('service.sandbox.schema.json', () => {
  const payment = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' };
  const account = (fields: object) => ({ accounts: [{ name: 'a', ...fields }] });
  const seeds: readonly [isValid: boolean, seed: object][] = [
    [true, {}],
    [true, { $schema: './schema.json', seed: 'x', clock: 'real' }],
    [true, { seed: 4, clock: { speed: 0.5 }, start: '2026-03-01T09:00:00Z' }],
    [
      true,
      {
        profile: {
          events: ['completed'],
          headers: { all: { Deprecation: '@1767225600' } },
        },
      },
    ],
    [
      true,
      account({
        balances: { USD: 1, JPY: '2' },
        suspended: true,
        profile: { successStatus: { createPayment: 200 } },
      }),
    ],
    [true, account({ endpoint: { url: 'http://localhost:1/' }, live: { balances: { EUR: 1 } } })],
    [true, account({ payments: [payment, { ...payment, status: 'failed', age: '1.5h', purpose: 'p' }] })],
    [
      true,
      {
        faults: [
          { kind: 'latency', ms: 5 },
          { target: 'delivery', kind: 'delay', by: '1s' },
        ],
      },
    ],
    [true, { profile: { rateLimit: { requests: 0, window: '1m' } } }],
    [false, { sed: 1 }],
    [false, { seed: true }],
    [false, { clock: 'fast' }],
    [false, { clock: { speed: 0 } }],
    [false, { profile: { numbers: 'roman' } }],
    [false, { accounts: [] }],
    [false, account({ name: '' })],
    [false, account({ testKey: 'service_live_x' })],
    [false, account({ balances: { USDX: 1 } })],
    [false, account({ suspended: 'yes' })],
    [false, account({ endpoint: {} })],
    [false, account({ endpoint: { url: 'http://localhost:1/', secret: '' } })],
    [false, account({ payments: [{ ...payment, amount: undefined }] })],
    [false, account({ payments: [{ ...payment, status: 'paid already' }] })],
    [false, account({ payments: [{ ...payment, age: '2 days' }] })],
    [false, account({ payments: [{ ...payment, from_currency: 'usd' }] })],
    [false, { faults: [{ kind: 'explode' }] }],
    [false, { profile: { rateLimit: { requests: 1.5, window: '1m' } } }],
  ];

  it.each(seeds)('agrees with createMock: %j, %j', (isValid, seed) => {
    const json = JSON.parse(JSON.stringify(seed)) as SandboxSeed;
    expect([isAccepted(json), findSchemaErrors(json).length === 0]).toEqual([isValid, isValid]);
  });
});
