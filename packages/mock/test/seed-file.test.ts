import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type MockOptions, SandboxError, type SandboxSeed } from '@service/mock';
import schema from '@service/mock/service.sandbox.schema.json' with { type: 'json' };
import { findSeedFile, loadSeedFile } from '@service/mock/seed-file';
import { parse } from 'yaml';
import { partsOf } from './control-support.ts';

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
  { env = {}, ...options }: MockOptions & { env?: Env } = {},
): Promise<string[]> {
  const path = await write(text);
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
      expect([mock.account.name, partsOf(mock).state.clock.mode]).toEqual(['shop', 'manual']);
    }
  });

  it.each(['', '# only a comment\n', '{}', '\uFEFFclock: manual'])('accepts %j', async (text) => {
    const mock = createMock({ initial: loadSeedFile(await write(text)) });
    expect(mock.account.name).toBe('default');
  });

  it.each([
    ['accounts:\n  - name: a\n   payments: []\n', 'at line 3, column 1'],
    ['accounts: [\n', 'at line 2, column 1'],
    ['seed: 1\nseed: 2\n', 'Map keys must be unique at line 2, column 1'],
    ['{ "seed": 1, }}', 'at line 1, column 15'],
    ['accounts: *missing', 'Unresolved alias'],
    ['- name: a', 'the file must contain named fields, such as `accounts`.'],
  ])('explains %j', async (text, problem) => {
    const lines = await linesOf(text);
    expect(lines[0]).toMatch(/^FILE/);
    expect(lines.join('\n')).toContain(problem);
  });
});

describe('${NAME} in a seed file', () => {
  const text = `accounts:
  - name: shop
    testKey: \${SERVICE_SEED_KEY}
    endpoint: { url: "http://localhost:\${SERVICE_SEED_PORT}/hooks", secret: '\${SERVICE_SEED_SECRET}' }
`;
  const env = {
    SERVICE_SEED_KEY: 'service_test_from_env',
    SERVICE_SEED_PORT: '3000',
    SERVICE_SEED_SECRET: 'a-secret-of-the-environment',
  };

  it('is replaced by a variable for seed files', async () => {
    const seed = loadSeedFile(await write(text), { env });
    const { account, sandbox } = createMock({ initial: seed });
    expect(account.testKey).toBe('service_test_from_env');
    expect(sandbox.webhooks.endpoint()).toEqual({ url: 'http://localhost:3000/hooks' });
    expect(JSON.stringify(sandbox.snapshot())).toContain(env.SERVICE_SEED_SECRET);
  });

  it('names each variable that is not set or not read', async () => {
    const other = text.replace('SERVICE_SEED_SECRET', 'HOOK_SECRET');
    expect(await linesOf(other, { env: { ...env, SERVICE_SEED_PORT: '' } })).toEqual([
      'FILE: The environment variable SERVICE_SEED_PORT is not set. The variable "HOOK_SECRET" is not read: those of a seed file begin with SERVICE_SEED_.',
    ]);
  });

  it.each(['SERVICE_API_KEY', 'SERVICE_SANDBOX_TOKEN', 'HOME', 'service_seed_x', '__proto__', '', 'A}${B'])(
    'is not replaced by %j',
    async (name) => {
      const secret = 'of-the-caller';
      const lines = await linesOf(`seed: "\${${name}}"`, { env: { [name]: secret, B: secret } });
      expect(lines.join()).toContain('is not read');
      expect(lines.join()).not.toContain(secret);
    },
  );
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
    const env = { SERVICE_SEED_TEST_KEY: 'service_test_shop', SERVICE_SEED_WEBHOOK_SECRET: 'a secret' };
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
  const valid: object[] = [
    {},
    { $schema: './schema.json', seed: 'x', clock: 'real' },
    { seed: 4, clock: { speed: 0.5 }, start: '2026-03-01T09:00:00Z' },
    { profile: { events: ['completed'], headers: { all: { Deprecation: '@1767225600' } } } },
    account({ balances: { USD: 1, JPY: '2' }, suspended: true, profile: { numbers: 'string' } }),
    account({ endpoint: { url: 'http://localhost:1/' }, live: { balances: { EUR: 1 } } }),
    account({ payments: [payment, { ...payment, status: 'failed', age: '1.5h', purpose: 'p' }] }),
    {
      faults: [
        { kind: 'latency', ms: 5 },
        { target: 'delivery', kind: 'delay', by: '1s' },
      ],
    },
    { profile: { rateLimit: { requests: 0, window: '1m' } } },
  ];
  const invalid: object[] = [
    { sed: 1 },
    { seed: true },
    { clock: 'fast' },
    { clock: { speed: 0 } },
    { profile: { numbers: 'roman' } },
    { accounts: [] },
    account({ name: '' }),
    account({ testKey: 'service_live_x' }),
    account({ balances: { USDX: 1 } }),
    account({ suspended: 'yes' }),
    account({ endpoint: {} }),
    account({ endpoint: { url: 'ftp://localhost/' } }),
    { start: '2026-03-01' },
    account({ endpoint: { url: 'http://localhost:1/', secret: '' } }),
    account({ payments: [{ ...payment, amount: undefined }] }),
    account({ payments: [{ ...payment, status: 'paid already' }] }),
    account({ payments: [{ ...payment, age: '2 days' }] }),
    account({ payments: [{ ...payment, from_currency: 'usd' }] }),
    { faults: [{ kind: 'explode' }] },
    { profile: { rateLimit: { requests: 1.5, window: '1m' } } },
  ];

  it('accepts what createMock accepts', () => {
    const judge = (seed: object): unknown[] => {
      const json = JSON.parse(JSON.stringify(seed)) as SandboxSeed;
      return [seed, isAccepted(json), findSchemaErrors(json).length === 0];
    };
    expect(valid.map(judge)).toEqual(valid.map((seed) => [seed, true, true]));
    expect(invalid.map(judge)).toEqual(invalid.map((seed) => [seed, false, false]));
  });
});
