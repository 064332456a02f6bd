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

/** How the pages of a document refer to other pages. */
interface PageContext {
  readonly document: OpenApi;
  /** The address of the page with the schemas. Empty for the same page. */
  readonly schemaPage: string;
}

/** Formats an operation below a heading of the third level. */
export function formatOperation({ method, path, operation }: Route, context: PageContext): string {
  const { document } = context;
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  const command = operation['x-cli']?.command;
  const facts = [
    path === undefined
      ? `${formatCode(method)} to the endpoint of the account`
      : formatCode(`${method} ${path}`),
    formatCode(operationId),
    ...(command === undefined ? [] : [formatCode(`service-cli sandbox ${command}`)]),
  ];
  const resolved = parameters.map((each) => resolve<Parameter>(document, each));
  const bodies = Object.values(requestBody?.content ?? {});
  return [
    `### ${summary}\n\n${facts.join(' · ')}\n\n${escapeText(description)}\n\n`,
    formatSettings(listSettings(operation)),
    ...(resolved.length === 0 ? [] : [`#### Parameters\n\n`, formatParameters(resolved, context)]),
    ...bodies.map((content) => formatBody(content, context)),
    `#### Responses\n\n`,
    formatResponses(responses, context),
  ].join('');
}

function formatSettings(settings: readonly string[]): string {
  if (settings.length === 0) return '';
  return `The service's document leaves open: ${settings.map(linkSetting).join(', ')}.\n\n`;
}

/** Links to the section of a profile setting. */
function linkSetting(name: string): string {
  return `[${formatCode(name)}](/reference/profile#${toAnchor(name)})`;
}

function formatParameters(parameters: readonly Parameter[], context: PageContext): string {
  return formatTable(
    ['name', 'in', 'type', 'meaning'],
    parameters.map((parameter) => [
      formatName(parameter.name, parameter.required === true),
      parameter.in,
      formatType(parameter.schema, context),
      describeNode(parameter, parameter.schema),
    ]),
  );
}

function formatBody({ schema = {}, example }: Content, context: PageContext): string {
  const { name } = readRef(schema);
  const shown = example ?? resolve<Schema>(context.document, schema).example;
  return [
    `#### Body\n\n`,
    name === undefined ? formatFields(schema, context) : `${formatType(schema, context)}\n\n`,
    shown === undefined ? '' : formatBlock('json', JSON.stringify(shown, null, 2)),
  ].join('');
}

function formatResponses(responses: Operation['responses'], context: PageContext): string {
  const { document } = context;
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
          type === 'application/json' ? summarizeType(schema, context) : formatCode(type),
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
    ...inline.map(({ schema = {} }) => formatFields(schema, context)),
    example === undefined ? '' : formatBlock('json', JSON.stringify(example, null, 2)),
  ].join('');
}

const hasFields = ({ properties }: Schema): boolean => Object.keys(properties ?? {}).length > 0;

const summarizeType = (schema: Schema, context: PageContext): string =>
  hasFields(schema) ? 'object' : formatType(schema, context);

/** Formats a component schema below a heading of the third level. */
export function formatSchema(name: string, schema: Schema, context: PageContext): string {
  const { description = '', properties } = schema;
  const isList = properties !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined;
  return [
    `### ${name}\n\n`,
    description === '' ? '' : `${escapeText(description)}\n\n`,
    isList ? formatFields(schema, context) : `${formatType(schema, context)}\n\n`,
    formatSettings(listSettings(schema)),
    schema.example === undefined || properties === undefined
      ? ''
      : formatBlock('json', JSON.stringify(schema.example, null, 2)),
  ].join('');
}

/** Formats the fields of an object as a table. Fields of inner objects have a dot in their name. */
function formatFields(schema: Schema, context: PageContext): string {
  const rows = listFields(schema, '', context);
  if (rows.length === 0) return `${formatType(schema, context)}\n\n`;
  return formatTable(['field', 'type', 'meaning'], rows);
}

function listFields(schema: Schema, prefix: string, context: PageContext): string[][] {
  const { properties = {}, required = [], allOf = [], items, anyOf = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) => {
    if (field === false) return [];
    const full = `${prefix}${name}`;
    const isOpen = field.$ref === undefined;
    return [
      [formatName(full, required.includes(name)), summarizeType(field, context), describeNode(field, field)],
      ...(isOpen ? listFields(field, `${full}.`, context) : []),
      ...(isOpen && field.items !== undefined && field.items.$ref === undefined
        ? listFields(field.items, `${full}[].`, context)
        : []),
    ];
  });
  const inner = prefix === '' && items !== undefined ? listFields(items, '[].', context) : [];
  const parts = [...allOf, ...anyOf].filter((part) => part.$ref === undefined);
  return [...own, ...inner, ...parts.flatMap((part) => listFields(part, prefix, context))];
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
function formatType(schema: Schema, context: PageContext): string {
  const { name } = readRef(schema);
  if (name !== undefined) return `[${name}](${context.schemaPage}#${toAnchor(name)})`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && schema.properties === undefined)
    return [...new Set(choices.map((choice) => summarizeType(choice, context)))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map((part) => formatType(part, context)).join(' and ');
  if ('const' in schema) return formatCode(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map(formatCode).join(', ');
  const known = schema['x-extensible-enum'];
  if (known !== undefined) return `string, such as ${known.map(formatCode).join(', ')}`;
  const types = [schema.type ?? 'any'].flat();
  const base = types.map((type) => (type === 'array' ? formatList(schema, context) : type)).join(' or ');
  return [base, ...listLimits(schema)].join(', ');
}

function formatList({ items = {} }: Schema, context: PageContext): string {
  return `list of ${summarizeType(items, context)}`;
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
