import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import source from '@service/contract/openapi.json' with { type: 'json' };
import control from '@service/mock/sandbox.openapi.json' with { type: 'json' };
import { currencies } from '../../mock/src/domain/money.ts';

interface Node {
  readonly [name: string]: unknown;
}

const root = join(import.meta.dirname, '../../..');
const portable = parse(
  readFileSync(join(root, 'packages/contract/openapi.portable.yaml'), 'utf8'),
) as typeof source;

function* walk(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node as Node;
  for (const part of Object.values(node)) yield* walk(part);
}

describe('openapi.portable.yaml', () => {
  const nodes = [...walk(portable)];

  it('is OpenAPI 3.0.3 without webhooks', () => {
    expect(portable.openapi).toBe('3.0.3');
    expect(portable).not.toHaveProperty('webhooks');
  });

  it('has no const, no list of types, no union and no sibling of a reference', () => {
    expect(nodes.filter((node) => 'const' in node)).toEqual([]);
    expect(nodes.filter(({ type }) => Array.isArray(type) || type === 'null')).toEqual([]);
    expect(nodes.filter((node) => 'anyOf' in node || 'oneOf' in node)).toEqual([]);
    expect(nodes.filter((node) => '$ref' in node && Object.keys(node).length > 1)).toEqual([]);
  });

  it('has the operations, parameters and response statuses of openapi.yaml', () => {
    const outline = ({ paths }: typeof source) =>
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.entries(item as Record<string, { operationId: string; responses: object }>).map(
          ([method, { operationId, responses }]) => [method, operationId, Object.keys(responses)],
        ),
      ]);
    expect(outline(portable)).toEqual(outline(source));
  });

  it('has no component that only the webhooks use', () => {
    expect(Object.keys(portable.components.schemas)).not.toContain('WebhookEvent');
    expect(Object.keys(portable.components.parameters)).not.toContain('Signature');
  });

  it('accepts additional fields in every object of a response, and only there', () => {
    const objects = Object.entries(portable.components.schemas).filter(([, { type }]) => type === 'object');
    const closed = objects.filter(([, schema]) => !('additionalProperties' in schema));
    expect(closed.map(([name]) => name)).toEqual(['QuoteRequest', 'PaymentRequest']);
    expect(nodes.filter((node) => 'properties' in node)).toHaveLength(objects.length);
  });
});

describe('the OpenAPI documents', () => {
  const documents = { 'openapi.yaml': source, 'openapi.portable.yaml': portable, 'control API': control };

  it.each(Object.entries(documents))(
    '%s has patterns that every regular expression engine reads',
    (_, document) => {
      const patterns = [...walk(document)].flatMap(({ pattern }) =>
        typeof pattern === 'string' ? [pattern] : [],
      );
      expect(patterns.length).toBeGreaterThan(5);
      expect(patterns.filter((pattern) => /\(\?[=!<]|\\p|\\u|\\k|\\[1-9]/.test(pattern))).toEqual([]);
    },
  );

  it.each(Object.entries(documents))(
    '%s describes no server variable, which swagger-parser refuses',
    (_, { servers }) => {
      expect(
        servers.flatMap(({ variables }) => Object.values(variables)).filter((each) => 'description' in each),
      ).toEqual([]);
    },
  );
});

describe('openapi.yaml', () => {
  const nodes = [...walk(source)];

  it('names the portable document in its first lines', () => {
    expect(readFileSync(join(root, 'openapi.yaml'), 'utf8').slice(0, 100)).toContain('openapi.portable.yaml');
  });

  it('has no closed list except the mode', () => {
    const closed = Object.entries(source.components.schemas).filter(([, schema]) => 'enum' in schema);
    expect(closed.map(([name]) => name)).toEqual(['Mode']);
  });

  it('has the format double for every decimal number, because Go clients round others', () => {
    const decimals = nodes.filter(({ type }) => [type].flat().includes('number'));
    expect(decimals.length).toBeGreaterThan(10);
    expect(decimals.filter(({ format }) => format !== 'double')).toEqual([]);
  });

  it('lists the currencies of the sandbox', () => {
    expect(source.components.schemas.Currency['x-decided'].enum).toEqual(currencies);
  });

  it('separates the operations of clients from the webhook by tag', () => {
    const tagsOf = (paths: object) => [...walk(paths)].flatMap(({ tags }) => (tags ?? []) as string[]);
    expect(tagsOf(source.webhooks)).toEqual(['Webhooks']);
    expect(tagsOf(source.paths)).not.toContain('Webhooks');
  });
});
