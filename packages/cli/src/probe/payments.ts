import { type Fields, toRecord } from '../json.ts';
import { type Bench, demand, type Experiment, pay, readId } from './bench.ts';
import { judgeDebit, type Purse } from './debit.ts';
import { type Finding, found, Inconclusive, NoAnswer, other, unknown } from './finding.ts';
import { lookAtRefund, readPurse } from './refund.ts';
import { judgeWalk } from './walk.ts';
import { watch } from './watch.ts';
import { describe, isRefusal, type Sighting, writeValue } from './wire.ts';

/** Looks at payments: what is answered, how they go on, and when the wallet is debited (spec §3, §4). They are test payments. */
export const payments: readonly Experiment[] = [
  {
    settings: ['createStatus', 'absent', 'timestamps', 'transitions', 'unknownStatus', 'debitAt'],
    pays: true,
    look: lookAtPayment,
  },
  { settings: ['refund'], pays: true, look: lookAtRefund },
  { settings: ['idempotency'], pays: true, look: lookAtIdempotency },
];

async function lookAtPayment(bench: Bench): Promise<Finding[]> {
  const purse = await readPurse(bench);
  const sighting = await pay(bench);
  const data = demand(sighting, 'POST /payments');
  const { status } = sighting;
  const evidence = `POST /payments: ${status}`;
  const isKnown = status === 200 || status === 201 || status === 202;
  return [
    isKnown ? found('createStatus', status, evidence) : other('createStatus', evidence),
    judgeAbsent(data),
    judgeTimestamp(data.created_at),
    ...(await followPayment(bench, data, purse)),
  ];
}

/** Judges what becomes of a payment; if that cannot be read, the answer to its create still tells the other settings. */
async function followPayment(bench: Bench, data: Fields, purse: Purse): Promise<Finding[]> {
  try {
    const watched = await watch(bench, readId(data.id), ['completed', 'failed']);
    return [...judgeWalk(watched, listHeard(bench, data)), judgeDebit(watched.glances, purse)];
  } catch (error) {
    // Without any answer, the run is not complete.
    if (!(error instanceof Inconclusive) || error instanceof NoAnswer) throw error;
    const { message } = error;
    return (['transitions', 'unknownStatus', 'debitAt'] as const).map((name) => unknown(name, message));
  }
}

/** Lists the statuses of a payment that the answer to its creation and webhooks tell: looking may miss them. */
function listHeard({ inbox }: Bench, { id, status }: Fields): string[] {
  const told = (inbox?.arrivals ?? []).filter((one) => one.id === id).map((one) => one.status);
  return typeof status === 'string' ? [status, ...told] : told;
}

/** Judges the fields that were not given, which are to be absent in one way. */
function judgeAbsent({ purpose, beneficiary }: Fields): Finding {
  const { bank, account, country } = toRecord(beneficiary);
  const fields = Object.entries({ purpose, bank, account, country });
  const evidence = fields.map(([name, value]) => `${name} ${writeValue(value)}`).join(', ');
  const [value, ...more] = new Set(fields.map(([, one]) => one));
  if (more.length > 0) return other('absent', evidence);
  if (value === undefined) return found('absent', 'omit', evidence);
  if (value === null) return found('absent', 'null', evidence);
  return value === '' ? found('absent', 'empty', evidence) : other('absent', evidence);
}

const forms = {
  offset: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/,
  zulu: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  compactOffset: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/,
  fraction: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d$/,
} as const;

function judgeTimestamp(value: unknown): Finding {
  const evidence = `"created_at": ${writeValue(value)}`;
  for (const form of ['offset', 'zulu', 'compactOffset', 'fraction'] as const) {
    if (typeof value === 'string' && forms[form].test(value)) return found('timestamps', form, evidence);
  }
  return other('timestamps', evidence);
}

/** Whether a service answers a repeated key with a conflict: 409, or 422 with a word of the key. */
function isConflict({ status, body }: Sighting): boolean {
  return status === 409 || (status === 422 && /idempoten/i.test(JSON.stringify(body)));
}

async function lookAtIdempotency(bench: Bench): Promise<Finding[]> {
  const question = { headers: { 'idempotency-key': crypto.randomUUID() } };
  const first = readId(demand(await pay(bench, {}, question), 'POST /payments with an Idempotency-Key').id);
  const second = await pay(bench, {}, question);
  const again = `the same request with the same Idempotency-Key: ${describe(second)}`;
  if (isConflict(second)) return [found('idempotency', 'conflict', again)];
  if (second.accepted) {
    const isSame = readId(second.data.id) === first;
    const evidence = `${again}, ${isSame ? 'the same payment' : 'another payment'}`;
    return [found('idempotency', isSame ? 'replayed' : 'ignored', evidence)];
  }
  const isPoor = toRecord(toRecord(second.body).error).type === 'insufficient_funds';
  return [isRefusal(second) && !isPoor ? other('idempotency', again) : unknown('idempotency', again)];
}
