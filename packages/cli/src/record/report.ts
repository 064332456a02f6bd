import { toRecord } from '@service/internal';
import type { Exchange, ProfileEntry } from '@service/probe/node';
import { type Cell, toRow } from '../table.ts';
import type { Line, Part, Terminal } from '../terminal.ts';
import type { LearnedProfile } from './profile-file.ts';

/** Formats an exchange as a line: time, method, path, status, duration, and the new id or the error. */
export function formatExchangeLine({ kind, at, ms, request, response, error }: Exchange): Line {
  const { data, error: refusal } = toRecord(response?.body);
  const { message } = toRecord(refusal);
  const { id } = toRecord(data);
  const { event } = toRecord(request.body);
  const detail = [
    error,
    message,
    kind === 'webhook' ? event : undefined,
    request.method === 'POST' ? id : undefined,
  ];
  const { status } = response ?? {};
  const style = status === undefined || status >= 500 ? 'bad' : status < 400 ? 'good' : 'waiting';
  const name = kind === 'webhook' ? `webhook ${request.path}` : request.path;
  return [
    `${at.slice(11, 19)}  ${request.method.padEnd(4)}  ${name}  `,
    { text: String(status ?? 'no response'), style },
    `  ${ms} ms  ${detail.find((text) => typeof text === 'string') ?? ''}`,
  ];
}

/** Formats the settings that a recording adds to a profile, and those that differ. */
export function formatLearned(
  { added, contradictions, unusable }: LearnedProfile,
  { profile, terminal }: { readonly profile: string | undefined; readonly terminal: Terminal },
): Line[] {
  const counts = `${count(added.length, 'setting')} added, ${count(contradictions.length, 'difference')}`;
  return [
    ...added.flatMap((entry) => toEntryRow({ text: 'added', style: 'good' }, entry, terminal)),
    ...contradictions.flatMap(({ kept, evidence, ...entry }) =>
      toEntryRow(
        { text: 'DIFFERS', style: 'bad' },
        { ...entry, evidence: `the profile keeps ${shortenValue(kept)}; ${evidence}` },
        terminal,
      ),
    ),
    ...unusable.map((problem): Line => [{ text: 'unknown', style: 'waiting' }, `  ${problem}`]),
    profile === undefined
      ? `${counts}. Nothing was written; pass --profile FILE.`
      : `${JSON.stringify(profile)}: ${counts}.`,
  ];
}

const NAME_WIDTH = 24;
const VALUE_WIDTH = 16;

function toEntryRow(state: Part, { name, value, evidence }: ProfileEntry, terminal: Terminal): Line[] {
  const cells: Cell[] = [
    [state, 7],
    [name, NAME_WIDTH],
    [shortenValue(value), VALUE_WIDTH],
  ];
  return toRow(cells, evidence, terminal);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Truncates a structured value to its column. The profile has the whole value. */
function shortenValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_WIDTH ? `${text.slice(0, VALUE_WIDTH - 1)}…` : text;
}
