import { createAddressPolicy } from './webhooks/address.ts';
import { Deliveries } from './webhooks/dispatcher.ts';
import { sendWith } from './webhooks/attempt.ts';
import type { FetchRequest } from './webhooks/sender.ts';
import { createSocketSender } from './adapters/socket-sender.ts';
import { fetchWith } from './adapters/fetch.ts';
import { createApp } from './http/app.ts';
import { BASE_PATH } from './http/route.ts';
import { CORE, type Mock, PARTS, REPORT_DEFECT } from './core.ts';
import { type MockOptions, optionsSchema } from './options.ts';
import { applyChoice, defaultProfile } from './domain/profile.ts';
import { toInstant } from './domain/time.ts';
import { findAccount } from './control/locate.ts';
import { type Context, parseInput } from './control/operation.ts';
import { type AccountView, toAccountView } from './control/operations/accounts.ts';
import { resetState } from './control/replace-state.ts';
import { createSandbox } from './control/sandbox.ts';
import { createClock } from './state/clock.ts';
import { Faults } from './state/faults.ts';
import { Changes, createState, drawSeed } from './state/state.ts';
import { RequestLog } from './state/request-log.ts';
import { encodeState } from './state/snapshot.ts';
import { SandboxError } from './state/sandbox-error.ts';
import { applySeed, checkSeed } from './seed/apply.ts';

const BASE_URL = `http://localhost:4010${BASE_PATH}`;
const LOGGED_REQUESTS = 10_000;
const LOGGED_CHARACTERS = 32 * 2 ** 20;

// Captured at load time, so that deliveries bypass a `fetch` that is replaced later.
const nativeFetch = globalThis.fetch;
const sendFromPage: FetchRequest = (request) => {
  // MSW's service worker passes requests with this value through and removes it; other receivers ignore it.
  request.headers.set('Accept', '*/*, msw/passthrough');
  return nativeFetch(request);
};

/**
 * Creates an isolated sandbox.
 *
 * @throws {SandboxError} for an invalid option
 * @example
 * const mock = createMock({ clock: 'manual' });
 * const client = createClient(mock.clientOptions);
 */
export function createMock(options: MockOptions = {}): Mock {
  parseInput('createMock', options, optionsSchema);
  checkSeed(options.initial ?? {});
  const onDefect = reportSafely(options.onDefect ?? reportDefect);
  const parts = createParts({ ...options, onDefect });
  applyInitial(parts, { ...options, onDefect });
  const { respond } = options;
  const handle = createApp({ ...parts, faults: parts.faults.request, respond, onDefect });
  const sandbox = createSandbox(parts);
  const baseUrl = options.baseUrl ?? BASE_URL;
  const close = async (): Promise<void> => {
    parts.state.clock.stop();
    await parts.deliveries.close();
  };
  const fetch = fetchWith(handle, onDefect);
  const readAccount = (): AccountView => toAccountView(findAccount(parts.state, undefined));
  return {
    fetch,
    get account() {
      return readAccount();
    },
    get clientOptions() {
      return { apiKey: readAccount().testKey, baseUrl, fetch, allowBrowser: true as const };
    },
    baseUrl,
    sandbox,
    close,
    [Symbol.asyncDispose]: close,
    [CORE]: handle,
    [PARTS]: parts,
    [REPORT_DEFECT]: onDefect,
  };
}

type PartOptions = MockOptions & { readonly onDefect: OnDefect };

/** Creates the parts that the service and the control API share, without an account. */
function createParts(options: PartOptions): Context {
  const { initial = {}, onDefect, requestLog = {} } = options;
  const { requests = LOGGED_REQUESTS } = requestLog === 'off' ? { requests: 0 } : requestLog;
  const mode = options.clock ?? initial.clock ?? 'real';
  const { start = initial.start } = options;
  const clock = createClock(mode, start === undefined ? undefined : toInstant(start));
  const addresses = createAddressPolicy(options.webhooks?.allowHosts ?? []);
  const socketSender = createSocketSender(addresses.allowsAddress);
  // The given `fetch`, a socket, or the `fetch` of the browser.
  const sender = options.fetch ? sendWith(options.fetch) : (socketSender ?? sendWith(sendFromPage));
  const seed = String(options.seed ?? initial.seed ?? drawSeed());
  const changes = new Changes();
  const faults: Context['faults'] = {
    request: new Faults('flt', seed),
    delivery: new Faults('dfl', seed),
  };
  const deliveries = new Deliveries({
    clock,
    changes,
    sender,
    addresses,
    onDefect,
    faults: faults.delivery,
  });
  const state = createState({
    clock,
    changes,
    seed,
    profile: applyChoice(applyChoice(defaultProfile, initial.profile ?? {}), options.profile ?? {}),
    accountPolicy: options.accounts ?? 'strict',
    dispatch: deliveries.dispatch,
    onDefect,
  });
  return {
    state,
    deliveries,
    faults,
    requestLog: new RequestLog(requests, LOGGED_CHARACTERS),
    baseline: encodeState(state),
    standing: [],
  };
}

/** Applies the initial state in an empty sandbox with a manual clock, because its payments are older, and takes over its state. */
function applyInitial(parts: Context, options: PartOptions): void {
  const { clock, seed } = parts.state;
  const now = clock.now();
  const past = createParts({ ...options, clock: 'manual', start: new Date(now), seed });
  applySeed(past, options.initial ?? {}, now);
  parts.standing = past.standing;
  parts.baseline = encodeState(past.state);
  resetState(parts);
}

/** Ignores an error of the listener, which must not hide the response. */
function reportSafely(report: OnDefect): OnDefect {
  return (error) => {
    try {
      report(error);
    } catch {}
  };
}

type OnDefect = (error: unknown) => void;

function reportDefect(error: unknown): void {
  const given = error instanceof SandboxError ? [error.message] : ['internal error in the mock', error];
  // oxlint-disable-next-line no-console -- the default listener: a defect must not go unnoticed
  console.error('@service/mock:', ...given);
}
