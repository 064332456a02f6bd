import type { Fetch } from '@service/sdk';
import { readBeginning } from '../body.ts';
import type { Clock } from '../clock.ts';
import { type Fields, parseJson, toRecord } from '../json.ts';
import { findRoot } from '../root-cause.ts';
import { NoAnswer } from './finding.ts';

/** Says what to ask besides the path; a `body` is sent as JSON, a `raw` one as it stands. */
export type Question = {
  readonly body?: object;
  readonly raw?: string;
  /** Adds headers, or takes the place of those that are sent by default; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
};

/** Holds an answer as it came. */
export type Sighting = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Holds what the text means as JSON; undefined when it is none. */
  readonly body: unknown;
  /** Holds the fields of `data`; none when there are none. */
  readonly data: Fields;
  /** Tells whether the service did what it was asked for: a 2xx whose body does not deny it. */
  readonly accepted: boolean;
};

/** Asks the service something; a body makes it a POST. Throws NoAnswer. */
export type Ask = (path: string, question?: Question) => Promise<Sighting>;

/** Sets up whom to ask and by which means. */
export type WireOptions = {
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  readonly sleep: Clock['sleep'];
  /** Limits each answer in milliseconds. */
  readonly timeout: number;
};

const MOST_REFUSALS = 5;
const LONGEST_WAIT = 60;

/**
 * Makes what asks the service without the tolerance of the SDK, so that what it smooths out is seen. A 429 is not an answer:
 * the question is put again after the time that it names. Nothing else is sent twice, and no redirect is followed. A 5xx,
 * a 401 to the key of the probe, and a success without JSON tell nothing of what was asked: they throw NoAnswer.
 */
export function createAsk(options: WireOptions): Ask {
  return async (path, question = {}) => {
    for (let refusals = 0; ; refusals += 1) {
      const sighting = await send(options, path, question);
      if (sighting.status !== 429) return takeAnswer(sighting, question);
      const seconds = readWait(sighting.headers) ?? 2 ** refusals;
      if (refusals === MOST_REFUSALS || seconds > LONGEST_WAIT)
        throw new NoAnswer('the service limits how often it may be asked');
      await options.sleep(Math.max(1, seconds) * 1_000, options.signal);
    }
  };
}

function takeAnswer(sighting: Sighting, { headers = {} }: Question): Sighting {
  const { status } = sighting;
  const isOurKey = !('authorization' in headers || 'x-api-key' in headers);
  if (status >= 500 || (status === 401 && isOurKey))
    throw new NoAnswer(`the service answered with ${describe(sighting)}`);
  if (status < 300 && sighting.body === undefined)
    throw new NoAnswer(`the service answered with ${status} and no JSON`);
  return sighting;
}

/** Reads for how many seconds a refusal asks to wait; a date counts from that of the answer, since clocks differ. */
function readWait(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Asks once, whatever the answer is. Throws NoAnswer. */
export async function send(options: WireOptions, path: string, question: Question): Promise<Sighting> {
  const { baseUrl, key, fetch, signal, timeout } = options;
  const { body, raw = body && JSON.stringify(body) } = question;
  const defaults = {
    accept: 'application/json',
    authorization: `Bearer ${key}`,
    ...(raw !== undefined && { 'content-type': 'application/json' }),
  };
  const given = Object.entries({ ...defaults, ...question.headers }).filter(
    (header): header is [string, string] => header[1] !== null,
  );
  const request = new Request(`${baseUrl}${path}`, {
    method: raw === undefined ? 'GET' : 'POST',
    headers: given,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    ...(raw !== undefined && { body: raw }),
  });
  try {
    const response = await fetch(request);
    return look(response, await readText(response));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NoAnswer) throw error;
    const cause = findRoot(error);
    throw new NoAnswer(`no answer came${cause === undefined ? '' : `: ${cause}`}`);
  }
}

const LARGEST = 1_048_576;

/** Reads a body as text, up to a size that no answer of the service has. */
async function readText(response: Response): Promise<string> {
  const { bytes, isWhole } = await readBeginning(response, LARGEST);
  if (!isWhole) throw new NoAnswer('the answer is larger than a megabyte');
  return new TextDecoder().decode(bytes);
}

function look({ status, headers }: Response, text: string): Sighting {
  const body = parseJson(text);
  const { success, data } = toRecord(body);
  const accepted = status >= 200 && status < 300 && body !== undefined && success !== false;
  return { status, headers, text, body, data: toRecord(data), accepted };
}

const MOST_SHOWN = 80;

/** Writes a value of an answer for a person: no more of it than fits a line. */
export function writeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Tells whether an answer refuses what was asked, for what it was. */
export function isRefusal({ status }: Sighting): boolean {
  return status >= 400 && status < 500;
}

/** Describes an answer in few words: its status, and the type of its error where it names one. */
export function describe({ status, body }: Sighting): string {
  const { type } = toRecord(toRecord(body).error);
  return typeof type === 'string' ? `${status} ${type.slice(0, MOST_SHOWN)}` : String(status);
}
