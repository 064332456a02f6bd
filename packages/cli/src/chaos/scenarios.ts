import type { Delivery, ProfileChoice, RequestFaultOptions } from '@service/mock';
import type { Cause } from './judge.ts';
import type { ScenarioRun } from './run.ts';

/**
 * How many payments of the reference must exist that have not failed. `one`: exactly one. `unknown`: at most one; none
 * needs a person. `refused`: at most one, because the service may have refused every create.
 */
type Expected = 'one' | 'unknown' | 'refused';

/** Something that a scenario needs: a trigger, a trigger with certain placeholders, more than one instance, or `--kill`. */
type Need = 'trigger' | 'references' | 'amount' | 'instances' | 'kill';

/** One scenario: a row of the table. */
export interface Scenario {
  readonly name: string;
  readonly kind: 'create' | 'webhook';
  /** The event or fault, in one sentence. */
  readonly happens: string;
  readonly expects: Expected;
  /** Whether only `--handled` can show that the application is right. */
  readonly isJudgedByHandled?: boolean;
  /** Whether a scenario of webhooks repeats the trigger, so that it depends on idempotency keys as those of creates do. */
  readonly repeatsTrigger?: boolean;
  readonly needs?: readonly Need[];
  /** Whether it needs an application that accepts a trigger before it pays. */
  readonly needsQueue?: boolean;
  /** Whether its event is early, late or unknown. */
  readonly isUnusual?: boolean;
  /** Whether its events are never delivered. */
  readonly isNeverDelivered?: boolean;
  /** Whether the bank returns its payment after the completion. */
  readonly isReturned?: boolean;
  /** The cause of a failure that no record shows. */
  readonly cause?: Cause;
  readonly profile?: ProfileChoice;
  readonly act: (run: ScenarioRun) => Promise<unknown>;
}

type Act = Scenario['act'];

/** A delay that ends when its fault is removed. */
const HELD = 3_600_000;
const LAG = 1_000;
const SLOW = 300;
/** The balance of each wallet at the start of a scenario. */
export const RICH = '1000000';

/** Triggers at once, after the answer, and after the payment can be read. */
const lose =
  (fault: RequestFaultOptions, lag?: number): Act =>
  async (run) => {
    run.fault(fault);
    await run.trigger();
    await run.trigger();
    await run.untilReadable(lag);
    await run.trigger();
  };

/** Triggers before and after a step. */
const again =
  (step: Act): Act =>
  async (run) => {
    await run.trigger();
    await step(run);
    await run.trigger();
  };

/** Triggers twice at the same time while creates are slow, and once more. */
const together =
  (second: number): Act =>
  async (run) => {
    const fault = run.slow(SLOW, 'unlimited');
    await Promise.all([run.trigger(), run.trigger(second)]);
    fault.remove();
    await run.untilFinal();
    await run.trigger();
  };

/** Kills the application during a create, restarts it and triggers twice. */
const killDuring =
  (commit: boolean): Act =>
  async (run) => {
    const fault = run.fault({ kind: 'latency', ms: HELD, commit });
    const triggered = run.trigger();
    // Without its body, a create of a client that has left is never made.
    await run.context.service.waitUntil(() => run.creates().some(({ body }) => body !== null));
    if (commit) await run.untilPaid();
    await run.kill();
    fault.remove();
    await triggered;
    await run.untilPaid();
    await run.start();
    await run.trigger();
    await run.untilReadable();
    await run.trigger();
  };

/** Kills the application as soon as it has acknowledged the completion. */
const killAfterWebhook =
  (isSentAgain: boolean): Act =>
  async (run) => {
    const { id } = await run.completion();
    const { route } = run.context.service;
    route.onAcknowledged = () => void run.kill();
    await run.redeliver(id);
    route.onAcknowledged = undefined;
    await run.kill();
    await run.start();
    if (isSentAgain) await run.redeliver(id);
    if (run.context.trigger !== undefined) await run.trigger();
  };

/** Delivers the events of a payment in another form. */
const deliverAltered =
  (change: (body: string) => string): Act =>
  async (run) => {
    run.context.service.route.change = change;
    await run.trigger();
    await run.untilFinal();
    await run.deliver();
  };

/** Sends an event that the application has no payment or no handler for. */
const sendUnknown =
  (change: (delivery: Delivery) => string): Act =>
  async (run) => {
    const completion = await run.completion();
    await run.postGenuine(change(completion));
    await run.deliver();
  };

