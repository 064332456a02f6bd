import type { Client } from '@service/sdk';
import { createPayer, type IntentStore, type Payer } from '@service/sdk/intents';
import { modeOfKey, openClient, readSettings, type Settings } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { Session } from '../session.ts';
import type { FileOptions } from './options.ts';

/** Maximum time of a request by default, in milliseconds. */
const DEFAULT_TIMEOUT = 30_000;
/** The assumed difference between clocks by default, in milliseconds. */
const DEFAULT_SKEW = 60_000;
/** Maximum time of a search for payments in milliseconds. Ctrl+C ends it earlier. */
const RECONCILE_TIME = 3_600_000;

/** The client of a run, and the payers over its stores. */
export interface Connection {
  readonly client: Client;
  readonly isLive: boolean;
  readonly baseUrl: string;
  readonly clockSkew: number;
  readonly connectPayer: (store: IntentStore) => Payer;
}

/**
 * Creates the client of a run.
 *
 * @throws {UsageError} when there is no key.
 */
export async function connect(session: Session, options: FileOptions): Promise<Connection> {
  const { timeout = DEFAULT_TIMEOUT, clockSkew = DEFAULT_SKEW } = options;
  const { concurrency, keyRetention } = options;
  const settings = await readSettings(session, timeout);
  const client = await openClient({
    ...settings,
    keyRetention: keyRetention === 'none' ? undefined : keyRetention,
  });
  return {
    client,
    isLive: isLive(settings),
    baseUrl: settings.baseUrl,
    clockSkew,
    connectPayer: (store) =>
      createPayer(client, {
        store,
        concurrency,
        clockSkew,
        // A resumed run waits for the leases of the last one.
        lease: 2 * timeout,
        reconcileTime: RECONCILE_TIME,
      }),
  };
}

function isLive({ apiKey }: Settings): boolean {
  return modeOfKey(apiKey) === 'live';
}

/**
 * Checks the options of a run that depend on each other and on the mode.
 *
 * @throws {UsageError} when one is missing.
 */
export function checkRunOptions(options: FileOptions, connection: Pick<Connection, 'isLive'>): void {
  const { keyRetention, live, wait, waitTimeout } = options;
  if (waitTimeout !== undefined && wait !== true) throw new UsageError('--wait-timeout needs --wait.');
  if (!connection.isLive) return;
  if (live !== true)
    throw new UsageError('The API key is live: the run would pay real money. Pass --live to allow it.');
  if (keyRetention === undefined)
    throw new UsageError(
      'A live key needs --key-retention. Pass none if you have no statement of the service for live mode.',
    );
}
