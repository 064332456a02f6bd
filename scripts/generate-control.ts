// Generates the documentation of the control API from its operations: the OpenAPI document, the table in the reference
// and the JSON schema of seed files. The texts come from the doc comments of `Sandbox`, so that no page or worker loads them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Variant } from '../packages/mock/src/control/operation.ts';
import type { ControlOperation } from '../packages/mock/src/control/http/routes.ts';
import type { JsonSchema, Value } from '../packages/mock/src/domain/value.ts';
import { readComments, type Comments, type Documented } from './control-comments.ts';

type Json = Record<string, unknown>;
type Schema = JsonSchema & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly title?: string;
};

/** An operation with its place in `mock.sandbox`. */
interface Named {
  readonly group: string;
  readonly name: string;
  readonly operation: ControlOperation;
}

const root = join(import.meta.dirname, '..');
const mock = join(root, 'packages/mock');
const [START, END] = ['<!-- generated: operations -->\n', '<!-- end: operations -->'];

/** The command groups that do not have the singular of the name of the group. */
const commandGroups: Readonly<Record<string, string>> = {
  server: '',
  state: '',
  webhooks: 'deliveries',
  faults: 'faults',
  requests: 'requests',
};

/** Generates the documentation of the control API. Imports its code late, because that imports generated files. */
export async function generateControl(): Promise<Map<string, string>> {
  const { controlGroups } = await import('../packages/mock/src/control/http/routes.ts');
  const operations = Object.entries(controlGroups).flatMap(([group, members]) =>
    Object.entries(members).map(([name, operation]) => ({ group, name, operation })),
  );
  const comments = readComments(mock);
  const document = await createDocument(operations, comments);
  const page = join(mock, 'docs/control-api.md');
  return new Map([
    [join(mock, 'sandbox.openapi.json'), `${JSON.stringify(document, null, 2)}\n`],
    [page, await insertTable(page, operations, comments)],
    [
      join(mock, 'service.sandbox.schema.json'),
      `${JSON.stringify(await createSeedSchema(comments), null, 2)}\n`,
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
With self-service, it needs the token on every address, or for operations on an account the API key of the account.`,
  license: { name: 'MIT', identifier: 'MIT' },
};

const servers = [
  {
    url: '{origin}/_sandbox',
    description: 'A sandbox on this machine.',
    variables: { origin: { default: 'http://localhost:4010', description: 'The origin of the sandbox.' } },
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
            'The API key of an account, with self-service. The operation is limited to the account. `Authorization: Bearer` can contain it, too.',
        },
      },
    },
  };
}

interface Context {
  readonly comments: Comments;
  readonly fields: readonly (readonly [name: string, value: Value])[];
  readonly isQuery: boolean;
  /** Whether the API key of an account is enough. */
  readonly takesKey: boolean;
}

function describeOperation(named: Named, context: Context): Json {
  const { group, name, operation } = named;
  const { id, output, isOpen, status = output === undefined ? 204 : 200, cli, mediaType } = operation;
  const { text, result } = context.comments.call(group, name);
  const body = { ...output?.json } as Schema;
  const schema = output?.toBody === undefined ? annotate(body, result) : annotateWrapped(body, result);
  const { command = defaultCommand(group, name), ...options } =
    cli === undefined || cli === 'none' ? {} : cli;
  return {
    operationId: id,
    tags: [group],
    summary: toImperative(firstSentence(text)),
    description: text,
    ...(isOpen && { security: [] }),
    ...(context.takesKey && { security: [{}, { token: [] }, { accountKey: [] }] }),
    ...describeInput(named, context),
    responses: {
      [status]:
        output === undefined
          ? { description: 'Done.' }
          : { description: 'The result.', content: { [mediaType ?? 'application/json']: { schema } } },
      '4XX': { $ref: '#/components/responses/Error' },
      '500': { $ref: '#/components/responses/Error' },
    },
    ...(cli !== 'none' && { 'x-cli': { command, ...options } }),
  };
}

/** Splits the fields of an operation into path, query and body. */
function describeInput({ group, name, operation }: Named, { comments, fields, isQuery }: Context): Json {
  const { input } = comments.call(group, name);
  const { example = {}, variants } = operation;
  const inPath = new Set(
    Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter),
  );
  const described = fields.map(([field, value]) => {
    const schema = describeField(field, value, input);
    const isRequired = inPath.has(field) || !value.isOptional;
    return { field, schema, isRequired, sample: example[field] ?? schema.examples?.[0] ?? schema.enum?.[0] };
  });
  const isParameter = (field: string): boolean => inPath.has(field) || isQuery;
  const parameters = described
    .filter(({ field }) => isParameter(field))
    .map(({ field, schema: { description, ...schema }, isRequired }) => ({
      name: field,
      in: inPath.has(field) ? 'path' : 'query',
      required: isRequired,
      description,
      schema,
      ...(field in example && { example: example[field] }),
    }));
  const inBody = described.filter(({ field }) => !isParameter(field));
  const required = inBody.filter(({ isRequired }) => isRequired).map(({ field }) => field);
  const shown = inBody.filter(({ field, isRequired }) => isRequired || field in example);
  const sample = Object.fromEntries(shown.map((each) => [each.field, each.sample]));
  const isComplete = shown.length > 0 && shown.every((each) => each.sample !== undefined);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(inBody.map((each) => [each.field, each.schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(variants !== undefined && { oneOf: variants.map((variant) => describeVariant(variant, inBody)) }),
  };
  const content = { 'application/json': { schema, ...(isComplete && { example: sample }) } };
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(inBody.length > 0 && { requestBody: { required: required.length > 0, content } }),
  };
}

/** Describes one form of a body: its constants, its required fields, and the fields that only other forms have. */
function describeVariant(
  { constants, required, fields }: Variant,
  all: readonly { readonly field: string }[],
): Json {
  const foreign = all
    .map(({ field }) => field)
    .filter((field) => !(field in fields) && !(field in constants));
  const needed = Object.keys(fields).filter((field) => !fields[field]?.isOptional);
  return {
    description: `The form with ${Object.entries(constants)
      .map(([name, value]) => `${name} \`${value}\``)
      .join(' and ')}.`,
    properties: {
      ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, { const: value }])),
      ...Object.fromEntries(foreign.map((field) => [field, false])),
    },
    required: [...required, ...needed],
  };
}

function describeField(
  name: string,
  { json: schema, expected }: Value,
  input: Documented | undefined,
): Schema {
  const member = input?.property(name);
  const own =
    schema?.enum === undefined
      ? `${expected[0]?.toUpperCase()}${expected.slice(1)}.`
      : `The ${toWords(name)}.`;
  return { ...annotate(schema as Schema, member), description: describeMember(member, own) };
}

/** Returns the doc comment of a property with its default. `own` replaces an absent comment. */
function describeMember(member: Documented | undefined, own: string): string {
  const { text = '', fallback } = member?.doc ?? {};
  const shown = text === '' ? own : text;
  if (fallback === undefined) return shown;
  return `${shown.replace(/[^.]$/, '$&.')} Default: ${fallback}.`.trim();
}

/** Adds the doc comments of a type to the properties of a schema. */
function annotate(schema: Schema, type: Documented | undefined): Schema {
  if (type === undefined) return schema;
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => {
          const member = type.property(name);
          const text = describeMember(member, each.description ?? '');
          return [name, { ...annotate(each, member), ...(text !== '' && { description: text }) }];
        }),
      ),
    }),
    ...(items !== undefined && { items: annotate(items, type.item()) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((each) => annotate(each, type)) }),
  };
}

/** Adds doc comments to a body that contains the result in one of its fields. */
function annotateWrapped({ properties = {}, ...schema }: Schema, result: Documented | undefined): Schema {
  const annotated = Object.entries(properties).map(([name, each]) => [name, annotate(each, result)] as const);
  return { ...schema, properties: Object.fromEntries(annotated) };
}

/** Moves the schemas with a title to the components of the document, or to another place. */
function hoist(node: unknown, schemas: Record<string, Json>, place = '#/components/schemas'): Json {
  if (Array.isArray(node)) return node.map((each) => hoist(each, schemas, place)) as never;
  if (typeof node !== 'object' || node === null) return node as never;
  const { title, ...rest }: Json = Object.fromEntries(
    Object.entries(node).map(([name, each]) => [name, hoist(each, schemas, place)]),
  );
  if (typeof title !== 'string') return title === undefined ? rest : { title, ...rest };
  const { description, ...schema } = rest;
  schemas[title] ??= schema;
  return { $ref: `${place}/${title}`, ...(description !== undefined && { description }) };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function defaultCommand(group: string, name: string): string {
  return `${commandGroups[group] ?? toKebab(group).replace(/s$/, '')} ${toKebab(name)}`.trim();
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function toWords(name: string): string {
  return toKebab(name).replaceAll('-', ' ');
}

function firstSentence(text: string): string {
  return /^.*?(?=[.:;](?:\s|$)|$)/.exec(text)?.[0] ?? text;
}

/** Turns `Creates an account` into `Create an account`. */
function toImperative(sentence: string): string {
  return sentence.replace(/^(\w+?)(?:(?<=ss|sh|ch|x)es|s)\b/, '$1');
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
