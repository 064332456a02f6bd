import { type Bench, demand, type Experiment, pay, quoteWell } from './bench.ts';
import { type Finding, found, Inconclusive, other, unknown } from './finding.ts';
import { type Micro, toMicro, writeMicro } from './micro.ts';
import { type Glance, readBalance, watch } from './watch.ts';

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

const known: ReadonlySet<string> = new Set(['pending', 'processing', 'completed', 'failed']);

async function lookAtPayment(bench: Bench): Promise<Finding[]> {
  const before = await readBalance(bench);
  const sighting = await pay(bench);
  const data = demand(sighting, 'POST /payments');
  const { status } = sighting;
  const evidence = `POST /payments: ${status}`;
  const isKnown = status === 200 || status === 201 || status === 202;
  const glances = await watch(bench, readId(data.id), ['completed', 'failed']);
  return [
    isKnown ? found('createStatus', status, evidence) : other('createStatus', evidence),
    judgeAbsent(data.purpose),
    judgeTimestamp(data.created_at),
    ...judgeWalk(glances),
    judgeDebit(glances, before),
  ];
}

/** Reads the id of a payment. Throws Inconclusive when it is none that could stand in a path. */
export function readId(id: unknown): string {
  if (typeof id === 'string' && /^[\w-]+$/.test(id)) return id;
  throw new Inconclusive('the payment has no id that could be looked up');
}

function judgeAbsent(purpose: unknown): Finding {
  const evidence = `no purpose given: ${JSON.stringify(purpose) ?? 'absent'}`;
  if (purpose === undefined) return found('absent', 'omit', evidence);
  if (purpose === null) return found('absent', 'null', evidence);
  return purpose === '' ? found('absent', 'empty', evidence) : other('absent', evidence);
}

const forms = {
  offset: /T\d\d:\d\d:\d\d[+-]\d\d:\d\d$/,
  zulu: /T\d\d:\d\d:\d\dZ$/,
  compactOffset: /T\d\d:\d\d:\d\d[+-]\d{4}$/,
  fraction: /T\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d$/,
} as const;

function judgeTimestamp(value: unknown): Finding {
  const evidence = `"created_at": ${JSON.stringify(value)}`;
  for (const form of ['offset', 'zulu', 'compactOffset', 'fraction'] as const) {
    if (forms[form].test(String(value))) return found('timestamps', form, evidence);
  }
  return other('timestamps', evidence);
}

/** Judges which way a payment went. */
function judgeWalk(glances: readonly Glance[]): Finding[] {
  const seen = [...new Set(glances.map(({ status }) => status))];
  const evidence = `seen: ${seen.join(', ')}`;
  const isOver = seen.includes('completed');
  const stranger = seen.find((status) => !known.has(status));
  const isWalk = seen.includes('processing');
  const late = 'no payment completed while it was watched, --timeout watches longer';
  return [
    isWalk ? found('transitions', 'walk', evidence) : judgeSkip(glances, isOver ? evidence : late),
    judgeStranger(stranger, isWalk && isOver, isOver ? evidence : late),
  ];
}

const ENOUGH_LOOKS = 5;

/** A status that was never seen may have gone by between two looks, unless the one before was seen again and again. */
function judgeSkip(glances: readonly Glance[], evidence: string): Finding {
  const isOver = glances.some(({ status }) => status === 'completed');
  const looks = glances.reduce((sum, one) => (one.status === 'pending' ? sum + one.looks : sum), 0);
  if (isOver && looks >= ENOUGH_LOOKS)
    return found('transitions', 'skip', `${evidence}; pending ${looks} times`);
  return unknown('transitions', isOver ? `${evidence}: too fast to be watched` : evidence);
}

/** Where a payment skips statuses, it may skip one that nobody knows as well. */
function judgeStranger(stranger: string | undefined, isWhole: boolean, evidence: string): Finding {
  if (stranger !== undefined) return found('unknownStatus', 'invented', evidence);
  return isWhole ? found('unknownStatus', 'none', evidence) : unknown('unknownStatus', evidence);
}

const stages = ['pending', 'processing', 'completed'] as const;
const debitOf = { pending: 'create', processing: 'processing', completed: 'completed' } as const;

