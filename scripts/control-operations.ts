// The operations of the control API as those of an OpenAPI document.
import type { Variant } from '../packages/mock/src/control/operation.ts';
import type { ControlOperation } from '../packages/mock/src/control/http/routes.ts';
import type { Value } from '../packages/mock/src/domain/value.ts';
import type { Comments, Documented } from './control-comments.ts';
import { annotate, annotateWrapped, describeMember, type Json, type Schema } from './control-schemas.ts';

/** An operation with its place in `mock.sandbox`. */
export interface Named {
  readonly group: string;
  readonly name: string;
  readonly operation: ControlOperation;
}

/** The command groups that do not have the singular of the name of the group. */
const commandGroups: Readonly<Record<string, string>> = {
  server: '',
  state: '',
  webhooks: 'deliveries',
  faults: 'faults',
  requests: 'requests',
};

/** The fields of an operation, and the texts of its documentation. */
interface OperationContext {
  readonly comments: Comments;
  readonly fields: readonly (readonly [name: string, value: Value])[];
  readonly isQuery: boolean;
  /** Whether the API key of an account is enough. */
  readonly takesKey: boolean;
}

/** Describes an operation for the OpenAPI document. */
export function describeOperation(named: Named, context: OperationContext): Json {
  const { group, name, operation } = named;
  const { id, output, isOpen, status = output === undefined ? 204 : 200, cli } = operation;
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
          : { description: 'The result.', content: { 'application/json': { schema } } },
      '4XX': { $ref: '#/components/responses/Error' },
      '500': { $ref: '#/components/responses/Error' },
    },
    ...(cli !== 'none' && { 'x-cli': { command, ...options } }),
  };
}

/** Splits the fields of an operation into path, query and body. */
function describeInput(
  { group, name, operation }: Named,
  { comments, fields, isQuery }: OperationContext,
): Json {
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

function defaultCommand(group: string, name: string): string {
  return `${commandGroups[group] ?? toKebab(group).replace(/s$/, '')} ${toKebab(name)}`.trim();
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function toWords(name: string): string {
  return toKebab(name).replaceAll('-', ' ');
}

/** Returns the first sentence of a doc comment, without its end. */
export function firstSentence(text: string): string {
  return /^.*?(?=[.:;](?:\s|$)|$)/.exec(text)?.[0] ?? text;
}

/** Turns `Creates an account` into `Create an account`. */
function toImperative(sentence: string): string {
  return sentence.replace(/^(\w+?)(?:(?<=ss|sh|ch|x)es|s)\b/, '$1');
}
