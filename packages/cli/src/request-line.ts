import { parseRecord, toRecord } from '@service/internal';
import type { ServedRequest } from '@service/mock/node';
import type { Part } from './terminal.ts';

/** The log entry of a request to a mock: the `--json` document and the line. */
export interface RequestEntry {
  readonly document: object;
  readonly line: readonly Part[];
}

/** Creates the log entry of a request: method, path, status, time, and the new id or the error of its response. */
export function toRequestEntry(
  { method, path, status, body, duration }: ServedRequest,
  now: number,
): RequestEntry {
  const { data, error } = parseRecord(body ?? '') ?? {};
  const { message } = toRecord(error);
  const { id } = toRecord(data);
  const at = new Date(now).toISOString();
  const duration_ms = Math.round(duration);
  const result = {
    ...(typeof message === 'string' && { error: message }),
    ...(method === 'POST' && typeof id === 'string' && { id }),
  };
  const style = status === undefined || status >= 500 ? 'bad' : status < 400 ? 'good' : 'waiting';
  const shown = String(status ?? 'connection lost');
  return {
    document: { at, method, path, status: status ?? null, duration_ms, ...result },
    line: [
      `${at.slice(11, 19)}  ${method.padEnd(4)}  ${path}  `,
      { text: shown, style },
      `  ${duration_ms} ms  ${result.error ?? result.id ?? ''}`,
    ],
  };
}
