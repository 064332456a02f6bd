import type { RequestFaultOptions } from '@service/mock';
import type { Ending } from './application.ts';
import type { ScenarioRun } from './run.ts';
import { type Act, again, describe, HELD, RICH, type Scenario } from './scenario.ts';
import { webhooks } from './webhook-scenarios.ts';

const LAG = 1_000;
const SLOW = 300;

/** Triggers at once, after a step, and after the payment can be read. */
async function lose(run: ScenarioRun, fault: RequestFaultOptions, step?: Act, lag = 0): Promise<void> {
  run.fault(fault);
  await run.trigger();
  await step?.(run);
  await run.trigger();
  await run.untilFinal();
  await run.context.clock.sleep(lag, run.context.signal);
  await run.trigger();
}

/** Makes 60 payments of other programs. */
async function payOthers(run: ScenarioRun): Promise<void> {
  for (let number = 1; number <= 60; number += 1)
    run.createPayment({ ...run.order, reference: `other ${number}`, amount: String(number) });
}

/** Triggers twice at the same time while creates are slow, and once more. */
async function together(run: ScenarioRun, second: number): Promise<void> {
  const fault = run.slow(SLOW, 'unlimited');
  await Promise.all([run.trigger(), run.trigger(second)]);
  fault.remove();
  await run.untilFinal();
  await run.trigger();
}

/** Kills the application, or one of its processes, during a create, restarts it and triggers twice. */
async function killDuring(run: ScenarioRun, commit: boolean, how: Ending = 'SIGKILL'): Promise<void> {
  const fault = run.fault({ kind: 'latency', ms: HELD, commit });
  const triggered = run.trigger();
  // Without its body, a create of a client that has left is never made.
  await run.context.service.waitUntil(() => run.creates().some(({ body }) => body !== null));
  if (commit) await run.untilPaid();
  await run.kill(how);
  fault.remove();
  await triggered;
  await run.untilPaid();
  if (how === '--kill') await run.kill();
  await run.start();
  await run.trigger();
  await run.untilFinal();
  await run.trigger();
}

/** Refuses all creates for several triggers. */
async function outage(run: ScenarioRun, fault: RequestFaultOptions): Promise<void> {
  const { remove } = run.fault({ ...fault, times: 'unlimited' });
  for (let count = 0; count < 3; count += 1) await run.trigger();
  remove();
  await run.trigger();
  await run.untilFinal();
  await run.trigger();
}

/** Ends the application after it has accepted the trigger, before its create can make a payment, and starts it again. */
async function loseJob(run: ScenarioRun, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  // A create that was sent nevertheless makes its payment after the kill.
  const held = signal === 'SIGKILL' ? run.fault({ kind: 'latency', ms: HELD, commit: false }) : undefined;
  const isAccepted = await run.sendTrigger();
  await run.kill(signal);
  held?.remove();
  await run.start();
  if (!isAccepted) await run.trigger();
  await run.untilPaid();
}

const one = describe('create', 'one');
const unknown = describe('create', 'unknown');
const refused = describe('create', 'refused');
const job = describe('create', 'one', { needs: ['queue'], cause: 'lost-job' });

