import { type Mode, type OperationId, operations } from '@service/contract';
import type { LoggedRequest } from '../state/logged-request.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { type AccountRef, findAccount, readMode } from './locate.ts';

/** A filter of logged requests. A field left out matches any value. */
export interface RequestFilter {
  readonly account?: AccountRef;
  readonly mode?: Mode;
  readonly operation?: OperationId;
  /** The status of the response. */
  readonly status?: number;
  readonly method?: string;
  /** Sandbox time; includes this instant. */
  readonly since?: Date | string;
}

/** The fields of a filter. */
export const filterFields: readonly (keyof RequestFilter)[] = [
  'account',
  'mode',
  'operation',
  'status',
  'method',
  'since',
];

/**
 * Creates a predicate from a filter.
 *
 * @throws {SandboxError} for an invalid value
 */
export function readFilter(state: State, filter: RequestFilter): (record: LoggedRequest) => boolean {
  const account = filter.account === undefined ? undefined : findAccount(state, filter.account).id;
  const mode = filter.mode === undefined ? undefined : readMode(filter.mode);
  const { operation } = filter;
  if (operation !== undefined && !Object.hasOwn(operations, operation)) {
    throw invalidValue(`operation must be one of ${Object.keys(operations).join(', ')}`, operation);
  }
  const status = readStatus(filter.status);
  const method = readMethod(filter.method);
  const since = readSince(filter.since);
  return (record) =>
    (account === undefined || record.account === account) &&
    (mode === undefined || record.accountState?.mode === mode) &&
    (operation === undefined || record.operation === operation) &&
    (status === undefined || statusOf(record) === status) &&
    (method === undefined || record.method === method) &&
    record.at >= since;
}

/** Formats a filter for an error message. */
export function describeFilter(filter: RequestFilter): string {
  const asked = Object.entries(filter).filter(([, value]) => value !== undefined);
  return asked.length === 0
    ? ''
    : `with ${asked.map(([name, value]) => `${name} ${formatValue(value)}`).join(', ')} `;
}

function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : String(value);
}

function statusOf({ response }: LoggedRequest): number | undefined {
  return response === null || response === 'connection_lost' ? undefined : response.status;
}

function readStatus(status: unknown): number | undefined {
  if (status === undefined) return undefined;
  if (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599) return Number(status);
  throw invalidValue('status must be a whole number from 200 to 599', status);
}

function readMethod(method: unknown): string | undefined {
  if (method === undefined) return undefined;
  if (typeof method === 'string' && method !== '') return method.toUpperCase();
  throw invalidValue("method must be text such as 'POST'", method);
}

function readSince(since: Date | string | undefined): number {
  if (since === undefined) return Number.NEGATIVE_INFINITY;
  const instant = typeof since === 'string' || since instanceof Date ? new Date(since).getTime() : Number.NaN;
  if (Number.isNaN(instant)) throw invalidValue('since must be a Date or an ISO 8601 time', since);
  return instant;
}

function invalidValue(rule: string, value: unknown): SandboxError {
  return new SandboxError('invalid_argument', `${rule}, not ${String(value)}.`);
}
