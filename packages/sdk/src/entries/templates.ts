/**
 * Reads the transactions of a service from the templates that `service-cli probe --save` has learned.
 *
 * @module
 */
import {
  describeUnknown,
  findTemplateProblems,
  isRecord,
  linkQueries,
  listRowPlaces,
  pageNames,
  type PagePosition,
  pagePositions,
  type PageTemplate,
  readPath,
  readPosition,
  readRow,
  responseNames,
  rowKinds,
  rowNames,
  type RowTemplate,
  type Template,
  type TemplateNames,
} from '@service/internal';
import { createUsageError } from '../errors.ts';
import type { PageReading } from '../resources/pagination.ts';
import { formatPath } from '../resources/row-array.ts';
import {
  hideFormat,
  type PageFormat,
  type TransactionFormat,
  type TransactionReader,
} from '../resources/transaction-format.ts';

export type { TransactionReader } from '../resources/transaction-format.ts';

/** The settings of a saved profile from which transactions are read. Others are ignored. */
export interface TransactionProfile {
  /** The name of a shape, or the templates of the rows: `[{ of, row }]`. */
  readonly transactionShape?: unknown;
  /** The name of a form of pages, or the template of a page: `{ data, beside, headers, by, parameter, first, query }`. */
  readonly pagination?: unknown;
  readonly [setting: string]: unknown;
}

/**
 * Creates a reader of transactions from a profile, which is the file of `service-cli probe --save`. Pass it to a
 * client as `transactionReader`: lists, pages and `reconcile` then read rows of any shape under the documented
 * names, with amounts in the currency and a sign.
 *
 * @throws {ConfigurationError} when a template is invalid. The message names its path.
 * @example
 * const transactionReader = createTransactionReader({
 *   transactionShape: [{ of: 'any', row: { no: '{number}', cents: '{amount cents}', at: '{created_at unix}' } }],
 * });
 */
export function createTransactionReader(profile: TransactionProfile): TransactionReader {
  if (!isRecord(profile))
    throw createUsageError('The profile must be an object, such as the JSON of service-cli probe --save.');
  const { transactionShape, pagination } = profile;
  return hideFormat({ readRow: parseRows(transactionShape), page: parsePage(pagination) });
}

const shapes = ['full', 'minimal'];

function parseRows(setting: unknown): TransactionFormat['readRow'] {
  if (isNamed(setting, 'transactionShape', shapes)) return undefined;
  if (!Array.isArray(setting) || setting.length === 0)
    throw createUsageError(`transactionShape must be ${shapes.join(', ')} or a list of { of, row }.`);
  const templates = setting.map((template: unknown, index) => {
    const name = `transactionShape[${index}]`;
    const { of, row } = requireObject(template, name, ['of', 'row']);
    checkName(of, `${name}.of`, rowKinds);
    requireObject(row, `${name}.row`);
    checkPlaceholders(row, `${name}.row`, { names: rowNames });
    return { of, row } as RowTemplate;
  });
  return (row) => readRow(templates, row);
}

const forms = ['page', 'laravel', 'cursor', 'array', 'link'];
const pageFields = ['data', 'beside', 'headers', 'by', 'parameter', 'first', 'query'];
const pageContent: TemplateNames = { names: [...pageNames, ...responseNames], lists: { rows: ['row'] } };

function parsePage(setting: unknown): PageFormat | undefined {
  if (isNamed(setting, 'pagination', forms)) return undefined;
  const fields = requireObject(setting, 'pagination', pageFields);
  const { beside, headers, by, parameter, first, query } = fields;
  if (by !== undefined) checkName(by, 'pagination.by', pagePositions);
  if (parameter !== undefined && (typeof parameter !== 'string' || parameter === ''))
    throw createUsageError('pagination.parameter must be the name of a query parameter.');
  if (query !== undefined) checkName(query, 'pagination.query', linkQueries);
  if (first !== undefined && first !== 0 && first !== 1)
    throw createUsageError('pagination.first must be 0 or 1.');
  if (beside !== undefined) requireObject(beside, 'pagination.beside');
  const texts = headers === undefined ? [] : Object.entries(requireObject(headers, 'pagination.headers'));
  for (const [name, text] of texts)
    if (typeof text !== 'string') throw createUsageError(`pagination.headers.${name} must be text.`);
  for (const name of ['data', 'beside', 'headers'] as const)
    checkPlaceholders(fields[name] ?? null, `pagination.${name}`, pageContent);
  return createPageFormat(setting as PageTemplate & object);
}

function createPageFormat(template: PageTemplate): PageFormat {
  const [place, ...others] = listRowPlaces(template);
  if (place === undefined || others.length > 0)
    throw createUsageError(
      `pagination must contain the rows once, as ["{each rows}", "{row}"], not ${others.length + (place ? 1 : 0)} times.`,
    );
  const { path, inner } = place;
  const { by = 'page', parameter = by, first = 1 } = template;
  return {
    toFirstQuery: ({ page, ...query }) => {
      if (by === 'page') return { [parameter]: Number(page ?? 1) - 1 + first, ...query };
      if (page === undefined) return query;
      if (by === 'cursor') return { page, ...query };
      const per_page = Number(query.per_page ?? DEFAULT_PER_PAGE);
      return { ...query, per_page, [parameter]: (Number(page) - 1) * per_page };
    },
    findRows: (body) => {
      const list = readPath(body, path);
      if (isRecord(list)) return { path, items: Object.values(list), keys: Object.keys(list), inner };
      return Array.isArray(list)
        ? { path, items: list, inner }
        : { problem: `it has no list at \`${formatPath(path)}\`, where the profile has the transactions` };
    },
    readPage: (source) => toPageReading(readPosition(template, source)),
  };
}

function toPageReading({ page = 1, per_page, total, total_pages, hasMore, next }: PagePosition): PageReading {
  return {
    next,
    hasStatedNext: hasMore === true,
    pagination: {
      current_page: page,
      per_page: per_page ?? null,
      total: total ?? null,
      total_pages: total_pages ?? null,
      has_more: hasMore ?? next !== undefined,
    },
    isZeroBased: false,
  };
}

/** The number of rows of a page without `per_page`. */
const DEFAULT_PER_PAGE = 20;

/** Returns whether a setting is absent, or one of the names of the formats that the client reads without a template. */
function isNamed(setting: unknown, name: string, known: readonly string[]): boolean {
  if (typeof setting === 'string') checkName(setting, name, known);
  return setting === undefined || typeof setting === 'string';
}

function requireObject(
  value: unknown,
  name: string,
  known?: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw createUsageError(`${name} must be an object.`);
  const unknown = known && Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) checkName(unknown, name, known ?? []);
  return value;
}

function checkPlaceholders(template: unknown, name: string, content: TemplateNames): void {
  const [problem] = findTemplateProblems(template as Template, content, name);
  if (problem !== undefined) throw createUsageError(problem);
}

function checkName(value: unknown, name: string, known: readonly string[]): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!known.some((each) => each === value))
    throw createUsageError(`${name}: ${describeUnknown(text, known)}`);
}
