// Generates the documentation of the control API from its operations: the OpenAPI document, the table in the reference
// and the JSON schema of seed files. The texts are the doc comments of `Sandbox`, and the schemas of bodies are the types of
// results, so that no page or worker loads them.
import { join } from 'node:path';
import { isSelfService } from '../packages/mock/src/control/http/access.ts';
import { controlErrorCodes } from '../packages/mock/src/control/http/control-error.ts';
import { controlGroups } from '../packages/mock/src/control/http/handler.ts';
import { takesQuery } from '../packages/mock/src/control/http/read-input.ts';
import type { Operation } from '../packages/mock/src/control/operation.ts';
import { faultTerms } from '../packages/mock/src/control/operations/faults.ts';
import { faultOptions } from '../packages/mock/src/domain/fault.ts';
import { settingSchemas } from '../packages/mock/src/domain/profile.ts';
import { anything, type Fields, type Schema as Value, strict } from '../packages/mock/src/domain/schema.ts';
import { seedFields } from '../packages/mock/src/seed/seed.ts';
import {
  annotate,
  type ControlTypes,
  describeMember,
  type Documented,
  overHttpOnly,
  readTypes,
  type Schema,
  type TypedOperation,
} from './control-types.ts';
import { replacePart } from './generate-profiles.ts';
import { toJson } from './json-schema.ts';

const root = join(import.meta.dirname, '..');
const mock = join(root, 'packages/mock');

/** A JSON object. */
type Json = Record<string, unknown>;

/** An operation with its place in `mock.sandbox`. */
interface Named {
  readonly group: string;
  readonly name: string;
  readonly operation: Operation;
}

/** Generates the documentation of the control API. */
export async function generateControl(): Promise<Map<string, string>> {
  const operations = Object.entries(controlGroups).flatMap(([group, members]) =>
    Object.entries(members).map(([name, operation]) => ({ group, name, operation })),
  );
  // A response can have further settings.
  const { additionalProperties: _, ...profile } = toJson(strict(settingSchemas));
  const types = readTypes(mock, {
    NamedProfile: profile,
    Snapshot: toJson(controlGroups['state']?.['restore']?.input ?? anything),
  });
  const document = shareSchemas(createDocument(operations, types));
  const seed = createSeedSchema(toJson(strict(seedFields)), types);
  return new Map([
    [join(mock, 'sandbox.openapi.json'), `${JSON.stringify(document, null, 1)}\n`],
    await replacePart('packages/mock/docs/control-api.md', 'operations', formatOperations(operations, types)),
    [join(mock, 'service.sandbox.schema.json'), `${JSON.stringify(seed, null, 1)}\n`],
  ]);
}

const info = {
  title: 'Control API of the payments sandbox',
  version: 'v1',
  summary: 'Controls a running sandbox: clock, accounts, payments, faults, webhooks, requests and state.',
  description: `The operations of \`mock.sandbox\` over HTTP.

A sandbox on a loopback address needs no token. It rejects requests with a \`Host\` or \`Origin\` of another machine. On any
other address, every request except \`GET /health\` needs the token that the sandbox showed at its start.
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
function createSeedSchema(fields: Schema, types: ControlTypes): Json {
  // Texts with a pattern can be references to environment variables, such as `${SERVICE_SEED_KEY}`.
  const allow = (name: string, value: unknown): unknown =>
    name === 'pattern' ? `${String(value)}|\\$\\{\\w+\\}` : value;
  const annotated = JSON.parse(
    JSON.stringify(annotate(fields, types.exported('SandboxSeed')), allow),
  ) as Schema;
  const $defs: Record<string, Json> = {};
  const schema = hoist(annotated, $defs, '#/$defs');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Seed file of a payments sandbox',
    ...schema,
    $defs,
  };
}

/** Creates the OpenAPI 3.1 document. */
function createDocument(operations: readonly Named[], types: ControlTypes): Json {
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const named of operations) {
    const { method, path } = named.operation;
    const item = (paths[path] ??= {});
    item[method.toLowerCase()] = hoist(describeOperation(named, types), schemas);
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
    tags: tags.map((name) => ({ name, description: types.group(name) })),
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

/** Returns the fields that an operation has over HTTP: a function has no JSON schema. */
function listFields({ input }: Operation): Fields {
  return Object.fromEntries(
    Object.entries(input.fields).filter(([, value]) => Object.keys(value.json).length > 0),
  );
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** Returns the lists of the operations: those of the sandbox, and those of an account. */
function formatOperations(operations: readonly Named[], types: ControlTypes): string {
  const format = ({ group, name, operation }: Named): string => {
    const { id, method, path } = operation;
    const call = overHttpOnly.includes(group) ? '' : ` \`${group === 'state' ? '' : `${group}.`}${name}\``;
    return `- ${method} \`${path}\`${call}: ${firstSentence(types.operation(group, name, id).text)}\n`;
  };
  const ofAccount = operations.filter(({ operation }) => isSelfService(operation));
  const others = operations.filter((each) => !ofAccount.includes(each));
  return `Of the whole sandbox:\n\n${others.map(format).join('')}\nOf an account:\n\n${ofAccount.map(format).join('')}`;
}

/** The command groups that do not have the singular of the name of the group. */
const commandGroups: Readonly<Record<string, string>> = {
  server: '',
  state: '',
  webhooks: 'deliveries',
  faults: 'faults',
  requests: 'requests',
};

