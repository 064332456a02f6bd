import * as z from 'zod/mini';
import { requestView } from './request-shapes.ts';
import type { ControlOperation } from './operation.ts';
import { profile } from './profile-fields.ts';
import { takesQuery } from './read-input.ts';
import { controlErrorCodes } from './control-error.ts';
import { account, accountSummary, clock, delivery, fault, issuedSecret, payment } from './shapes.ts';
import { snapshot } from './snapshot-shape.ts';
import { CONTROL_PATH, controlOperations } from './table.ts';

interface Json {
  readonly [name: string]: unknown;
}
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

const error = z.object({ error: z.object({ code: z.literal([...controlErrorCodes]), message: z.string() }) });

/** The named schemas of the document. */
const shapes: Readonly<Record<string, z.ZodMiniType>> = {
  Account: account,
  AccountSummary: accountSummary,
  Clock: clock,
  Delivery: delivery,
  Fault: fault,
  IssuedSecret: issuedSecret,
  RequestView: requestView,
  Payment: payment,
  Profile: profile,
  Error: error,
  Snapshot: snapshot,
};

const info = {
  title: 'Control API of the payments sandbox',
  version: 'v1',
  summary: 'Controls a running sandbox: clock, accounts, payments, faults, webhooks, requests and state.',
  description: `The operations of \`mock.sandbox\` over HTTP.

A sandbox on a loopback address needs no token. It rejects requests with a \`Host\` or \`Origin\` of another machine. On any
other address, every request except \`GET /health\` needs the token that the sandbox showed at its start.`,
  license: { name: 'MIT', identifier: 'MIT' },
};

const servers = [
  {
    url: `{origin}${CONTROL_PATH}`,
    description: 'A sandbox on this machine.',
    variables: { origin: { default: 'http://localhost:4010', description: 'The origin of the sandbox.' } },
  },
];

/** Creates the OpenAPI 3.1 document of the control API from the table of its operations. */
export function describeControl(): Json {
  const schemaOf = createSchemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of controlOperations) {
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = describeOperation(operation, schemaOf);
  }
  const named = Object.entries(shapes).map(([name, shape]) => [name, schemaOf(shape)]);
  const description = 'The request was rejected or failed. Nothing has changed.';
  return {
    openapi: '3.1.0',
    info,
    servers,
    security: [{}, { token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(named),
      responses: { Error: { description, content: json({ $ref: schemaRef('Error') }) } },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

type SchemaOf = (schema: z.ZodMiniType) => Json;

/** Converts all schemas together, so that they can refer to the named ones. */
function createSchemas(): SchemaOf {
  const ids = new Map(Object.entries(shapes).map(([name, shape]) => [shape, name]));
  for (const { id, input, output } of controlOperations) {
    if (!ids.has(input)) ids.set(input, `${id}.input`);
    if (output !== undefined && !ids.has(output)) ids.set(output, `${id}.output`);
  }
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of ids) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: schemaRef,
    io: 'input',
    // The option of a fault is a custom check with its JSON Schema as metadata.
    unrepresentable: 'any',
    override: dropSafeIntegers,
  });
  return (schema) => {
    const { $id: _, $schema: __, ...rest } = schemas[ids.get(schema) ?? ''] ?? {};
    return rest;
  };
}

function schemaRef(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Removes the bounds of safe integers, which every whole number would have. */
function dropSafeIntegers({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function describeOperation(operation: ControlOperation, schemaOf: SchemaOf): Json {
  const { id, summary, output, status, isOpen = false } = operation;
  const success = status ?? (output === undefined ? 204 : 200);
  const done = { description: output === undefined ? 'Done.' : 'The result.' };
  const content = output === undefined ? {} : { content: json(describeOutput(output, schemaOf)) };
  return {
    operationId: id,
    summary,
    ...(isOpen && { security: [] }),
    ...describeInput(operation, schemaOf(operation.input)),
    responses: {
      [success]: { ...done, ...content },
      '4XX': { $ref: '#/components/responses/Error' },
      '500': { $ref: '#/components/responses/Error' },
    },
  };
}

function describeOutput(output: z.ZodMiniType, schemaOf: SchemaOf): Json {
  const named = Object.entries(shapes).find(([, shape]) => shape === output);
  return named === undefined ? schemaOf(output) : { $ref: schemaRef(named[0]) };
}

/** Splits the fields of an operation into path, query and body. */
function describeInput(operation: ControlOperation, input: ObjectSchema): Json {
  const { properties = {}, required = [] } = input;
  const inPath = Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const inQuery = takesQuery(operation) ? others : [];
  const toParameter = (place: string) => (name: string) =>
    describeParameter(name, properties[name] ?? {}, { in: place, required: required.includes(name) });
  const parameters = [...inPath.map(toParameter('path')), ...inQuery.map(toParameter('query'))];
  const inBody = takesQuery(operation) ? [] : others;
  const needed = required.filter((name) => inBody.includes(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(inBody.map((name) => [name, properties[name]])),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(inBody.length > 0 && { requestBody: { required: needed.length > 0, content: json(schema) } }),
  };
}

function describeParameter(name: string, { description, ...schema }: Json, place: Json): Json {
  return { name, ...place, ...(description !== undefined && { description }), schema };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}
