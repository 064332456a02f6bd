import { readBeginning } from '../body.ts';
import { parseJson } from '../json.ts';
import { toMockWords } from '../mock-words.ts';
import { findRoot } from '../root-cause.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { ControlError } from './control-error.ts';
import { findOperation, type Operation } from './operations.ts';
import { readControlUrl } from './origin.ts';
import type { Values } from './values.ts';

/** Steers a running sandbox. */
export type Control = {
  /**
   * Carries out an operation with its fields, or with a body as it is; undefined where the answer has none. Ids are
   * those that `parseId` lets through. Throws ControlError.
   */
  readonly call: (operation: Operation, input?: Values | Uint8Array) => Promise<unknown>;
};

/** How long a health page may take, in milliseconds; an operation may well wait for receivers and for time to pass. */
const LONGEST_HEALTH = 10_000;
/** How many bytes of a health page are read: who answers is not known yet. */
const LARGEST_HEALTH = 65_536;

/**
 * Opens the control of the sandbox at the base URL. Before a token or a key is sent there, its open health page must say
 * that it is one.
 *
 * @throws UsageError, and ControlError when no control answers.
 */
export async function openControl(session: Session): Promise<Control> {
  const url = readControlUrl(session);
  const token = readToken(session);
  const limits = { signal: AbortSignal.timeout(LONGEST_HEALTH), most: LARGEST_HEALTH };
  const health = await ask(session, toRequest(url, findOperation('getHealth'), {}), limits);
  if (!isHealth(health)) throw noControl(url, health);
  return {
    async call(operation, input = {}) {
      const request = toRequest(url, operation, input);
      if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
      const answer = read(await ask(session, request), url, token);
      if (operation.hasAnswer && typeof answer !== 'object') throw unreadable(operation);
      return answer;
    },
  };
}

function readToken({ environment }: Session): string | undefined {
  const token = environment.env.SERVICE_SANDBOX_TOKEN || undefined;
  if (token === undefined || /^[\w\-.~+/=]{16,512}$/.test(token)) return token;
  throw new UsageError('SERVICE_SANDBOX_TOKEN must be 16 to 512 letters, digits and any of -._~+/=.');
}

type Answer = { readonly status: number; readonly json: unknown };

/** Says when to give an answer up, and how many bytes of it are read. */
type Limits = { readonly signal?: AbortSignal; readonly most?: number };

async function ask(
  { environment }: Session,
  request: Request,
  { signal: limit = environment.signal, most = Infinity }: Limits = {},
): Promise<Answer> {
  const { fetch = globalThis.fetch } = environment;
  const signal = AbortSignal.any([environment.signal, limit]);
  try {
    const response = await fetch(new Request(request, { signal, redirect: 'manual' }));
    const { bytes } = await readBeginning(response, most);
    return { status: response.status, json: parse(new TextDecoder().decode(bytes)) };
  } catch (cause) {
    throw new ControlError('no_answer', `The control at ${new URL(request.url).origin} gave no answer.`, {
      cause: findRoot(cause),
    });
  }
}

/** Parses an answer: undefined where there is none, null for one that is no JSON. */
function parse(text: string): unknown {
  return text === '' ? undefined : (parseJson(text) ?? null);
}

function toRequest(base: URL, { method, path, fields }: Operation, input: Values | Uint8Array): Request {
  const isFile = input instanceof Uint8Array;
  const given = Object.entries(isFile ? {} : input).filter(([, value]) => value !== undefined);
  const at = (place: string): [string, unknown][] =>
    given.filter(([name]) => fields.some((field) => field.name === name && field.place === place));
  const url = new URL(base);
  url.pathname += at('path').reduce(
    (before, [name, value]) => before.replace(`{${name}}`, () => encodeURIComponent(String(value))),
    path,
  );
  for (const [name, value] of at('query')) url.searchParams.set(name, String(value));
  const body = isFile ? new Uint8Array(input) : JSON.stringify(Object.fromEntries(at('body')));
  if (method === 'GET' || method === 'DELETE') return new Request(url, { method });
  return new Request(url, { method, body, headers: { 'content-type': 'application/json' } });
}

function isHealth({ status, json }: Answer): boolean {
  const { status: health, version } = (json ?? {}) as { status?: unknown; version?: unknown };
  return status === 200 && health === 'ok' && typeof version === 'string';
}

function read({ status, json }: Answer, url: URL, token: string | undefined): unknown {
  if (status >= 200 && status < 300 && json !== null) return json;
  const { code, message } = (json as { error?: Refusal } | null | undefined)?.error ?? {};
  if (typeof code !== 'string' || typeof message !== 'string') throw noControl(url, { status, json });
  const hint = code === 'unauthenticated' ? ` ${explainToken(token)}` : '';
  throw new ControlError(strike(code, token), `${toMockWords(strike(message, token))}${hint}`, { status });
}

type Refusal = { readonly code?: unknown; readonly message?: unknown };

function explainToken(token: string | undefined): string {
  return token === undefined
    ? 'Set SERVICE_SANDBOX_TOKEN to it.'
    : 'The one in SERVICE_SANDBOX_TOKEN is not that of this sandbox.';
}

function strike(text: string, token: string | undefined): string {
  return token === undefined ? text : text.replaceAll(token, '…');
}

/** Makes the error of an answer that is not as the document of the control says. */
export function unreadable({ id }: Operation): ControlError {
  return new ControlError(
    'unreadable_answer',
    `The control answered ${id} otherwise than its document says.`,
  );
}

function noControl({ href }: URL, { status }: Answer): ControlError {
  return new ControlError(
    'no_control',
    `No control of a sandbox answers at ${href}. Is it a running service-cli mock, without --no-control? A real service has none.`,
    { status },
  );
}