function judgeDebit(glances: readonly Glance[], before: Micro): Finding {
  const seen = stages.map((status) => ({ status, glance: glances.findLast((one) => one.status === status) }));
  const trail = glances.map(({ status, balance }) => `${status} ${writeMicro(balance)}`).join(', ');
  const evidence = `before ${writeMicro(before)}, ${trail}`;
  const undebited: string[] = [];
  for (const { status, glance } of seen) {
    if (glance === undefined) continue;
    if (glance.balance < before) return placeDebit(status, { undebited, seen, evidence });
    undebited.push(status);
  }
  return unknown('debitAt', `the wallet was not debited: ${evidence}`);
}

type Trail = {
  readonly undebited: readonly string[];
  readonly seen: readonly { readonly status: (typeof stages)[number]; readonly glance: Glance | undefined }[];
  readonly evidence: string;
};

/** The debit came with the first status that was seen after the last one without it, or with one that nobody saw between. */
function placeDebit(status: (typeof stages)[number], { undebited, seen, evidence }: Trail): Finding {
  const missed = seen.filter(
    (one) => one.glance === undefined && stages.indexOf(one.status) < stages.indexOf(status),
  );
  const isCertain = missed.every((one) =>
    undebited.some((earlier) => stages.findIndex((stage) => stage === earlier) > stages.indexOf(one.status)),
  );
  if (isCertain) return found('debitAt', debitOf[status], evidence);
  const among = [...missed.map((one) => debitOf[one.status]), debitOf[status]];
  return unknown('debitAt', `debited between two looks: ${evidence}`, among);
}

async function lookAtRefund(bench: Bench): Promise<Finding[]> {
  const { failing, returning } = bench.plan;
  const fee = toMicro((await quoteWell(bench)).fee);
  if (fee === undefined) throw new Inconclusive('the fee of a quote cannot be read');
  const failure = await fail(bench, failing, ['completed', 'failed']);
  if (failure.debited) return [judgeRefund(failure, fee)];
  // Where the wallet is debited at the end, only a payment that is returned shows a refund.
  const back = await fail(bench, returning, ['failed']);
  if (back.debited) return [judgeRefund(back, fee)];
  return [unknown('refund', 'no payment that was debited failed')];
}

type Failure = {
  readonly before: Micro;
  readonly lowest: Micro;
  readonly after: Micro;
  readonly debited: boolean;
};

/** Lets a payment fail, and sees what the wallet does. Throws Inconclusive when it does not fail. */
async function fail(bench: Bench, account: string, until: readonly string[]): Promise<Failure> {
  const before = await readBalance(bench);
  const { id } = demand(await pay(bench, { beneficiary_account: account }), 'POST /payments');
  const glances = await watch(bench, readId(id), until);
  const last = glances.at(-1);
  if (last?.status !== 'failed') {
    throw new Inconclusive(
      `a payment to the account ${account} did not fail; --failing and --returning name accounts with which payments do`,
    );
  }
  const lowest = glances.reduce((least, { balance }) => (balance < least ? balance : least), before);
  const after = last.balance < before ? await awaitRefund(bench) : last.balance;
  return { before, lowest, after, debited: lowest < before };
}

const REFUND_PAUSES = [200, 400, 800] as const;

/** Reads the balance a while after a failure: the money may come back later than the status. */
async function awaitRefund(bench: Bench): Promise<Micro> {
  for (const pause of REFUND_PAUSES) await bench.sleep(pause, bench.signal);
  return readBalance(bench);
}

function judgeRefund({ before, lowest, after }: Failure, fee: Micro): Finding {
  const evidence = `before ${writeMicro(before)}, debited ${writeMicro(lowest)}, failed ${writeMicro(after)}, fee ${writeMicro(fee)}`;
  if (after === before)
    return fee > 0n ? found('refund', 'full', evidence) : unknown('refund', evidence, ['full', 'lessFee']);
  if (after === lowest) return found('refund', 'none', evidence);
  return after === before - fee ? found('refund', 'lessFee', evidence) : other('refund', evidence);
}

async function lookAtIdempotency(bench: Bench): Promise<Finding[]> {
  const question = { headers: { 'idempotency-key': crypto.randomUUID() } };
  const first = demand(await pay(bench, {}, question), 'POST /payments with an Idempotency-Key');
  const second = await pay(bench, {}, question);
  const again = `the same request with the same Idempotency-Key: ${second.status}`;
  if (second.status === 409) return [found('idempotency', 'conflictOnReplay', again)];
  if (!second.accepted) return [other('idempotency', again)];
  const { id } = second.data;
  const evidence = `${again}, ${id === first.id ? 'the same payment' : 'another payment'}`;
  return [found('idempotency', id === first.id ? 'on' : 'off', evidence)];
}
