// Generates the documentation of the control API from its operations: the OpenAPI document, the table in the reference
// and the JSON schema of seed files. The texts come from the doc comments of `Sandbox`, so that no page or worker loads them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Value } from '../packages/mock/src/domain/value.ts';
import { readComments, type Comments } from './control-comments.ts';
import { describeOperation, firstSentence, type Named } from './control-operations.ts';
import { annotate, hoist, type Json, type Schema, shareSchemas } from './control-schemas.ts';

const root = join(import.meta.dirname, '..');
const mock = join(root, 'packages/mock');
const [START, END] = ['<!-- generated: operations -->\n', '<!-- end: operations -->'];

/** Generates the documentation of the control API. Imports its code late, because that imports generated files. */
export async function generateControl(): Promise<Map<string, string>> {
  const { controlGroups } = await import('../packages/mock/src/control/http/routes.ts');
  const operations = Object.entries(controlGroups).flatMap(([group, members]) =>
    Object.entries(members).map(([name, operation]) => ({ group, name, operation })),
  );
  const comments = readComments(mock);
  const document = shareSchemas(await createDocument(operations, comments));
  const page = join(mock, 'docs/control-api.md');
  return new Map([
    [join(mock, 'sandbox.openapi.json'), `${JSON.stringify(document, null, 1)}\n`],
    [page, await insertTable(page, operations, comments)],
    [
      join(mock, 'service.sandbox.schema.json'),
      `${JSON.stringify(await createSeedSchema(comments), null, 1)}\n`,
    ],
  ]);
}

const info = {
  title: 'Control API of the payments sandbox',
  version: 'v1',
  summary: 'Controls a running sandbox: clock, accounts, payments, faults, webhooks, requests and state.',
  description: `The operations of \`mock.sandbox\` over HTTP.

A sandbox on a loopback address needs no token. It rejects requests with a \`Host\` or \`Origin\` of another machine. On any
other address, every request except \`GET /health\` and \`GET /ready\` needs the token that the sandbox showed at its start.
With self-service, it needs the token on every address, or for operations on an account the API key of the account.
A bearer token that is the API key of an account limits the request to that account.`,
  license: { name: 'MIT', identifier: 'MIT' },
};

const servers = [
  {
    url: '{origin}/_sandbox',
    description: 'A sandbox on this machine.',
    variables: { origin: { default: 'http://localhost:4010' } },
  },
];

/** Creates the JSON schema of seed files, for editors. */
async function createSeedSchema(comments: Comments): Promise<Json> {
  const { seedFields } = await import('../packages/mock/src/seed/seed.ts');
  const { record } = await import('../packages/mock/src/seed/check.ts');
  const $defs: Record<string, Json> = {};
  const type = comments.exported('SandboxSeed');
  const annotated = allowVariables(annotate(record(seedFields).json as Schema, type));
  const schema = hoist(annotated, $defs, '#/$defs');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Seed file of a payments sandbox',
    ...schema,
    $defs,
  };
}

/** Accepts references to environment variables in texts with a pattern, such as `${SHOP_KEY}`. */
function allowVariables(schema: Schema): Schema {
  const allow = (name: string, value: unknown): unknown =>
    name === 'pattern' ? `${String(value)}|\\$\\{\\w+\\}` : value;
  return JSON.parse(JSON.stringify(schema, allow)) as Schema;
}

/** Creates the OpenAPI 3.1 document. */
async function createDocument(operations: readonly Named[], comments: Comments): Promise<Json> {
  const { controlErrorCodes } = await import('../packages/mock/src/control/http/control-error.ts');
  const { listFields, takesQuery } = await import('../packages/mock/src/control/http/read-input.ts');
  const { isSelfService } = await import('../packages/mock/src/control/http/self-service.ts');
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const named of operations) {
    const { method, path } = named.operation;
    const fields = Object.entries(listFields(named.operation)) as [string, Value][];
    const item = (paths[path] ??= {});
    item[method.toLowerCase()] = hoist(
      describeOperation(named, {
        comments,
        fields,
        isQuery: takesQuery(named.operation),
        takesKey: isSelfService(named.operation),
      }),
      schemas,
    );
  }
  const error = {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: { type: 'string', enum: controlErrorCodes },
          message: {
            type: 'string',
            description: 'The problem, the name of the field and the allowed values.',
          },
        },
        required: ['code', 'message'],
      },
    },
    required: ['error'],
  };
  const description =
    'The request was rejected or failed. Nothing has changed, except possibly after the code `unavailable`.';
  const tags = [...new Set(operations.map(({ group }) => group))];
  return {
    openapi: '3.1.0',
    info,
    servers,
    security: [{}, { token: [] }],
    tags: tags.map((name) => ({ name, description: comments.group(name) })),
    paths,
    components: {
      schemas: { ...schemas, Error: error },
      responses: { Error: { description, content: json({ $ref: '#/components/schemas/Error' }) } },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        accountKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'The API key of an account. With self-service, and in `Authorization: Bearer` also without a token, the operation is limited to the account. Beside another credential it selects the account of an operation on one account.',
        },
      },
    },
  };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

async function insertTable(page: string, operations: readonly Named[], comments: Comments): Promise<string> {
  const { isSelfService } = await import('../packages/mock/src/control/http/self-service.ts');
  const text = await readFile(page, 'utf8');
  const rows = operations.map(({ group, name, operation }) => {
    const { method, path } = operation;
    const call =
      group === 'server' || group === 'views' ? '' : `\`${group === 'state' ? '' : `${group}.`}${name}\``;
    const key = isSelfService(operation) ? 'yes' : '';
    return `| ${method} \`${path}\` | ${call} | ${firstSentence(comments.call(group, name).text)} | ${key} |\n`;
  });
  const table = `\n| request | \`mock.sandbox\` | effect | account key |\n| --- | --- | --- | --- |\n${rows.join('')}\n`;
  const [before = '', rest = ''] = text.split(START);
  const after = rest.slice(rest.indexOf(END));
  return format(`${before}${START}${table}${after}`, { ...(await resolveConfig(page)), filepath: page });
}
