import { type JsonObject, toRecord } from '@service/internal';
import {
  createTestPayment,
  createUnavailable,
  type Experiment,
  type ProbeContext,
  readId,
  requireData,
} from '../context.ts';
import { explainInconclusive, type Finding, found, measureSetting, other, unknown } from '../finding.ts';
import { describeResponse, formatValue, isError, isRefusal, type RawResponse } from '../raw-client.ts';
import { evaluateDebit, probeRefunds, readWallet, type WalletReading } from './debit.ts';
import { watchAmounts } from './amounts.ts';
import { evaluateDurations, evaluateOutcomes } from './durations.ts';
import { evaluateInvented } from './extra-statuses.ts';
import { readHistory } from './history-reader.ts';
import { probeHold } from './hold.ts';
import { probeReadLag } from './read-lag.ts';
import { readTimestampForm } from '../templates/known.ts';
import { documented, MAX_GAP, MIN_READS } from './statuses.ts';
import { type PaymentHistory, type WatchedPayment, watchPayment } from './watch.ts';

/**
 * The experiments about payments: create response, statuses, debit, refund and idempotency. They create test
 * payments.
 */
export const payments: readonly Experiment[] = [
  // First: an earlier payment could change the balance late.
  { settings: ['readLag'], pays: true, run: alone(probeReadLag) },
  {
    settings: ['createStatus', 'absent', 'timestamps', 'debitAt', 'hold'],
    pays: true,
    run: alone(probePayment),
  },
  { settings: ['refund', 'returnRefund'], pays: true, run: alone(probeRefunds) },
  {
    settings: ['transitions', 'unknownStatus', 'durations', 'outcomes'],
    pays: true,
    run: alone(evaluatePayments),
  },
  { settings: ['idempotency', 'replayStatus'], pays: true, run: probeIdempotency },
];

/** Runs an experiment that reads the balance of the wallet while no payment of another track changes it. */
function alone(run: Experiment['run']): Experiment['run'] {
  return (context) => context.lockWallet(() => run(context));
}

async function probePayment(context: ProbeContext): Promise<Finding[]> {
  const wallet = await readWallet(context);
  const response = await createTestPayment(context);
  const data = requireData(response, 'POST /payments');
  const { status } = response;
  const evidence = `POST /payments: ${status}`;
  const isKnown = status === 200 || status === 201 || status === 202;
  return [
    isKnown ? found('createStatus', status, evidence) : other('createStatus', evidence),
    evaluateAbsent(data),
    evaluateTimestamp(data.created_at),
    ...(await followPayment(context, data, wallet)),
  ];
}

/**
 * Evaluates the statuses and the debit of a payment. If they cannot be read, the settings of the create
 * response are still measured.
 */
async function followPayment(
  context: ProbeContext,
  data: JsonObject,
  wallet: WalletReading,
): Promise<Finding[]> {
  try {
    const watched = await watchPayment(context, readId(data.id), { until: ['completed', 'failed'] });
    const { observations } = watched;
    const path = evaluateTransitions(watched, listReportedStatuses(context, watched.id), [watched]);
    const skipsProcessing = path.some((one) => one.state === 'found' && one.value === 'skip');
    const measured = evaluateDebit(observations, { ...wallet, skipsProcessing });
    const debit = await narrowDebit(context, measured, watched.id);
    return [debit, await measureSetting('hold', () => probeHold(context, { debit, wallet, observations }))];
  } catch (error) {
    const message = explainInconclusive(error);
    return (['debitAt', 'hold'] as const).map((name) => unknown(name, message));
  }
}

/**
 * Narrows the possible times of a debit with a payment that fails: if the history has no row of it, none of its
 * statuses debits the wallet. `completed` is the id of a payment that the history must show.
 */
