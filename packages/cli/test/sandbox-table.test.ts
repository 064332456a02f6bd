// Compares the requests of `sandbox` with the document of the control API.
import document from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { type Field, readDocument, type Schema, takesFile } from '../src/sandbox/document.ts';
import { runCli, testKey } from './support.ts';

const { operations: all, resolve } = readDocument(document)!;
const operations = all.flatMap(({ command, ...operation }) =>
  command === undefined ? [] : [{ ...operation, command }],
);

/** Returns a value of a schema, as words after the name and as JSON. */
function sample(given: Schema, name = ''): [words: string[], value: unknown] {
  const { anyOf, type = [], items = {}, enum: values, properties, additionalProperties } = resolve(given);
  if (values !== undefined) return [[`${name}=${String(values.at(-1))}`], values.at(-1)];
  if (anyOf?.some(({ pattern }) => pattern?.includes('ms|s|m'))) return [[`${name}=7s`], '7s'];
  if (anyOf !== undefined) return sample(anyOf[0]!, name);
  if (type.includes('string')) return [[`${name}={"a":7.50}`], '{"a":7.50}'];
  if (type === 'array') {
    if (resolve(items).properties !== undefined) return [[`${name}=[{"a":1}]`], [{ a: 1 }]];
    const [[text = ''], value] = sample(items);
    return [[`${name}${text},${text.slice(1)}`], [value, value]];
  }
  if (type === 'boolean') return [[`${name}=false`], false];
  if (type !== 'object') return [[`${name}=7`], 7];
  const inner = properties ?? { USD: (additionalProperties as Schema | undefined) ?? { type: 'number' } };
  const samples = Object.entries(inner).map(
    ([key, schema]) => [key, ...sample(schema, `${name}.${key}`)] as const,
  );
  const value = Object.fromEntries(samples.map(([key, , each]) => [key, each]));
  return [samples.flatMap(([, words]) => words), value];
}

/** Returns the words and options for fields, and the fields. */
function createInput(fields: readonly Field[]): { words: string[]; expected: Record<string, unknown> } {
  const words: string[] = [];
  const expected: Record<string, unknown> = {};
  for (const { name, schema } of fields) {
    if (name === 'key') expected.key = testKey;
    else if (name === 'secret') {
      words.push('--secret-file', '-');
      expected.secret = 'a signing secret';
    } else {
      const [given, value] = sample(schema, name);
      words.push(...given);
      expected[name] = value;
    }
  }
  return { words, expected };
}

/** Runs a command against a stub control API that accepts everything. Returns the last request after the document. */
async function capture(argv: string[], stdin = '') {
  const paths: string[] = [];
  let last = { request: new Request('http://none'), body: '' };
  const { code, stderr } = await runCli(['sandbox', ...argv], {
    env: { SERVICE_API_KEY: testKey },
    stdin,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      if (pathname === '/_sandbox/health') return Response.json({ status: 'ok', version: '0' });
      if (pathname === '/_sandbox/openapi.json') return Response.json(document);
      last = { request, body: await request.text() };
      const lists = 'accounts events deliveries faults requests rows wallets checks'.split(' ');
      return Response.json({
        id: 'acct_1',
        total: 0,
        ...Object.fromEntries(lists.map((name) => [name, []])),
      });
    },
  });
  expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: '' });
  return { ...last, paths };
}

describe('operations of sandbox', () => {
  const typed = operations.filter(
    (operation) => !takesFile(operation) && !['getDocument', 'getHealth'].includes(operation.id),
  );

  it('get every field of their document', async () => {
    for (const { command, method, path, fields } of typed) {
      const { words, expected } = createInput(fields);
      const { request, body } = await capture([...command.split(' '), ...words], 'a signing secret\n');
      const url = new URL(request.url);
      const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(expected[name])),
      );
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

  it('need only their required fields, and look up the account of the API key where one is needed', async () => {
    for (const { command, fields } of typed) {
      const required = fields.filter(({ isRequired, name }) => isRequired && name !== 'account');
      const { words } = createInput(required);
      const { paths } = await capture([...command.split(' '), ...words]);
      const account = fields.find(({ name }) => name === 'account');
      const hasKey = fields.some(({ name }) => name === 'key');
      expect([command, paths.includes('/_sandbox/accounts/find')]).toEqual([
        command,
        account !== undefined || hasKey,
      ]);
    }
  });

  it('send the unchanged bytes of a file with restore', async () => {
    for (const path of ['-', '@-']) {
      const { request, body } = await capture(['restore', path], '{ "format" : "x" }\n');
      expect(`${request.method} ${new URL(request.url).pathname}`).toBe('POST /_sandbox/restore');
      expect(body).toBe('{ "format" : "x" }\n');
    }
  });
});