const creates: readonly Scenario[] = [
  one('baseline', 'Nothing goes wrong.', (run) => run.trigger()),
  lost('response-lost', 'The connection breaks after the payment was made.', { kind: 'reset_after_commit' }),
  lost('connection-lost', 'The connection breaks before the payment is made.', {
    kind: 'reset_before_commit',
  }),
  lost('error-after-commit', 'The service responds 500 after the commit.', { kind: 'status', status: 500 }),
  lost('truncated', 'The response ends before its Content-Length, in the middle.', { kind: 'truncated' }),
  lost('truncated-silently', 'The response is half of its JSON.', {
    kind: 'truncated',
    contentLength: 'half',
  }),
  lost('empty-response', 'The response has the status 200 and no body.', { kind: 'empty', status: 200 }),
  lost('gateway-error', 'A gateway responds 502 after the commit.', { kind: 'html', status: 502 }),
  lost('key-running', 'The service responds 409: the key is running.', { kind: 'status', status: 409 }),
  unknown('reads-lag', 'The response is lost, and reads show the payment a second later.', {
    profile: { readLag: { payments: LAG, balance: LAG, transactions: LAG } },
    act: (run) => lose(run, { kind: 'reset_after_commit' }, undefined, LAG),
  }),
  unknown('reads-fail', 'The response is lost, and reads fail until the third trigger.', async (run) => {
    run.fault({ kind: 'reset_after_commit' });
    const status = { kind: 'status', status: 503, times: 'unlimited' } as const;
    const reads = (['listTransactions', 'getPayment'] as const).map((operation) =>
      run.fault({ ...status, operation }),
    );
    await run.trigger();
    await run.trigger();
    for (const { remove } of reads) remove();
    await run.untilFinal();
    await run.trigger();
  }),
  unknown(
    'reads-paged',
    'The response is lost, and 60 newer payments are on the first pages of the transactions.',
    (run) => lose(run, { kind: 'reset_after_commit' }, payOthers),
  ),
  unknown(
    'queue-retry',
    'The response is lost, a queue triggers again at once, and that response is lost too.',
    (run) => lose(run, { kind: 'reset_after_commit', times: 2 }),
  ),
  rejects('unavailable', 'The service responds 503 with Retry-After.', { kind: 'status', status: 503 }),
  rejects('rate-limited', 'The service responds 429 with its envelope.', { kind: 'rate_limit' }),
  rejects('rate-limited-by-gateway', 'A gateway responds 429 with HTML.', { kind: 'html', status: 429 }),
  refused('unavailable-for-long', 'The service responds 503 to three triggers, and works again.', (run) =>
    outage(run, { kind: 'status', status: 503 }),
  ),
  one('rate-limited-for-long', 'The service responds 429 to three triggers, and works again.', (run) =>
    outage(run, { kind: 'rate_limit' }),
  ),
  refused(
    'key-replaced',
    'The API key is replaced, and the application gets the new one at its next start.',
    async (run) => {
      const { testKey } = run.context.service.mock.sandbox.accounts.regenerateKey();
      await run.trigger();
      await run.kill('SIGTERM');
      await run.start({ SERVICE_API_KEY: testKey });
      await run.trigger();
    },
  ),
  refused(
    'insufficient-funds',
    'The wallet is empty, and filled before the trigger is repeated.',
    async (run) => {
      await run.context.service.setBalances('0');
      await run.trigger();
      await run.context.service.setBalances(RICH);
      await run.trigger();
    },
  ),
  refused('fails-later', 'The payment fails after it was accepted.', {
    isJudgedByHandled: true,
    profile: { outcomes: [{ outcome: 'fail' }] },
    act: (run) => run.trigger(),
  }),
  refused('returned', 'The payment completes, and the bank returns it.', {
    isReturned: true,
    profile: { outcomes: [{ outcome: 'return' }] },
    async act(run) {
      await run.trigger();
      await run.untilFinal();
      await run.untilFinal(['failed']);
    },
  }),
  one('equal-invoices', 'Two references have the same amount and beneficiary.', async (run) => {
    const { reference: _, ...equal } = run.order;
    const other = run.addOrder(equal);
    await run.trigger();
    await run.trigger(0, other);
    await run.untilFinal();
    await run.trigger(0, other);
  }),
  one('amount-changed', 'The trigger is repeated with another amount.', {
    needs: ['amount'],
    cause: 'changed-amount',
    act: async (run) => {
      await run.trigger();
      await run.untilFinal();
      await run.trigger(0, { ...run.order, amount: '77.77' });
    },
  }),
  unknown(
    'batch-in-part',
    'Of three references one is paid and one is being paid at a kill, and all are triggered again.',
    async (run) => {
      const second = run.addOrder();
      run.addOrder();
      await run.trigger();
      await run.untilSettled();
      const fault = run.fault({ kind: 'latency', ms: HELD });
      const triggered = run.trigger(0, second);
      await run.untilPaid(second);
      await run.kill();
      fault.remove();
      await triggered;
      await run.start();
      for (const order of run.orders) await run.trigger(0, order);
    },
  ),
  one('twice-at-once', 'A user clicks twice.', (run) => together(run, 0)),
  one('two-instances', 'Two instances of the application get the same trigger at the same time.', {
    needs: ['instances'],
    act: (run) => together(run, 1),
  }),
  one('again-after-success', 'The trigger is repeated after the payment completed.', (run) =>
    again(run, () => run.untilFinal()),
  ),
  refused('again-after-failure', 'The trigger is repeated twice after the payment failed.', {
    profile: { outcomes: [{ outcome: 'fail' }] },
    async act(run) {
      await run.trigger();
      await run.untilFinal();
      run.context.service.mock.sandbox.profile.set({ outcomes: [] });
      await run.trigger();
      await run.trigger();
    },
  }),
  unknown(
    'killed-before-commit',
    'The application is killed during a create, and the payment is made after that.',
    (run) => killDuring(run, false),
  ),
  unknown(
    'killed-before-response',
    'The application is killed after the payment was made, before the response.',
    (run) => killDuring(run, true),
  ),
  unknown(
    'killed-process',
    'One process, that of --kill, is killed after the payment was made, before the response.',
    { needs: ['kill'], act: (run) => killDuring(run, true, '--kill') },
  ),
  job(
    'killed-with-job',
    'The application is killed after it has accepted the trigger, before its create.',
    (run) => loseJob(run, 'SIGKILL'),
  ),
  job('stopped-with-job', 'The application gets SIGTERM after it has accepted the trigger.', (run) =>
    loseJob(run, 'SIGTERM'),
  ),
  one(
    'killed-after-response',
    'The application is killed after it has answered the trigger, which is repeated.',
    (run) =>
      again(run, async () => {
        await run.untilSettled();
        await run.kill();
        await run.start();
      }),
  ),
  // The slow ones are last, so that the leases of the others end beside them.
  unknown('late-commit', 'The client gives up, and the payment is made after that.', async (run) => {
    const fault = run.fault({ kind: 'latency', ms: HELD, commit: false });
    await run.trigger();
    const { isSynchronous, clock, clientTimeout, signal } = run.context;
    // A synchronous application responds to its trigger when its client gives up.
    if (!isSynchronous) await clock.sleep(clientTimeout, signal);
    await run.trigger();
    fault.remove();
    await run.untilPaid();
    await run.untilFinal();
    await run.trigger();
  }),
  unknown('response-at-timeout', 'The response arrives just after the client has given up.', {
    repeatsTrigger: false,
    act: (run) => lose(run, { kind: 'latency', ms: Math.round(1.1 * run.context.clientTimeout) }),
  }),
];

/** All scenarios in their order. The first one shows how the application pays. */
export const scenarios: readonly Scenario[] = [...creates, ...webhooks];

/** The response of one create is lost or unreadable. One with another status hides a payment that was made. */
function lost(name: string, happens: string, fault: RequestFaultOptions): Scenario {
  const hidden = 'status' in fault ? { ...fault, commit: true } : fault;
  return unknown(name, happens, (run) => lose(run, hidden));
}

/** One create is refused. */
function rejects(name: string, happens: string, fault: RequestFaultOptions): Scenario {
  return refused(name, happens, (run) => lose(run, fault));
}
