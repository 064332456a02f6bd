/**
 * The report of a run of `service-cli chaos`: the pages of the dashboard in one HTML file.
 *
 * @module
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Mock } from '@service/mock';
import { modes } from '@service/contract';
import { redactKeys } from '@service/internal';
import { createControl } from '../control/http/handler.ts';
import type { Context } from '../control/operation.ts';
import { PARTS, REPORT_DEFECT } from '../core.ts';

/** The options of `writeReport`. */
export interface ReportOptions {
  /** The path of the HTML file. Missing folders are created, and an existing file is replaced. */
  readonly file: string;
  /** The heading. */
  readonly title: string;
  /** What has failed. Empty without a failure. */
  readonly error: string;
}

/** The content of a report file, as JSON. */
export interface ReportData extends Omit<ReportOptions, 'file'> {
  /** The origin of the base URL of the mock. */
  readonly origin: string;
  /** The responses of the control API, by path and query without `/_sandbox`, `limit` and `offset`. */
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Maximum number of requests, payments and deliveries in a report, the newest ones. */
const MAX_ROWS = 1_000;

/**
 * Writes one HTML file with the requests, payments, money, webhooks, faults and profiles of a sandbox. The file needs no
 * server and no network, and contains no API key and no signing secret. Works also after the mock was closed.
 */
export async function writeReport(mock: Mock, { file, title, error }: ReportOptions): Promise<void> {
  const data: ReportData = {
    title: redactKeys(title),
    error: redactKeys(error),
    origin: new URL(mock.baseUrl).origin,
    responses: await readResponses(mock),
  };
  const { parts } = await import('@service/dashboard/report');
  // JSON that cannot end the script element that contains it.
  const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  const heading = data.title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const path = resolve(file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, parts[0] + heading + parts[1] + json + parts[2]);
}

type Query = Readonly<Record<string, string>>;

/** A list of the control API, under one of these names. */
type Listed = {
  readonly [Name in 'accounts' | 'wallets' | 'requests' | 'rows' | 'deliveries']: readonly Row[];
};
interface Row {
  readonly id: string;
  readonly currency: string;
}

/** Reads all that the pages of a report show. */
async function readResponses(mock: Mock): Promise<Readonly<Record<string, unknown>>> {
  const responses: Record<string, unknown> = {};
  const handle = createControl(mock[PARTS] as Context, { token: null, onDefect: mock[REPORT_DEFECT] });
  const { signal } = new AbortController();
  const read = async (path: string, query: Query = {}, limit?: Query): Promise<Listed> => {
    const response = await handle({
      method: 'GET',
      path: `/_sandbox${path}`,
      search: new URLSearchParams({ ...query, ...limit }).toString(),
      header: (name) => (name === 'host' ? 'localhost' : null),
      readBody: () => Promise.resolve(undefined),
      signal,
    });
    const body = JSON.parse(response?.body ?? '{}') as Listed;
    const search = new URLSearchParams(query).toString();
    if (response?.status === 200) responses[path + (search && `?${search}`)] = body;
    return body;
  };
  const newest = { limit: String(MAX_ROWS) };
  for (const path of ['/clock', '/faults']) await read(path);
  const { requests } = await read('/requests', {}, newest);
  for (const { id } of requests) await read(`/requests/${id}`);
  for (const { id: account } of (await read('/accounts')).accounts) {
    await read('/profile', { account });
    for (const mode of modes) {
      const scope = { account, mode };
      await read('/webhooks/endpoint', scope);
      for (const { currency } of (await read('/wallets', scope)).wallets)
        await read('/wallets/history', { ...scope, currency }, newest);
      for (const { id } of (await read('/payments', scope, newest)).rows) await read(`/payments/${id}`);
      const { deliveries } = await read('/webhooks/deliveries', scope, newest);
      for (const { id } of deliveries) await read(`/webhooks/deliveries/${id}`);
    }
  }
  return responses;
}
