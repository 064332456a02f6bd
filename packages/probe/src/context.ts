import { type JsonObject, type Micro, type Template, toMicro } from '@service/internal';
import { Inconclusive, type Finding, type ProfileSetting } from './finding.ts';
import type { ProbePlan } from './options.ts';
import { type SendRequest, describeResponse, type RawRequest, type RawResponse } from './raw-client.ts';
import type { BalanceResponse } from './experiments/balance-shape.ts';
import type { RateReading } from './experiments/rate-changes.ts';
import type { MeasuredTiers } from './experiments/rate-tiers.ts';
import type { WatchedPayment } from './experiments/watch.ts';
import type { RefusedRequests } from './experiments/refusal-requests.ts';
import type { Quoted } from './quote.ts';
import type { WebhookRecorder } from './recorder.ts';
import type { HeaderSample } from './templates/headers.ts';
import type { DefaultForms, KnownValues } from './templates/known.ts';
import type { HeaderReading } from './templates/limits.ts';
import { emptyDetails, readPayment } from './templates/values.ts';

/** The dependencies of the experiments. */
export interface ProbeContext {
  readonly plan: ProbePlan;
  readonly send: SendRequest;
  /** Sends once: a 429 is returned, not retried. */
  readonly sendOnce: SendRequest;
  readonly key: string;
  /** The recorder of the account's webhooks; undefined if this process receives none. */
  readonly recorder: WebhookRecorder | undefined;
  /** Waits some milliseconds. Rejects when the run is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
  /** The responses of an exceeded rate limit so far. */
  readonly limited: RawResponse[];
  /** The refused requests, or the reason why there are none. */
  readonly refused: (RefusedRequests | { readonly reason: string })[];
  /** The responses of replayed creates. */
  readonly replays: HeaderSample[];
  /** Runs a measurement of the wallet, or one whose payments change its balance, without another one meanwhile. */
  readonly lockWallet: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** The headers of the successful responses that `responseTimes` has, in their order. */
  readonly readings: readonly HeaderReading[];
  /** The headers of every successful response as templates; null for those that the mock must leave out. */
  readonly headers: Map<string, string | null>;
  /** The templates of the fields beside `data` of every successful response by name. */
  readonly envelope: Record<string, Template>;
  /** The payments of the experiments about shapes and failures, whose rows in the history are recognized by their values. */
  readonly made: MadePayment[];
  readonly market: MarketReadings;
  /** The responses with different balances so far, oldest first. */
  readonly balances: BalanceResponse[];
  /** Called with the time for which reads did not show a new payment, in milliseconds. */
  readonly onReadLag: (milliseconds: number) => void;
  /** The status and the values in the responses to creates, by the id of the payment. */
  readonly created: Map<string, CreatedPayment>;
  /** The payments that the experiments have watched so far. */
  readonly watched: WatchedPayment[];
  /** The first response to a read of each status of each payment. */
  readonly shown: ShownPayment[];
  /** The times of the successful responses so far that did not share the service with another request, in milliseconds. */
  readonly responseTimes: readonly number[];
}

/** A payment in the response to its create. */
interface CreatedPayment {
  readonly status: string;
  readonly known: KnownValues;
}

/** A payment in the first response that showed its status. */
interface ShownPayment {
  readonly id: string;
  readonly status: string;
  /** The time of the response, and that of the create. */
  readonly at: number;
  readonly createdAt: number;
  readonly response: RawResponse;
}

/** The quotes of a run. */
interface MarketReadings {
  /** The last quote of each pair, such as `USD/EUR`. */
  readonly quotes: Map<string, Quoted>;
  /** The rates by pair and amount in hundredths. */
  readonly prices: Map<string, Map<bigint, Micro>>;
  /** The rates of the tiers of amounts; undefined if the rate does not depend on the amount. */
  tiers?: MeasuredTiers;
  /** The rates of the pair of the plan that were read one after the other. */
  readonly readings: RateReading[];
  /** The rates of its other quotes, for the amount of the plan. */
  readonly others: RateReading[];
}

/** A payment of the experiments about shapes and failures. */
interface MadePayment {
  /** The response to its create. */
  readonly response: RawResponse;
  readonly known: KnownValues;
  /** The forms of its response. */
  readonly forms: DefaultForms;
  /** Whether no other payment of the probe has its amount. */
  readonly isOnlyAmount: boolean;
}

/** A measurement of one or more settings. */
export interface Experiment {
  readonly settings: readonly ProfileSetting[];
  /** The subject for the progress, of an experiment without settings. */
  readonly subject?: string;
  /** Whether the experiment creates test payments. */
  readonly pays?: true;
  readonly run: (context: ProbeContext) => Promise<readonly Finding[]>;
}

/** Requests a quote; `changes` override fields of the plan. */
export async function requestQuote(
  { send, plan, now, market }: ProbeContext,
  changes: object = {},
): Promise<RawResponse> {
  const { from: from_currency, to: to_currency, amount } = plan;
  const since = now();
  const body = { from_currency, to_currency, amount: Number(amount), ...changes };
  const response = await send('/quotes', { body });
  const rate = response.accepted ? toMicro(response.data.rate) : undefined;
  // The rate of another amount can have another fee.
  if (rate !== undefined && Object.keys(changes).length === 0) market.others.push({ since, at: now(), rate });
  return response;
}

/**
 * Requests a quote and returns its data.
 *
 * @throws {Inconclusive} when the service responds with an error.
 */
export async function requireQuote(context: ProbeContext, changes: object = {}): Promise<JsonObject> {
  return requireData(await requestQuote(context, changes), 'POST /quotes');
}

/** Creates a test payment of the plan; `changes` override its fields. */
export async function createTestPayment(
  { send, plan, created }: ProbeContext,
  changes: object = {},
  request: RawRequest = {},
): Promise<RawResponse> {
  const { from: from_currency, to: to_currency, amount, name: beneficiary_name } = plan;
  const body = { from_currency, to_currency, amount: Number(amount), beneficiary_name, ...changes };
  const response = await send('/payments', { ...request, body });
  const { id, status } = response.accepted ? response.data : {};
  if (typeof id === 'string' && typeof status === 'string')
    created.set(id, { status, known: readPayment(response.data, { ...emptyDetails, ...body }, {}) });
  return response;
}

/** Creates a payment to the account whose creates are refused. Undefined without one. */
export async function createUnavailable(context: ProbeContext): Promise<RawResponse | undefined> {
  const { unavailable: beneficiary_account } = context.plan;
  if (beneficiary_account === undefined) return undefined;
  return createTestPayment(context, { beneficiary_account }, { isOutage: true });
}

/**
 * Returns the data of a response.
 *
 * @throws {Inconclusive} when the response is not a success.
 */
export function requireData(response: RawResponse, operation: string): JsonObject {
  if (response.accepted) return response.data;
  const received = describeResponse(response);
  const lacksFunds = received === '422 insufficient_funds';
  const advice = lacksFunds ? '; add funds to the wallet of `from`, or lower `amount`' : '';
  throw new Inconclusive(`the service responded to ${operation} with ${received}${advice}`);
}

/**
 * Returns a payment id.
 *
 * @throws {Inconclusive} when the value cannot be used in a path.
 */
export function readId(id: unknown): string {
  if (typeof id === 'string' && /^[\w-]+$/.test(id)) return id;
  throw new Inconclusive('the response has no usable payment id');
}
