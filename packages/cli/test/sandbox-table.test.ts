// Holds the commands of `sandbox` to the document of the control: each operation has one, each field a place in it.
import document from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { type Field, readOperations, type Schema } from '../src/sandbox/operations.ts';
import { commandRows, groups } from '../src/sandbox/rows.ts';
import { runCli, testKey } from './support.ts';

const operations = readOperations();
const rowOf = (id: string) => commandRows.find((row) => row.id === id)!;

/** Writes a value that a schema takes, as a user writes it, and as it must arrive. */
function sample({ name, schema }: Pick<Field, 'name' | 'schema'>): [text: string, value: unknown] {
  const { anyOf, type = [], items = {} } = schema;
  const listed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (listed !== undefined) return [String(listed.at(-1)), listed.at(-1)];
  if (anyOf !== undefined) return sample({ name, schema: anyOf[0]! });
  if (type.includes('string')) return ['7.50', '7.50'];
  if (type === 'array') {
    const [text, value] = sample({ name, schema: items });
    return [`${text},${text}`, [value, value]];
  }
  return type === 'boolean' ? ['false', false] : ['7', 7];
}

/** Writes all entries of an object field. */
function sampleEntries({ properties, additionalProperties }: Schema): [texts: string[], value: object] {
  const inner = properties ?? { USD: additionalProperties as Schema };
  const samples = Object.entries(inner).map(([name, schema]) => [name, ...sample({ name, schema })] as const);
  const entries = samples.map(([name, , value]) => [name, value]);
  return [samples.map(([name, text]) => `${name}=${text}`), Object.fromEntries(entries) as object];
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type Written = { args: string[]; options: string[]; expected: Record<string, unknown> };

/** Writes the arguments of a command with every field given. */
function writeAll(id: string): Written {
  const { args = [], names = {} } = rowOf(id);
  const written: Written = { args: [], options: [], expected: {} };
  const { fields } = operations.find((operation) => operation.id === id)!;
  for (const field of [...fields].toSorted((a, b) => args.indexOf(a.name) - args.indexOf(b.name))) {
    const { name, schema } = field;
    const option = `--${names[name] ?? kebab(name)}`;
    if (name === 'key') written.expected.key = testKey;
    else if (name === 'secret') {
      written.options.push('--secret-file', '-');
      written.expected.secret = 'a signing secret';
    } else if (name === 'timeout') {
      written.options.push('--timeout', '2s');
      written.expected.timeout = 2_000;
    } else if (schema.type === 'object') {
      const [texts, value] = sampleEntries(schema);
      if (args.includes(name)) written.args.push(...texts);
      else written.options.push(...texts.flatMap((text) => [option, text]));
      written.expected[name] = value;
    } else {
      const [text, value] = sample(field);
      if (args.includes(name)) written.args.push(text);
      else written.options.push(option, text);
      written.expected[name] = value;
    }
  }
  return written;
}

const health = { status: 'ok', now: '', clock: 'manual', version: '0.0.0' };

/** Runs a command against a control that takes everything; returns the last request that it got, past its health. */
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
      });
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return { request: new Request('http://none'), body: '', ...last, paths };
}

describe('the commands of sandbox', () => {
  it('are one for each of the operations', () => {
    const described = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(described).toHaveLength(44);
    expect(commandRows).toHaveLength(44);
    expect(new Set(commandRows.map(({ id }) => id))).toEqual(new Set(described));
    expect(new Set(commandRows.map(({ words }) => words)).size).toBe(44);
  });

  it('stand in groups that are described', () => {
    const used = commandRows.map(({ words }) => words.split(' ')).filter(({ length }) => length === 2);
    expect(new Set(used.map(([group]) => group))).toEqual(new Set(Object.keys(groups)));
  });

  it('say whose account is meant wherever an operation is of one', () => {
    const takes = operations.filter(({ fields }) => fields.some(({ name }) => name === 'account'));
    expect(
      commandRows
        .filter(({ account }) => account !== undefined)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(takes.map(({ id }) => id).toSorted());
  });

  const typed = operations.filter(({ id }) => id !== 'restoreSnapshot');

  it.each(typed.map(({ id }) => [rowOf(id).words, id]))('%s sends every field of %s', async (words, id) => {
    const { method, path, fields } = operations.find((operation) => operation.id === id)!;
    const { args, options, expected } = writeAll(id);
    expect(Object.keys(expected).toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
    const { request, body } = await capture([...words.split(' '), ...args, ...options], 'a signing secret\n');
    if (id === 'getHealth') return;
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
  });

  it.each(typed.map(({ id }) => [rowOf(id).words, id]))(
    '%s needs no more than %s requires',
    async (words, id) => {
      const { fields } = operations.find((operation) => operation.id === id)!;
      const { args, options, expected } = writeAll(id);
      const given = fields.filter(({ isRequired, name }) => isRequired && !rowOf(id).args?.includes(name));
      const needed = given.flatMap(({ name }) => {
        const at = options.indexOf(`--${kebab(name)}`);
        return name === 'account' || at < 0 ? [] : options.slice(at, at + 2);
      });
      const { paths } = await capture([...words.split(' '), ...args, ...needed]);
      const isOfAccount = 'account' in expected || 'key' in expected;
      expect(paths.includes('/_sandbox/accounts/find')).toBe(isOfAccount);
    },
  );

  it('restore sends the bytes of a file as they are', async () => {
    const { request, body } = await capture(['restore', '-'], '{ "format" : "x" }\n');
    expect([request.method, new URL(request.url).pathname, body]).toEqual([
      'POST',
      '/_sandbox/restore',
      '{ "format" : "x" }\n',
    ]);
  });

  it.each(commandRows.map(({ words }) => words))('%s has an example in its help', async (words) => {
    const { code, stdout } = await runCli(['sandbox', ...words.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(String.raw`Example:\n  \$ service-cli sandbox ${words}`));
  });
});