const creates: readonly Scenario[] = [
  create('baseline', 'one', {
    happens: 'Nothing goes wrong.',
    act: (run) => run.trigger(),
  }),
  lost('response-lost', 'The connection breaks after the payment was made.', { kind: 'reset_after_commit' }),
  lost('connection-lost', 'The connection breaks before the payment is made.', {
    kind: 'reset_before_commit',
  }),
  lost('error-after-commit', 'The service responds 500 after the commit.', { kind: 'status', status: 500 }),
  create('late-commit', 'unknown', {
    happens: 'The client gives up, and the payment is made after that.',
    async act(run) {
      const fault = run.fault({ kind: 'latency', ms: HELD, commit: false });
      await run.trigger();
      const { isSynchronous, clock, clientTimeout, signal } = run.context;
      // A synchronous application responds to its trigger when its client gives up.
      if (!isSynchronous) await clock.sleep(clientTimeout, signal);
      await run.trigger();
      fault.remove();
      await run.untilPaid();
      await run.untilReadable();
      await run.trigger();
    },
  }),
  lost('truncated', 'The response ends before its Content-Length, in the middle.', { kind: 'truncated' }),
  lost('truncated-silently', 'The response is half of its JSON.', {
    kind: 'truncated',
    contentLength: 'half',
  }),
  lost('empty-response', 'The response has the status 200 and no body.', { kind: 'empty', status: 200 }),
  lost('gateway-error', 'A gateway responds 502 after the commit.', { kind: 'html', status: 502 }),
  lost('key-running', 'The service responds 409: the key is running.', { kind: 'status', status: 409 }),
  create('reads-lag', 'unknown', {
    happens: 'The response is lost, and reads show the payment a second later.',
    profile: { readLag: { payments: LAG, balance: LAG, transactions: LAG } },
    act: lose({ kind: 'reset_after_commit' }, LAG),
  }),
  create('queue-retry', 'unknown', {
    happens: 'The response is lost, a queue triggers again at once, and that response is lost too.',
    async act(run) {
      run.fault({ kind: 'reset_after_commit', times: 2 });
      for (let count = 0; count < 3; count += 1) await run.trigger();
    },
  }),
  refused('unavailable', 'The service responds 503 with Retry-After.', { kind: 'status', status: 503 }),
  refused('rate-limited', 'The service responds 429 with its envelope.', { kind: 'rate_limit' }),
  refused('rate-limited-by-gateway', 'A gateway responds 429 with HTML.', { kind: 'html', status: 429 }),
  create('insufficient-funds', 'refused', {
    happens: 'The wallet is empty, and filled before the trigger is repeated.',
    async act(run) {
      await run.context.service.setBalances('0');
      await run.trigger();
      await run.context.service.setBalances(RICH);
      await run.trigger();
    },
  }),
  create('fails-later', 'refused', {
    happens: 'The payment fails after it was accepted.',
    isJudgedByHandled: true,
    profile: { outcomes: [{ outcome: 'fail' }] },
    act: (run) => run.trigger(),
  }),
  create('twice-at-once', 'one', {
    happens: 'A user clicks twice.',
    act: together(0),
  }),
  create('two-instances', 'one', {
    happens: 'Two instances of the application get the same trigger at the same time.',
    needs: ['instances'],
    act: together(1),
  }),
  create('again-after-success', 'one', {
    happens: 'The trigger is repeated after the payment completed.',
    act: again((run) => run.untilFinal()),
  }),
  create('again-after-failure', 'refused', {
    happens: 'The trigger is repeated twice after the payment failed.',
    profile: { outcomes: [{ outcome: 'fail' }] },
    async act(run) {
      await run.trigger();
      await run.untilFinal();
      run.context.service.mock.sandbox.profile.set({ outcomes: [] });
      await run.trigger();
      await run.trigger();
    },
  }),
  create('killed-before-commit', 'unknown', {
    happens: 'The application is killed during a create, and the payment is made after that.',
    act: killDuring(false),
  }),
  create('killed-before-response', 'unknown', {
    happens: 'The application is killed after the payment was made, before the response.',
    act: killDuring(true),
  }),
  create('killed-after-response', 'one', {
    happens: 'The application is killed after it has answered the trigger, which is repeated.',
    act: again(async (run) => {
      await run.untilSettled();
      await run.kill();
      await run.start();
    }),
  }),
];

/** A change of a genuine event that a receiver must refuse. */
interface Forgery {
  readonly name: string;
  readonly what: string;
  readonly body?: (text: string) => string;
  readonly signature?: (text: string) => string | undefined;
  /** The secret of the signature. By default that of the endpoint. */
  readonly secret?: 'wrong' | 'old';
}

const forgeries: readonly Forgery[] = [
  { name: 'none', what: 'no signature', signature: () => undefined },
  { name: 'empty', what: 'an empty signature', signature: () => '' },
  { name: 'short', what: 'the first half of the signature', signature: (text) => text.slice(0, 32) },
  {
    name: 'last-character',
    what: 'a signature with another last character',
    signature: (text) => text.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  },
  { name: 'wrong-secret', what: 'the signature of a wrong secret', secret: 'wrong' },
  {
    name: 'changed-value',
    what: 'a body with another amount',
    body: (text) => text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
  },
  { name: 'added-space', what: 'a body with an added space', body: (text) => text.replace('{', '{ ') },
  { name: 'old-secret', what: 'the signature of the secret before a rotation', secret: 'old' },
];

/** Sends a forged completion before the genuine one. */
const forge =
  ({ what, body = keep, signature = keep, secret }: Forgery): Act =>
  async (run) => {
    const { service } = run.context;
    const secrets = { old: service.secret, wrong: 'wrong secret' };
    if (secret === 'old') {
      service.rotateSecret();
      await run.kill();
      await run.start({ SERVICE_WEBHOOK_SECRET: service.secret });
    }
    const completion = await run.completion();
    const signed = service.sign(completion.body, secret && secrets[secret]);
    const status = await service.post(body(completion.body), signature(signed), { forgery: what });
    run.forged.push({ what, status });
    await run.deliver();
  };

