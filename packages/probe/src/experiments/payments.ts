import {
  createTestPayment,
  createUnavailable,
  type Experiment,
  type ProbeContext,
  readId,
  requireData,
} from '../context.ts';
import { type Finding, found, other, unknown } from '../finding.ts';
import { describeResponse, isError, isRefusal, type RawRequest, type RawResponse } from '../raw-client.ts';
import { watchAmounts } from './amounts.ts';
import { evaluateDurations, evaluateOutcomes } from './durations.ts';
import { evaluatePath } from './transitions.ts';
import { probeWallet } from './wallet.ts';

/**
 * The experiments about payments: create response, statuses, debit, refund and idempotency. They create test
 * payments.
 */
export const payments: readonly Experiment[] = [
  {
    settings: [
      'readLag',
      'createStatus',
      'absent',
      'timestamps',
      'debitAt',
      'hold',
      'refund',
      'returnRefund',
    ],
    pays: true,
    run: alone(probeWallet),
  },
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

/** Returns true if the service rejected a repeated key: 409, or 422 with a body that mentions idempotency. */
function isConflict({ status, body }: RawResponse): boolean {
  return status === 409 || (status === 422 && /idempoten/i.test(JSON.stringify(body)));
}

function withNewKey(): RawRequest {
  return { headers: { 'idempotency-key': crypto.randomUUID() } };
}

async function probeIdempotency(context: ProbeContext): Promise<Finding[]> {
  const request = withNewKey();
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
  // A service that refuses a new payment too, such as for lack of funds, does not refuse the key.
  const isOfKey = isRefusal(second) && (await createTestPayment(context, {}, withNewKey())).accepted;
  return [isOfKey ? other('idempotency', evidence) : unknown('idempotency', evidence), status];
}

function evaluateReplayStatus(created: RawResponse, replayed: RawResponse): Finding {
  const evidence = `created with ${created.status}, replayed with ${replayed.status}`;
  if (replayed.status === created.status) return found('replayStatus', 'created', evidence);
  return replayed.status === 200 ? found('replayStatus', 200, evidence) : other('replayStatus', evidence);
}
