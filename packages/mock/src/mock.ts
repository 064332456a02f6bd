import { type AddressPolicy, createAddressPolicy } from './delivery/address.ts';
import { createDeliveries } from './delivery/deliveries.ts';
import { type Carrier, carryWith, createSend, type Fetch, IO_TIMEOUT } from './delivery/send.ts';
import { createDirectCarrier } from './adapters/direct.ts';
import { fetchWith } from './adapters/fetch.ts';
import { keepInSession } from './adapters/session.ts';
import { createApp } from './http/app.ts';

import { BASE_PATH } from './http/route.ts';
import { CORE, type Mock, REPORT_DEFECT } from './core.ts';
import { checkOptions, type MockOptions } from './options.ts';
import { defaultProfile } from './domain/profile.ts';
import { createAccountControl, showAccount } from './sandbox/accounts.ts';
import { findAccount } from './sandbox/locate.ts';
import { createSandbox, type SandboxParts } from './sandbox/sandbox.ts';
import { createClock } from './world/clock.ts';
import { createFaults } from './world/faults.ts';
import { createJournal } from './world/journal.ts';
import { createRateLimiter } from './world/rate-limit.ts';
import { drawSeed } from './world/ids.ts';
import { readProfile } from './world/profile.ts';
import { SandboxError } from './world/sandbox-error.ts';
import { createWorld } from './world/world.ts';

const MANUAL_START = '2026-01-31T12:00:00Z';
const BASE_URL = `http://localhost:4010${BASE_PATH}`;
const JOURNAL_REQUESTS = 10_000;
const JOURNAL_CHARACTERS = 32 * 2 ** 20;

// Kept from load time, so that the deliveries of a page pass by whatever replaces `fetch` later.
const nativeFetch = globalThis.fetch;
const sendFromPage: Fetch = (request) => {
  // MSW's service worker lets pass what carries this value, and takes it off; nothing else minds it.
  request.headers.set('Accept', '*/*, msw/passthrough');
  return nativeFetch(request);
};

/**
 * Creates a sandbox that shares nothing with any other (contract.md). Throws `SandboxError` for a bad option.
 *
 * @example
 * const mock = createMock({ clock: 'manual' });
 * const client = createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
 */
export function createMock(options: MockOptions = {}): Mock {
  checkRuntime();
  checkOptions(options);
  const onDefect = options.onDefect ?? reportDefect;
  const parts = createParts(options);
  createAccountControl(parts.world).create({ name: 'default' });
  const handle = createApp({ ...parts, cors: options.cors ?? 'off', onDefect });
  const sandbox = createSandbox(parts);
  const baseUrl = options.baseUrl ?? BASE_URL;
  const keeper =
    options.persist === undefined ? undefined : keepInSession(sandbox, { name: baseUrl, onError: onDefect });
  const close = async (): Promise<void> => {
    parts.world.clock.stop();
    await parts.deliveries.close();
    await keeper?.flush().catch(onDefect);
    keeper?.stop();
  };
  return {
    fetch: fetchWith(handle),
    get account() {
      return showAccount(findAccount(parts.world, undefined));
    },
    baseUrl,
    sandbox,
    close,
    [Symbol.asyncDispose]: close,
    [CORE]: handle,
    [REPORT_DEFECT]: onDefect,
  };
}

/** Creates what the service and the control of a mock share. */
function createParts(options: MockOptions): SandboxParts {
  const clock = createClock(options.clock ?? 'real', readStart(options));
  const addresses = createAddressPolicy(options.webhooks?.allowHosts ?? []);
  const [send, carry] = [createSend(IO_TIMEOUT), createCarrier(options, addresses)];
  const deliveries = createDeliveries({ clock, send, carry, addresses, limit: IO_TIMEOUT });
  const seed = String(options.seed ?? drawSeed());
  const world = createWorld({
    clock,
    seed,
    profile: readProfile('createMock', options.profile ?? {}, defaultProfile),
    admission: options.accounts ?? 'strict',
    announce: deliveries.announce,
  });
  const journal = createJournal({ requests: readCapacity(options.journal), characters: JOURNAL_CHARACTERS });
  return { world, deliveries, rateLimiter: createRateLimiter(clock), faults: createFaults(seed), journal };
}

/** Chooses how deliveries leave: by the user's own `fetch`, straight over a socket, or by that of the browser. */
function createCarrier({ fetch }: MockOptions, { allowsAddress }: AddressPolicy): Carrier {
  if (fetch !== undefined) return carryWith(fetch);
  return createDirectCarrier({ allowsAddress }) ?? carryWith(sendFromPage);
}

function readStart({ clock, start }: MockOptions): number | undefined {
  if (start === undefined) return clock === 'manual' ? Date.parse(MANUAL_START) : undefined;
  return new Date(start).getTime();
}

function readCapacity(journal: MockOptions['journal'] = {}): number {
  return journal === 'off' ? 0 : (journal.requests ?? JOURNAL_REQUESTS);
}

function reportDefect(error: unknown): void {
  // oxlint-disable-next-line no-console -- the one message that nobody asked for: the mock itself is broken
  console.error('@service/mock: a defect of the mock itself', error);
}

/** Refuses a runtime that lacks what the sandbox is built on: there, calls would be made and nobody would hear of them. */
function checkRuntime(): void {
  if (typeof Promise.withResolvers === 'function') return;
  throw new SandboxError(
    'invalid_state',
    '@service/mock needs Node 22.12 or later, or a browser of 2024 or later.',
  );
}
