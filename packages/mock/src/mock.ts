import { type AddressPolicy, createAddressPolicy } from './webhooks/address.ts';
import { createDeliveries } from './webhooks/dispatcher.ts';
import { type WebhookSender, sendWith, type FetchRequest, IO_TIMEOUT } from './webhooks/attempt.ts';
import { createSocketSender } from './adapters/socket-sender.ts';
import { fetchWith } from './adapters/fetch.ts';
import { keepInSession } from './adapters/session.ts';
import { createApp } from './http/app.ts';

import { BASE_PATH } from './http/route.ts';
import { CORE, type Mock, PARTS, REPORT_DEFECT } from './core.ts';
import { type MockOptions, optionFields } from './options.ts';
import { defaultProfile } from './domain/profile.ts';
import { findAccount } from './control/locate.ts';
import { parseFields, type SandboxParts } from './control/operation.ts';
import { createAccount, toAccountView } from './control/operations/accounts.ts';
import { copyState } from './control/operations/state.ts';
import { createSandbox } from './control/sandbox.ts';
import { createClock } from './state/clock.ts';
import { createFaults } from './state/faults.ts';
import { createRequestLog } from './state/request-log.ts';
import { createRateLimiter } from './state/rate-limit.ts';
import { drawSeed } from './state/ids.ts';
import { applyChoice } from './state/profile.ts';
import { SandboxError } from './state/sandbox-error.ts';
import { createState } from './state/state.ts';

const MANUAL_START = '2026-01-31T12:00:00Z';
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
 * const client = createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
 */
export function createMock(options: MockOptions = {}): Mock {
  checkRuntime();
  parseFields('createMock', options, optionFields);
  const onDefect = options.onDefect ?? reportDefect;
  const parts = createParts(options);
  const handle = createApp({ ...parts, cors: options.cors ?? 'off', onDefect });
  const sandbox = createSandbox(parts);
  const baseUrl = options.baseUrl ?? BASE_URL;
  const autosave =
    options.persist === undefined ? undefined : keepInSession(sandbox, { name: baseUrl, onError: onDefect });
  const close = async (): Promise<void> => {
    parts.state.clock.stop();
    await parts.deliveries.close();
    await autosave?.flush().catch(onDefect);
    autosave?.stop();
  };
  return {
    fetch: fetchWith(handle),
    get account() {
      return toAccountView(findAccount(parts.state, undefined));
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

/** Creates the parts that the service and the control API share, with the first account. */
function createParts(options: MockOptions): SandboxParts {
  const clock = createClock(options.clock ?? 'real', readStart(options));
  const addresses = createAddressPolicy(options.webhooks?.allowHosts ?? []);
  const sender = createSender(options, addresses);
  const seed = String(options.seed ?? drawSeed());
  const deliveries = createDeliveries({
    clock,
    sender,
    addresses,
    faults: createFaults('dfl', seed),
    timeout: IO_TIMEOUT,
    limit: IO_TIMEOUT,
  });
  const state = createState({
    clock,
    seed,
    profile: applyChoice(defaultProfile, options.profile ?? {}),
    accountPolicy: options.accounts ?? 'strict',
    dispatch: deliveries.dispatch,
  });
  const requestLog = createRequestLog({
    requests: readCapacity(options.requestLog),
    characters: LOGGED_CHARACTERS,
  });
  createAccount(state, { name: 'default' });
  return {
    state,
    deliveries,
    rateLimiter: createRateLimiter(clock),
    faults: createFaults('flt', seed),
    requestLog,
    baseline: copyState(state),
  };
}

/** Selects how webhooks are sent: the given `fetch`, a socket, or the `fetch` of the browser. */
function createSender({ fetch }: MockOptions, { allowsAddress }: AddressPolicy): WebhookSender {
  if (fetch !== undefined) return sendWith(fetch);
  return createSocketSender({ allowsAddress }) ?? sendWith(sendFromPage);
}

function readStart({ clock, start }: MockOptions): number | undefined {
  if (start === undefined) return clock === 'manual' ? Date.parse(MANUAL_START) : undefined;
  return new Date(start).getTime();
}

function readCapacity(requestLog: MockOptions['requestLog'] = {}): number {
  return requestLog === 'off' ? 0 : (requestLog.requests ?? LOGGED_REQUESTS);
}

function reportDefect(error: unknown): void {
  // oxlint-disable-next-line no-console -- the default listener: a defect must not go unnoticed
  console.error('@service/mock: internal error in the mock', error);
}

/** The parts of `process` that differ between runtimes. */
interface Runtime {
  readonly versions?: Readonly<Partial<Record<'node' | 'bun' | 'deno', string>>>;
  readonly getBuiltinModule?: unknown;
}

/**
 *
 * @throws {SandboxError} on a Node without the sockets of webhooks, before a delivery could fail
 */
function checkRuntime(): void {
  const { process } = globalThis as { readonly process?: Runtime };
  const { node, bun, deno } = process?.versions ?? {};
  const isNode = node !== undefined && bun === undefined && deno === undefined;
  if (!isNode || process?.getBuiltinModule !== undefined) return;
  throw new SandboxError('invalid_state', `@service/mock needs Node 20.16 or later, not ${node}.`);
}