/** Describes an operation for the OpenAPI document. */
function describeOperation({ group, name, operation }: Named, types: ControlTypes): Json {
  const { id, isOpen, cli } = operation;
  const typed = types.operation(group, name, id);
  const { text, body } = typed;
  if (text === '') throw new Error(`${group}.${name} has no doc comment.`);
  const { status = body === undefined ? 204 : 200 } = operation;
  const { command = defaultCommand(group, name), ...options } =
    cli === undefined || cli === 'none' ? {} : cli;
  return {
    operationId: id,
    tags: [group],
    summary: firstSentence(text),
    description: text,
    ...(isOpen && { security: [] }),
    ...(isSelfService(operation) && { security: [{}, { token: [] }, { accountKey: [] }] }),
    ...describeInput(operation, typed),
    responses: {
      [status]:
        body === undefined ? { description: 'Done.' } : { description: 'The result.', content: json(body) },
      '4XX': { $ref: '#/components/responses/Error' },
      '500': { $ref: '#/components/responses/Error' },
    },
    ...(cli !== 'none' && { 'x-cli': { command, ...options } }),
  };
}

/** Splits the fields of an operation into path, query and body. */
function describeInput(operation: Operation, { input, example }: TypedOperation): Json {
  const { id, path } = operation;
  const isQuery = takesQuery(operation);
  const inPath = new Set(Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter));
  const described = Object.entries(listFields(operation)).map(([field, value]) => {
    const schema = describeField(field, value, input);
    const isRequired = inPath.has(field) || value.inner === undefined;
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
    ...(id === 'injectFault' && { oneOf: describeFaults(inBody.map(({ field }) => field)) }),
  };
  const content = { 'application/json': { schema, ...(isComplete && { example: sample }) } };
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(inBody.length > 0 && { requestBody: { required: required.length > 0, content } }),
  };
}

/** Describes the forms of a fault, one for each kind: its required fields, and those of other kinds. Requests are the default target. */
function describeFaults(all: readonly string[]): Json[] {
  return (['request', 'delivery'] as const).flatMap((target) =>
    Object.entries(faultOptions[target]).map(([kind, options]) => {
      const fields: Fields = { ...options, ...faultTerms[target] };
      const foreign = all.filter((field) => !(field in fields) && field !== 'kind' && field !== 'target');
      const needed = Object.keys(fields).filter((field) => fields[field]?.inner === undefined);
      return {
        description: `The form with kind \`${kind}\` and target \`${target}\`.`,
        properties: {
          kind: { const: kind },
          target: { const: target },
          ...Object.fromEntries(foreign.map((field) => [field, false])),
        },
        required: ['kind', ...(target === 'delivery' ? ['target'] : []), ...needed],
      };
    }),
  );
}

function describeField(name: string, value: Value, input: Documented | undefined): Schema {
  const member = input?.property(name);
  const own = `${value.expected[0]?.toUpperCase()}${value.expected.slice(1)}.`;
  return { ...annotate(toJson(value), member), description: describeMember(member, own) };
}

function defaultCommand(group: string, name: string): string {
  return `${commandGroups[group] ?? toKebab(group).replace(/s$/, '')} ${toKebab(name)}`.trim();
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the first sentence of a doc comment, without its end. */
function firstSentence(text: string): string {
  return /^.*?(?=[.:;](?:\s|$)|$)/.exec(text)?.[0] ?? text;
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

/** Schemas shorter than this stay where they are. */
const MIN_SHARED_LENGTH = 300;

/** The keywords between a property and the schemas of its values. */
const structural = /^(?:anyOf|allOf|items|additionalProperties|properties|not|schema)$/;

/** Moves each schema that a document has more than once to its components, so that it has each schema once. */
function shareSchemas(document: Json): Json {
  const counts = new Map<string, number>();
  // A field can have the name `type`, too.
  const isSchema = (node: Json): boolean =>
    typeof node.type === 'string' || Array.isArray(node.type) || Array.isArray(node.anyOf);
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const text = JSON.stringify(node);
    if (isSchema(node as Json) && text.length >= MIN_SHARED_LENGTH) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
      if (counts.get(text) !== 1) return;
    }
    for (const child of Object.values(node)) walk(child);
  };
  walk(document);
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const names = new Map<string, string>(
    Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]),
  );
  const shared: Record<string, unknown> = {};
  const replace = (node: unknown, key = '', isComponent = false): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map((each) => replace(each, key));
    const text = JSON.stringify(node);
    const copy = (): object =>
      Object.fromEntries(
        Object.entries(node).map(([name, child]) => [
          name,
          replace(child, structural.test(name) ? key : name),
        ]),
      );
    if (isComponent || !((counts.get(text) ?? 0) > 1)) return copy();
    let name = names.get(text);
    if (name === undefined) {
      const base = key.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
      const taken = new Set(names.values());
      name = base;
      for (let index = 2; taken.has(name); index += 1) name = `${base}${index}`;
      names.set(text, name);
      shared[name] = copy();
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const own = Object.entries(schemas).map(([name, schema]) => [name, replace(schema, name, true)] as const);
  const { components, ...others } = document;
  const rest = replace(others) as Json;
  const all = { ...Object.fromEntries(own), ...shared };
  return {
    ...rest,
    components: { ...(replace({ ...(components as Json), schemas: {} }) as Json), schemas: all },
  };
}