const keep = (text: string): string => text;

const webhooks: readonly Scenario[] = [
  webhook('webhook-first', {
    happens: 'All events arrive before the response of the create.',
    needs: ['trigger'],
    isJudgedByHandled: true,
    profile: { outcomes: [{ outcome: 'hook_first' }] },
    async act(run) {
      const { service } = run.context;
      service.route.isHeld = false;
      const fault = run.slow(HELD, 1);
      const triggered = run.trigger();
      await service.waitUntil(() =>
        service.attempts.some(({ at, event }) => at >= run.startedOn && event === 'payment.completed'),
      );
      fault.remove();
      await triggered;
      await run.deliver();
    },
  }),
  webhook('webhook-again', {
    happens: 'The completion is sent again after it was acknowledged.',
    isJudgedByHandled: true,
    async act(run) {
      const { id } = await run.completion();
      await run.redeliver(id);
      await run.redeliver(id);
    },
  }),
  webhook('webhook-twice-at-once', {
    happens: 'The completion is sent twice at the same time.',
    isJudgedByHandled: true,
    async act(run) {
      const { id } = await run.completion();
      await Promise.all([run.redeliver(id), run.redeliver(id)]);
    },
  }),
  webhook('webhook-indented', {
    happens: 'The body is indented JSON with numbers such as 20.00.',
    act: deliverAltered((body) =>
      JSON.stringify(JSON.parse(body), null, 2).replaceAll(
        /(": )(\d+)(?:\.(\d))?(?=,?$)/gm,
        (_, start: string, whole: string, decimal = '0') => `${start}${whole}.${decimal}0`,
      ),
    ),
  }),
  webhook('webhook-reordered', {
    happens: 'The events arrive in the reverse order.',
    isJudgedByHandled: true,
    async act(run) {
      await run.trigger();
      await run.untilFinal();
      await run.deliver((deliveries) => deliveries.toReversed());
    },
  }),
  webhook('webhook-a-day-late', {
    isUnusual: true,
    happens: 'The events arrive a day late.',
    isJudgedByHandled: true,
    act: deliverAltered((body) =>
      body.replace(/("created_at":")([^"]+)/, (_, start: string, time: string) => {
        const earlier = new Date(Date.parse(time) - 86_400_000);
        return `${start}${earlier.toISOString().slice(0, 19)}+00:00`;
      }),
    ),
  }),
  webhook('webhook-unknown-payment', {
    isUnusual: true,
    happens: 'A genuine event is about a payment that the application does not know.',
    act: sendUnknown(({ body, payment_id }) =>
      body.replaceAll(payment_id, `${payment_id.slice(0, -6)}Chaos0`),
    ),
  }),
  webhook('webhook-unknown-event', {
    isUnusual: true,
    happens: 'A genuine event has a name that the document does not list.',
    act: sendUnknown(({ body }) => body.replaceAll('completed', 'archived')),
  }),
  webhook('webhook-while-down', {
    happens: 'The completion is sent while the application is down, and again after its start.',
    isJudgedByHandled: true,
    async act(run) {
      const { id } = await run.completion();
      await run.kill();
      await run.context.service.mock.sandbox.webhooks.redeliver(id);
      await run.start();
      await run.redeliver(id);
    },
  }),
  webhook('killed-after-webhook', {
    happens: 'The application is killed after it has acknowledged the completion, which is not sent again.',
    isJudgedByHandled: true,
    repeatsTrigger: true,
    act: killAfterWebhook(false),
  }),
  webhook('killed-and-sent-again', {
    happens: 'The application is killed after it has acknowledged the completion, which is sent again.',
    isJudgedByHandled: true,
    repeatsTrigger: true,
    act: killAfterWebhook(true),
  }),
  ...forgeries.map((forgery) =>
    webhook(`forged-${forgery.name}`, {
      happens: `An event has ${forgery.what}.`,
      act: forge(forgery),
    }),
  ),
];

/** All scenarios in their order. The first one shows how the application pays. */
export const scenarios: readonly Scenario[] = [...creates, ...webhooks];

type Rest = Omit<Scenario, 'name' | 'kind' | 'expects'>;

/** The response of one create is lost or unreadable. One with another status hides a payment that was made. */
function lost(name: string, happens: string, fault: RequestFaultOptions): Scenario {
  const act = lose('status' in fault ? { ...fault, commit: true } : fault);
  return create(name, 'unknown', { happens, act });
}

/** One create is refused. */
function refused(name: string, happens: string, fault: RequestFaultOptions): Scenario {
  return create(name, 'refused', { happens, act: lose(fault) });
}

function create(name: string, expects: Expected, rest: Rest): Scenario {
  return { name, kind: 'create', expects, ...rest };
}

function webhook(name: string, rest: Rest): Scenario {
  return { name, kind: 'webhook', expects: 'one', ...rest };
}
