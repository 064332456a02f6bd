// Compares the commands of `sandbox` with the document of the control API.
import document from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import {
  type Field,
  listArguments,
  operations as all,
  type Schema,
  takesFile,
} from '../src/sandbox/operations.ts';
import { runCli, testKey } from './support.ts';

const operations = all.flatMap(({ command, ...operation }) =>
  command === undefined ? [] : [{ ...operation, command }],
);
const find = (id: string) => operations.find((operation) => operation.id === id)!;
const optionNames: Record<string, string> = { balances: 'balance', profile: 'setting' };

/** Returns a valid value of a schema, as command line text and as JSON. */
function sample({ name, schema }: Pick<Field, 'name' | 'schema'>): [text: string, value: unknown] {
  const { anyOf, type = [], items = {} } = schema;
  if (schema.enum !== undefined) return [String(schema.enum.at(-1)), schema.enum.at(-1)];
  if (anyOf !== undefined) return sample({ name, schema: anyOf[0]! });
  if (schema.pattern !== undefined && schema.examples !== undefined)
    return [String(schema.examples?.[0]), schema.examples?.[0]];
  if (type.includes('string')) return ['7.50', '7.50'];
  if (type === 'array') {
    const [text, value] = sample({ name, schema: items });
    return [`${text},${text}`, [value, value]];
  }
  if (type === 'object') return ['{}', {}];
  const number = Math.min(Math.max(7, schema.minimum ?? 7), schema.maximum ?? 7);
  return type === 'boolean' ? ['false', false] : [String(number), number];
}

/** Returns `name=value` for each property of an object field, and the object. */
function sampleEntries({ properties, additionalProperties }: Schema): [texts: string[], value: object] {
  const inner = properties ?? { USD: additionalProperties as Schema };
  const samples = Object.entries(inner).map(([name, schema]) => [name, ...sample({ name, schema })] as const);
  const entries = samples.map(([name, , value]) => [name, value]);
  return [samples.map(([name, text]) => `${name}=${text}`), Object.fromEntries(entries) as object];
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

interface SampleInput {
  args: string[];
  options: string[];
  expected: Record<string, unknown>;
}

/** Returns the arguments and options of a command with every field. */
function createInput(id: string): SampleInput {
  const args = listArguments(find(id)).map(({ name }) => name);
  const input: SampleInput = { args: [], options: [], expected: {} };
  const { fields } = find(id);
  for (const field of [...fields].toSorted((a, b) => args.indexOf(a.name) - args.indexOf(b.name))) {
    const { name, schema } = field;
    const option = `--${optionNames[name] ?? kebab(name)}`;
    if (name === 'key') input.expected.key = testKey;
    else if (name === 'secret') {
      input.options.push('--secret-file', '-');
      input.expected.secret = 'a signing secret';
    } else if (name === 'timeout') {
      input.options.push('--timeout', '2s');
      input.expected.timeout = 2_000;
    } else if (schema.type === 'object') {
      const [texts, value] = sampleEntries(schema);
      if (args.includes(name)) input.args.push(...texts);
      else input.options.push(...texts.flatMap((text) => [option, text]));
      input.expected[name] = value;
    } else {
      const [text, value] = sample(field);
      if (args.includes(name)) input.args.push(text);
      else input.options.push(option, text);
      input.expected[name] = value;
    }
  }
  return input;
}

const health = { status: 'ok', now: '', clock: 'manual', version: '0' };

/** Runs a command against a stub control API that accepts everything. Returns the last request after the health check. */
async function capture(
  argv: string[],
  stdin = '',
): Promise<{ request: Request; body: string; paths: string[] }> {
  const paths: string[] = [];
  let last: { request: Request; body: string } | undefined;
  const { code, stderr } = await runCli(['sandbox', ...argv], {
    env: { SERVICE_API_KEY: testKey },
    stdin,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      if (pathname === '/_sandbox/health') return Response.json(health);
      last = { request, body: await request.text() };
      return Response.json({
        id: 'acct_of_the_key',
        accounts: [],
        events: [],
        deliveries: [],
        faults: [],
        requests: [],
        rows: [],
        total: 0,
        wallets: [],
        checks: [],
      });
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return { request: new Request('http://none'), body: '', ...last, paths };
}

describe('commands of sandbox', () => {
  it('cover each operation exactly once', () => {
    const described = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => ('x-cli' in operation ? [operation.operationId] : [])),
    );
    expect(new Set(operations.map(({ id }) => id))).toEqual(new Set(described));
    expect(new Set(operations.map(({ command }) => command)).size).toBe(described.length);
  });

  const typed = operations.filter((operation) => !takesFile(operation));

  it('send every field of their operation', async () => {
    for (const { command, id, method, path, fields } of typed) {
      const { args, options, expected } = createInput(id);
      expect(Object.keys(expected).toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
      const { request, body } = await capture(
        [...command.split(' '), ...args, ...options],
        'a signing secret\n',
      );
      if (id === 'getHealth') continue;
      const url = new URL(request.url);
      const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(expected[name]));
      expect([request.method, url.pathname]).toEqual([method, `/_sandbox${inPath}`]);
      const sent = {
        ...Object.fromEntries(url.searchParams),
        ...(body === '' ? {} : (JSON.parse(body) as object)),
      };
      const others = Object.entries(expected).filter(([name]) => !path.includes(`{${name}}`));
      const inQuery = method === 'GET' || method === 'DELETE';
      expect(sent).toEqual(
        Object.fromEntries(others.map(([name, value]) => [name, inQuery ? String(value) : value])),
      );
    }
  });

  it('need only the fields that their operation requires', async () => {
    for (const { command, id, fields } of typed) {
      const { args, options, expected } = createInput(id);
      const given = fields.filter(({ isRequired }) => isRequired);
      const needed = given.flatMap(({ name }) => {
        const at = options.indexOf(`--${kebab(name)}`);
        return name === 'account' || at < 0 ? [] : options.slice(at, at + 2);
      });
      const { paths } = await capture([...command.split(' '), ...args, ...needed]);
      // The account of a payment is that of its id.
      const isOfPayment = fields.some(({ schema }) => schema['x-default'] === 'owner');
      const isOfAccount = ('account' in expected && !isOfPayment) || 'key' in expected;
      expect([command, paths.includes('/_sandbox/accounts/find')]).toEqual([command, isOfAccount]);
    }
  });

  it.each([
    ['restore', 'POST /_sandbox/restore'],
    ['load', 'PUT /_sandbox/seed'],
  ])('send the unchanged bytes of a file with %s', async (command, sent) => {
    const { request, body } = await capture([command, '-'], '{ "format" : "x" }\n');
    expect([`${request.method} ${new URL(request.url).pathname}`, body]).toEqual([
      sent,
      '{ "format" : "x" }\n',
    ]);
  });
});
