/**
 * Reports of the state and the requests of a sandbox, as one HTML file each: for tests that failed.
 *
 * @module
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
// Imported by package name, so that the types of both entries are identical.
import {
  type AccountRef,
  type AccountSummary,
  type AccountView,
  type FaultView,
  type Mock,
  SandboxError,
} from '@service/mock';
import { type Mode, modes } from '@service/contract';
import { redactKeys } from '@service/internal';
import type { RequestSummary } from '../control/changes.ts';
import { ownAccount } from '../control/fields.ts';
import { type Context, parseInput } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import type { WalletView } from '../control/operations/views.ts';
import { PARTS, REPORT_DEFECT } from '../core.ts';

/** The options of `writeReport`. */
export interface ReportOptions {
  /** The path of the HTML file. Missing folders are created, and an existing file is replaced. */
  readonly file: string;
  /**
   * The heading, such as the name of the test.
   *
   * @default 'Payments sandbox'
   */
  readonly title?: string | undefined;
  /**
   * Why the test failed, such as the message of its error.
   *
   * @default a report without a reason
   */
  readonly error?: string | undefined;
  /**
   * The account of the test, in a mock that several tests share. Requests without a valid key are shown too.
   *
   * @default all accounts
   */
  readonly account?: AccountRef | undefined;
}

/** The content of a report file, as JSON. */
export interface ReportData {
  /** The heading of the page. */
  readonly title: string;
  /** The reason for the failure of the test, or null. */
  readonly error: string | null;
  /** The origin of the base URL of the mock. */
  readonly origin: string;
  /** The responses of the control API, by path and query without `/_sandbox`, `limit` and `offset`. */
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Maximum number of requests, payments and deliveries in a report, the newest ones. */
const MAX_ROWS = 1_000;

const reportFields = s.strict({
  file: s.text('the path of an HTML file', { minLength: 1 }),
  title: s.optional(s.text()),
  error: s.optional(s.text()),
  account: ownAccount,
});

/**
 * Writes one HTML file with the requests, payments, money, webhooks, faults and profile of a sandbox, and returns its
 * absolute path. The file needs no server and no network, and contains no API key and no signing secret. Works also after
 * the mock was closed.
 *
 * @throws {SandboxError} for an invalid option and an unknown account
 * @example
 * await writeReport(mock, { file: 'test-results/pays.html', title: 'pays', account });
 */
export async function writeReport(mock: Mock, options: ReportOptions): Promise<string> {
  if (mock?.[PARTS] === undefined)
    throw new SandboxError('invalid_argument', 'writeReport: a mock from createMock is needed.');
  const { file, title, error, account } = parseInput('writeReport', options, reportFields);
  const path = resolve(file);
  const redact = createRedact(mock[PARTS] as Context);
  const data: ReportData = {
    // A test can have an empty title, and an error an empty message.
    title: redact(title || 'Payments sandbox'),
    error: error ? redact(error.replaceAll(STYLES, '')) : null,
    origin: new URL(mock.baseUrl).origin,
    responses: await readResponses(
      mock,
      account === undefined ? undefined : mock.sandbox.accounts.get(account),
    ),
  };
  const { parts } = await import('@service/dashboard/report');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, parts[0] + escapeHtml(data.title) + parts[1] + toInlineJson(data) + parts[2]);
  return path;
}

/** The escape sequences of colors, which errors of test runners contain. */
// oxlint-disable-next-line no-control-regex -- the escape character starts each of them
const STYLES = /\u001B\[[\d;]*m/g;

/** Creates a function that redacts API keys, and the signing secrets of a sandbox, which messages of a test can contain. */
function createRedact({ state }: Context): (message: string) => string {
  const endpoints = [...state.accounts.values()].flatMap(({ byMode }) =>
    modes.map((mode) => byMode[mode].endpoint),
  );
  const secrets = endpoints.flatMap((endpoint) => endpoint?.secret ?? []);
  return (message) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), redactKeys(message));
}

function escapeHtml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Writes JSON that cannot end the script element that contains it. */
function toInlineJson(data: ReportData): string {
  return JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
}

type Read = <Body>(path: string, query?: Readonly<Record<string, string>>) => Promise<Body>;
interface Listed<Row> {
  readonly rows: readonly Row[];
}

/** Reads all that the pages of a report show. */
async function readResponses(mock: Mock, only: AccountView | undefined): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  const read = await createRead(mock, responses);
  const isShown = ({ account }: { readonly account: string | null }): boolean =>
    only === undefined || account === null || account === only.id;
  await read('/clock');
  const { faults } = await read<{ readonly faults: readonly FaultView[] }>('/faults');
  responses['/faults'] = { faults: faults.filter(isShown) };
  const { accounts } = await read<{ readonly accounts: readonly AccountSummary[] }>('/accounts');
  const shown = accounts.filter(({ id }) => only === undefined || id === only.id);
  responses['/accounts'] = { accounts: shown };
  const { rows } = await read<Listed<RequestSummary>>('/requests/summaries');
  const requests = rows.filter(isShown);
  responses['/requests/summaries'] = { rows: requests, total: requests.length };
  for (const { id } of requests) await read(`/requests/${encodeURIComponent(id)}`);
  for (const { id: account } of shown) {
    await read('/profile', { account });
    for (const mode of modes) await readAccountState(read, { account, mode });
  }
  return responses;
}

async function readAccountState(
  read: Read,
  scope: { readonly account: string; readonly mode: Mode },
): Promise<void> {
  const { wallets } = await read<{ readonly wallets: readonly WalletView[] }>('/wallets', scope);
  for (const { currency } of wallets) await read('/wallets/history', { ...scope, currency });
  await read('/webhooks/endpoint', scope);
  const payments = await read<Listed<{ readonly id: string }>>('/payments', scope);
  for (const { id } of payments.rows) await read(`/payments/${encodeURIComponent(id)}`);
  const deliveries = await read<Listed<{ readonly id: string }>>('/webhooks/summaries', scope);
  for (const { id } of deliveries.rows) await read(`/webhooks/deliveries/${encodeURIComponent(id)}`);
}

/** The paths that list rows. */
const lists = new Set(['/requests/summaries', '/wallets/history', '/payments', '/webhooks/summaries']);

/** Creates a function that asks the control API without a network and keeps the response. */
async function createRead(mock: Mock, responses: Record<string, unknown>): Promise<Read> {
  const { createControl } = await import('../control/http/handler.ts');
  const handle = createControl(mock[PARTS] as Context, { token: null, onDefect: mock[REPORT_DEFECT] });
  const { signal } = new AbortController();
  return async <Body>(path: string, query: Readonly<Record<string, string>> = {}) => {
    const search = new URLSearchParams(query).toString();
    const response = await handle({
      method: 'GET',
      path: `/_sandbox${path}`,
      search: lists.has(path) ? `${search}&limit=${MAX_ROWS}` : search,
      header: (name) => (name === 'host' ? 'localhost' : null),
      readBody: () => Promise.resolve(undefined),
      signal,
    });
    const { status, body: json } = response ?? {};
    if (typeof json !== 'string') throw new Error(`${path} responded with ${status}`);
    const body = JSON.parse(json) as Body;
    // A concurrent test can remove a record after it was listed.
    if (status === 200) responses[search === '' ? path : `${path}?${search}`] = body;
    return body;
  };
}