async function narrowDebit(context: ProbeContext, debit: Finding, completed: string): Promise<Finding> {
  if (debit.state !== 'unknown' || debit.among === undefined) return debit;
  const { failing } = context.plan;
  const response = await createTestPayment(context, { beneficiary_account: failing });
  const id = readId(requireData(response, 'POST /payments').id);
  const { observations, statuses } = await watchPayment(context, id, {
    until: ['completed', 'failed'],
    account: failing,
  });
  const history = readHistory(await context.send('/transactions?per_page=100'));
  const rows = 'problem' in history ? [] : history.raw.map((row) => JSON.stringify(row));
  const isDebited = new Set(observations.map(({ balance }) => balance)).size > 1;
  const isShown = rows.some((row) => row.includes(completed)) && !rows.some((row) => row.includes(id));
  if (statuses.at(-1) !== 'failed' || isDebited || !isShown) return debit;
  const passed = new Set([...listReportedStatuses(context, id), ...statuses]);
  const among = debitTimes.filter(
    (value) => debit.among?.includes(value) && !passed.has(value === 'create' ? 'pending' : value),
  );
  const evidence = `${debit.evidence}; a payment that was ${[...passed].join(', ')} has no row`;
  const [value, ...others] = among;
  if (value === undefined) return debit;
  return others.length === 0 ? found('debitAt', value, evidence) : unknown('debitAt', evidence, among);
}

const debitTimes = ['create', 'processing', 'completed'] as const;

/** Returns the statuses in the create response and in webhooks: polling may miss them. */
function listReportedStatuses({ recorder, created }: ProbeContext, id: string): string[] {
  const reported = (recorder?.webhooks ?? []).filter((one) => one.id === id).map((one) => one.status);
  const status = created.get(id)?.status;
  return status === undefined ? reported : [status, ...reported];
}

/** Determines the path of payments from the one whose reads are the closest, and from the statuses of all. */
function evaluatePath(context: ProbeContext): Finding[] {
  const completed = context.watched.filter(({ statuses }) => statuses.includes('completed'));
  const [best = context.watched[0]] = completed.toSorted((one, two) => one.gap - two.gap);
  if (best === undefined)
    return (['transitions', 'unknownStatus'] as const).map((name) => unknown(name, 'no payment was read'));
  const reported = context.watched.flatMap(({ id }) => listReportedStatuses(context, id));
  const others = context.watched.flatMap(({ statuses }) => statuses);
  const statuses = [...new Set([...best.statuses, ...others])];
  return evaluateTransitions({ ...best, statuses }, reported, context.watched);
}

/** Watches payments of other amounts, and evaluates all payments so far: their path, the time in each status and their outcomes. */
async function evaluatePayments(context: ProbeContext): Promise<Finding[]> {
  await watchAmounts(context);
  const { watched, plan, recorder } = context;
  const response = await createUnavailable(context);
  const isRefused = response !== undefined && isError(response);
  return [
    ...evaluatePath(context),
    evaluateDurations(watched),
    evaluateOutcomes({ watched, webhooks: recorder?.webhooks ?? [], isRefused }, plan),
  ];
}

/**
 * Determines the path of a payment; `reported` are its statuses in the create response and in webhooks, and `all` are the
 * payments whose amounts tell which ones have another status.
 */
export function evaluateTransitions(
  watched: PaymentHistory,
  reported: readonly string[],
  all: readonly WatchedPayment[],
): Finding[] {
  const statuses = [...new Set([...reported, ...watched.statuses])];
  const isCompleted = watched.statuses.includes('completed');
  const evidence = isCompleted
    ? `observed: ${statuses.join(', ')}; longest gap between two reads ${Math.ceil(watched.gap)} ms`
    : 'no payment completed in time; raise `timeout`';
  const hasProcessing = statuses.includes('processing');
  const hasNoGap = isCompleted && watched.gap <= MAX_GAP;
  const transitions = hasProcessing
    ? found('transitions', 'walk', `observed: ${statuses.join(', ')}`)
    : evaluateSkip(watched, hasNoGap, evidence);
  const invented = evaluateInvented(all);
  if (invented !== undefined) return [transitions, invented];
  // A status that only the create response or a webhook has is no status of the payment.
  const unread = statuses.find((status) => !documented.has(status) && !watched.statuses.includes(status));
  if (unread !== undefined)
    return [transitions, other('unknownStatus', `observed: ${statuses.join(', ')}; ${unread} in no read`)];
  // A payment that skips statuses may also skip an undocumented one.
  return [
    transitions,
    hasNoGap && hasProcessing
      ? found('unknownStatus', 'none', evidence)
      : unknown('unknownStatus', isCompleted ? `${evidence}, so another status can be missed` : evidence),
  ];
}

