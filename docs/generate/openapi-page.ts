// Pages of an OpenAPI document.
import { toAnchor } from '../.vitepress/pages.ts';
import { escapeText, formatBlock, formatCode, formatTable } from './markdown.ts';
import {
  type Content,
  listSettings,
  type OpenApi,
  type Operation,
  type Parameter,
  resolve,
  type Response,
  type Route,
  type Schema,
} from './openapi.ts';

/** Formats an operation below a heading of the third level. */
export function formatOperation({ method, path, operation }: Route, document: OpenApi): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  const facts = [
    path === undefined
      ? `${formatCode(method)} to the endpoint of the account`
      : formatCode(`${method} ${path}`),
    formatCode(operationId),
  ];
  const resolved = parameters.map((each) => resolve<Parameter>(document, each));
  const bodies = Object.values(requestBody?.content ?? {});
  return [
    `### ${summary}\n\n${facts.join(' · ')}\n\n${escapeText(description)}\n\n`,
    formatSettings(listSettings(operation)),
    ...(resolved.length === 0 ? [] : [`#### Parameters\n\n`, formatParameters(resolved, document)]),
    ...bodies.map((content) => formatBody(content, document)),
    `#### Responses\n\n`,
    formatResponses(responses, document),
  ].join('');
}

function formatSettings(settings: readonly string[]): string {
  if (settings.length === 0) return '';
  return `The service's document leaves open: ${settings.map(linkSetting).join(', ')}.\n\n`;
}

/** Links to the page of the profile settings. */
function linkSetting(name: string): string {
  return `[${formatCode(name)}](/mock/profiles)`;
}

function formatParameters(parameters: readonly Parameter[], document: OpenApi): string {
  return formatTable(
    ['name', 'in', 'type', 'meaning'],
    parameters.map((parameter) => [
      formatName(parameter.name, parameter.required === true),
      parameter.in,
      formatType(parameter.schema, document),
      describeNode(parameter, parameter.schema),
    ]),
  );
}

function formatBody({ schema = {}, example }: Content, document: OpenApi): string {
  const { name } = readRef(schema);
  const shown = example ?? resolve<Schema>(document, schema).example;
  return [
    `#### Body\n\n`,
    name === undefined ? formatFields(schema, document) : `${formatType(schema, document)}\n\n`,
    shown === undefined ? '' : formatBlock('json', JSON.stringify(shown, null, 2)),
  ].join('');
}

function formatResponses(responses: Operation['responses'], document: OpenApi): string {
  const list = Object.entries(responses).map(([status, node]) => ({
    status,
    response: resolve<Response>(document, node),
  }));
  const table = formatTable(
    ['status', 'meaning', 'body', 'headers'],
    list.map(({ status, response: { description, content = {}, headers = {} } }) => [
      status === 'default' ? 'other' : status,
      escapeText(description),
      Object.entries(content)
        .map(([type, { schema = {} }]) =>
          type === 'application/json' ? summarizeType(schema, document) : formatCode(type),
        )
        .join(', '),
      Object.keys(headers).map(formatCode).join(', '),
    ]),
  );
  const inline = list.flatMap(({ response: { content = {} } }) =>
    Object.values(content).filter(({ schema = {} }) => hasFields(schema)),
  );
  const [first] = list;
  const success = first?.response.content?.['application/json'];
  const example = success?.example ?? (success?.schema && resolve<Schema>(document, success.schema).example);
  return [
    table,
    ...inline.map(({ schema = {} }) => formatFields(schema, document)),
    example === undefined ? '' : formatBlock('json', JSON.stringify(example, null, 2)),
  ].join('');
}

const hasFields = ({ properties }: Schema): boolean => Object.keys(properties ?? {}).length > 0;

const summarizeType = (schema: Schema, document: OpenApi): string =>
  hasFields(schema) ? 'object' : formatType(schema, document);

/** Formats a component schema below a heading of the third level. */
export function formatSchema(name: string, schema: Schema, document: OpenApi): string {
  const { description = '', properties } = schema;
  const isList = properties !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined;
  return [
    `### ${name}\n\n`,
    description === '' ? '' : `${escapeText(description)}\n\n`,
    isList ? formatFields(schema, document) : `${formatType(schema, document)}\n\n`,
    formatSettings(listSettings(schema)),
    schema.example === undefined || properties === undefined
      ? ''
      : formatBlock('json', JSON.stringify(schema.example, null, 2)),
  ].join('');
}

/** Formats the fields of an object as a table. Fields of inner objects have a dot in their name. */
function formatFields(schema: Schema, document: OpenApi): string {
  const rows = listFields(schema, '', document);
  if (rows.length === 0) return `${formatType(schema, document)}\n\n`;
  return formatTable(['field', 'type', 'meaning'], rows);
}

function listFields(schema: Schema, prefix: string, document: OpenApi): string[][] {
  const { properties = {}, required = [], allOf = [], items, anyOf = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) => {
    if (field === false) return [];
    const full = `${prefix}${name}`;
    const isOpen = field.$ref === undefined;
    return [
      [formatName(full, required.includes(name)), summarizeType(field, document), describeNode(field, field)],
      ...(isOpen ? listFields(field, `${full}.`, document) : []),
      ...(isOpen && field.items !== undefined && field.items.$ref === undefined
        ? listFields(field.items, `${full}[].`, document)
        : []),
    ];
  });
  const inner = prefix === '' && items !== undefined ? listFields(items, '[].', document) : [];
  const parts = [...allOf, ...anyOf].filter((part) => part.$ref === undefined);
  return [...own, ...inner, ...parts.flatMap((part) => listFields(part, prefix, document))];
}

function formatName(name: string, isRequired: boolean): string {
  return isRequired ? `${formatCode(name)} (required)` : formatCode(name);
}

function describeNode(
  node: { readonly description?: string; readonly 'x-unspecified'?: string | readonly string[] },
  schema: Schema,
): string {
  const settings = listSettings(node);
  const { default: fallback } = schema;
  return [
    escapeText(node.description ?? ''),
    ...(fallback === undefined ? [] : [`Default: ${formatCode(fallback)}.`]),
    ...(settings.length === 0 ? [] : [`Settings: ${settings.map(linkSetting).join(', ')}.`]),
  ].join(' ');
}

function readRef({ $ref }: Schema): { readonly name?: string } {
  return $ref === undefined ? {} : { name: $ref.replace('#/components/schemas/', '') };
}

/** Formats the type of a value with its limits. */
function formatType(schema: Schema, document: OpenApi): string {
  const { name } = readRef(schema);
  if (name !== undefined) return `[${name}](#${toAnchor(name)})`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && schema.properties === undefined)
    return [...new Set(choices.map((choice) => summarizeType(choice, document)))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map((part) => formatType(part, document)).join(' and ');
  if ('const' in schema) return formatCode(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map(formatCode).join(', ');
  const known = schema['x-extensible-enum'];
  if (known !== undefined) return `string, such as ${known.map(formatCode).join(', ')}`;
  const types = [schema.type ?? 'any'].flat();
  const base = types
    .map((type) => (type === 'array' ? `list of ${summarizeType(schema.items ?? {}, document)}` : type))
    .join(' or ');
  return [base, ...listLimits(schema)].join(', ');
}

function listLimits(schema: Schema): string[] {
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength, pattern, format } = schema;
  return [
    ...(format === undefined || format === 'double' ? [] : [format]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`at most ${maximum}`]),
    ...(minLength === undefined || maxLength !== undefined ? [] : [`${minLength} or more characters`]),
    ...(maxLength === undefined ? [] : [`${minLength ?? 0} to ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [formatCode(pattern)]),
  ];
}