/**
 * Determines that `processing` is skipped. An unobserved status may have passed between two reads, unless the
 * status before it was read often.
 */
function evaluateSkip({ observations }: PaymentHistory, hasNoGap: boolean, evidence: string): Finding {
  const reads = observations.reduce((sum, one) => (one.status === 'pending' ? sum + one.reads : sum), 0);
  return hasNoGap && reads >= MIN_READS
    ? found('transitions', 'skip', `${evidence}; pending in ${reads} reads`)
    : unknown('transitions', evidence);
}

/** Compares the fields that the request did not supply; all must be absent in the same form. */
export function evaluateAbsent({ purpose, beneficiary }: JsonObject): Finding {
  const { bank, account, country } = toRecord(beneficiary);
  const fields = Object.entries({ purpose, bank, account, country });
  const evidence = fields.map(([name, value]) => `${name} ${formatValue(value)}`).join(', ');
  const [value, ...more] = new Set(fields.map(([, one]) => one));
  if (more.length > 0) return other('absent', evidence);
  if (value === undefined) return found('absent', 'omit', evidence);
  if (value === null) return found('absent', 'null', evidence);
  return value === '' ? found('absent', 'empty', evidence) : other('absent', evidence);
}

const timestampNames: Readonly<Record<string, 'offset' | 'zulu' | 'compactOffset' | 'fraction'>> = {
  '0 +00:00': 'offset',
  '0 Z': 'zulu',
  '0 +0000': 'compactOffset',
  '3 +00:00': 'fraction',
};

export function evaluateTimestamp(value: unknown): Finding {
  const evidence = `"created_at": ${formatValue(value)}`;
  const form = readTimestampForm(value);
  if (form === undefined) return other('timestamps', evidence);
  return found('timestamps', timestampNames[`${form.digits} ${form.zone}`] ?? form, evidence);
}

/** Returns true if the service rejected a repeated key: 409, or 422 with a body that mentions idempotency. */
function isConflict({ status, body }: RawResponse): boolean {
  return status === 409 || (status === 422 && /idempoten/i.test(JSON.stringify(body)));
}

async function probeIdempotency(context: ProbeContext): Promise<Finding[]> {
  const request = { headers: { 'idempotency-key': crypto.randomUUID() } };
  const created = await createTestPayment(context, {}, request);
  const first = readId(requireData(created, 'POST /payments with an Idempotency-Key').id);
  const second = await createTestPayment(context, {}, request);
  const evidence = `same request and Idempotency-Key: ${describeResponse(second)}`;
  const status = unknown('replayStatus', 'no create was replayed');
  if (isConflict(second)) return [found('idempotency', 'conflict', evidence), status];
  if (second.accepted) {
    const isSame = readId(second.data.id) === first;
    const detail = `${evidence}, ${isSame ? 'the same payment' : 'another payment'}`;
    if (!isSame) return [found('idempotency', 'ignored', detail), status];
    const known = { id: { kind: 'text', text: first } } as const;
    context.replays.push({ headers: second.headers, known });
    const third = await createTestPayment(context, { amount: Number(context.plan.amount) + 2 }, request);
    const isAny = third.accepted && readId(third.data.id) === first;
    return [
      isAny
        ? found('idempotency', 'replayedAny', `${detail}; the same for another request`)
        : found('idempotency', 'replayed', detail),
      evaluateReplayStatus(created, second),
    ];
  }
  const lacksFunds = toRecord(toRecord(second.body).error).type === 'insufficient_funds';
  return [
    isRefusal(second) && !lacksFunds ? other('idempotency', evidence) : unknown('idempotency', evidence),
    status,
  ];
}

function evaluateReplayStatus(created: RawResponse, replayed: RawResponse): Finding {
  const evidence = `created with ${created.status}, replayed with ${replayed.status}`;
  if (replayed.status === created.status) return found('replayStatus', 'created', evidence);
  return replayed.status === 200 ? found('replayStatus', 200, evidence) : other('replayStatus', evidence);
}
