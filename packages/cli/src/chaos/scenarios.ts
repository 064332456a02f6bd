import type { Delivery, ProfileChoice, RequestFaultOptions } from '@service/mock';
import type { ScenarioRun } from './run.ts';
import type { Webhook } from './service.ts';

/**
 * How many payments of the reference must exist that have not failed. `one`: exactly one. `unknown`: at most one; none
 * needs a person. `refused`: at most one, because the service may have refused every create.
 */
export type Expected = 'one' | 'unknown' | 'refused';

/** The sections of the guide that explain what to change. */
export const advice = {
  'unknown-outcomes':
    'Store the reference before the create. After a create without a readable response, search for the payment or ask a person; never create it again.',
  'one-payment-per-reference':
    'Claim the reference in a store that all instances share, with a unique key, before the create.',
  restarts: 'Store the reference on disk before the create, and read it when the application starts.',
  refusals: 'Pay again only after the service has refused the create, with its error envelope.',
  signatures:
    'Compare HMAC-SHA256 of the raw bytes of the body with the whole header, in constant time, before anything else.',
  'genuine-events':
    'Acknowledge each event with a valid signature with 200, also an early, late or unknown one.',
  'handle-once':
    'Store each event under a unique key in the transaction of its effect, and acknowledge it after the commit.',
} as const;

/** One scenario: a row of the table. */
export interface Scenario {
  readonly name: string;
  readonly kind: 'create' | 'webhook';
  /** What happens. */
  readonly happens: string;
  readonly expects: Expected;
  /** What a failure costs. */
  readonly consequence: string;
  readonly page: keyof typeof advice;
  /** Whether only `--handled` can show that the application is right. */
  readonly isJudgedByHandled?: boolean;
  /** Whether a scenario of webhooks repeats the trigger, so that it depends on idempotency keys as those of creates do. */
  readonly repeatsTrigger?: boolean;
  /** Whether it needs a trigger, or more than one instance. */
  readonly needs?: 'trigger' | 'instances';
  readonly profile?: ProfileChoice;
  readonly act: (run: ScenarioRun) => Promise<void>;
}

type Act = Scenario['act'];

/** A delay that ends when its fault is removed. */
const HELD = 3_600_000;
const LAG = 1_000;
const SLOW = 300;
const RICH = '1000000';

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

/** Triggers twice at the same time while creates are slow, and once more. */
const together =
  (second: number): Act =>
  async (run) => {
    const fault = run.fault({ kind: 'latency', ms: SLOW, times: 'unlimited' });
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
    await (commit ? run.untilPaid() : run.untilArrival());
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
    const { service } = run.context;
    service.route.alter = ({ body }) => {
      const changed = change(body);
      return { body: changed, signature: service.sign(changed) };
    };
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
  create('baseline', 'one', 'one-payment-per-reference', {
    happens: 'Nothing goes wrong.',
    consequence: 'The application does not pay, or pays twice for one trigger.',
    act: (run) => run.trigger(),
  }),
  create('response-lost', 'unknown', 'unknown-outcomes', {
    happens: 'The connection breaks after the payment was made.',
    consequence: 'A broken connection makes the application pay twice.',
    act: lose({ kind: 'reset_after_commit' }),
  }),
  create('connection-lost', 'unknown', 'unknown-outcomes', {
    happens: 'The connection breaks before the payment is made.',
    consequence: 'A broken connection makes the application pay twice.',
    act: lose({ kind: 'reset_before_commit' }),
  }),
  create('error-after-commit', 'unknown', 'unknown-outcomes', {
    happens: 'The service responds 500 after the payment was made.',
    consequence: 'An error of the service makes the application pay twice.',
    act: lose({ kind: 'status', status: 500, commit: true }),
  }),
  create('late-commit', 'unknown', 'unknown-outcomes', {
    happens: 'The client gives up, and the payment is made after that.',
    consequence: 'A slow service makes the application pay twice.',
    async act(run) {
      const fault = run.fault({ kind: 'latency', ms: HELD, commit: false });
      await run.trigger();
      await run.untilClientTimeout();
      await run.trigger();
      fault.remove();
      await run.untilPaid();
      await run.untilReadable();
      await run.trigger();
    },
  }),
  create('truncated', 'unknown', 'unknown-outcomes', {
    happens: 'The response ends in the middle of its JSON, before its Content-Length.',
    consequence: 'An unreadable response makes the application pay twice.',
    act: lose({ kind: 'truncated' }),
  }),
  create('truncated-silently', 'unknown', 'unknown-outcomes', {
    happens: 'The response has half of its JSON, and the Content-Length of that half.',
    consequence: 'An unreadable response makes the application pay twice.',
    act: lose({ kind: 'truncated', length: 'half' }),
  }),
  create('empty-response', 'unknown', 'unknown-outcomes', {
    happens: 'The response has the status 200 and no body.',
    consequence: 'An unreadable response makes the application pay twice.',
    act: lose({ kind: 'empty', status: 200, commit: true }),
  }),
  create('gateway-error', 'unknown', 'unknown-outcomes', {
    happens: 'A gateway responds 502 with an HTML page after the payment was made.',
    consequence: 'An error of a gateway makes the application pay twice.',
    act: lose({ kind: 'html', status: 502, commit: true }),
  }),
  create('key-running', 'unknown', 'unknown-outcomes', {
    happens: 'The service responds 409, because a create with this key is running.',
    consequence: 'A conflict makes the application pay twice.',
    act: lose({ kind: 'status', status: 409, type: 'idempotency_error', commit: true }),
  }),
  create('reads-lag', 'unknown', 'unknown-outcomes', {
    happens: 'The response is lost, and reads show the payment a second later.',
    consequence: 'The application does not find its payment, and pays again.',
    profile: { readLag: { payments: LAG, balance: LAG, transactions: LAG } },
    act: lose({ kind: 'reset_after_commit' }, LAG),
  }),
  create('queue-retry', 'unknown', 'unknown-outcomes', {
    happens: 'The response is lost, a queue triggers again at once, and that response is lost too.',
    consequence: 'A retry of a queue makes the application pay twice.',
    async act(run) {
      run.fault({ kind: 'reset_after_commit', times: 2 });
      for (let count = 0; count < 3; count += 1) await run.trigger();
    },
  }),
  create('unavailable', 'refused', 'refusals', {
    happens: 'The service responds 503 with Retry-After, and makes no payment.',
    consequence: 'A refused create makes the application pay twice.',
    act: lose({ kind: 'status', status: 503, retryAfter: 1 }),
  }),
  create('rate-limited', 'refused', 'refusals', {
    happens: 'The service responds 429 with its envelope, and makes no payment.',
    consequence: 'A refused create makes the application pay twice.',
    act: lose({ kind: 'rate_limit', retryAfter: 1 }),
  }),
  create('rate-limited-by-gateway', 'refused', 'refusals', {
    happens: 'A gateway responds 429 with an HTML page, and no payment is made.',
    consequence: 'A refused create makes the application pay twice.',
    act: lose({ kind: 'html', status: 429 }),
  }),
  create('insufficient-funds', 'refused', 'refusals', {
    happens: 'The wallet is empty, and filled before the trigger is repeated.',
    consequence: 'A refused create makes the application pay twice.',
    async act(run) {
      await run.context.service.setBalances('0');
      await run.trigger();
      await run.context.service.setBalances(RICH);
      await run.trigger();
    },
  }),
  create('fails-later', 'refused', 'refusals', {
    happens: 'The payment fails after it was accepted.',
    consequence: 'The application reports a failed payment as completed.',
    profile: { outcomes: [{ outcome: 'fail' }] },
    act: (run) => run.trigger(),
  }),
  create('twice-at-once', 'one', 'one-payment-per-reference', {
    happens: 'A user clicks twice.',
    consequence: 'A second click pays twice.',
    act: together(0),
  }),
  create('two-instances', 'one', 'one-payment-per-reference', {
    happens: 'Two instances of the application get the same trigger at the same time.',
    consequence: 'Two instances pay the same reference.',
    needs: 'instances',
    act: together(1),
  }),
  create('again-after-success', 'one', 'one-payment-per-reference', {
    happens: 'The trigger is repeated after the payment completed.',
    consequence: 'A repeated job pays twice.',
    async act(run) {
      await run.trigger();
      await run.untilFinal();
      await run.trigger();
    },
  }),
  create('again-after-failure', 'refused', 'one-payment-per-reference', {
    happens: 'The trigger is repeated twice after the payment failed.',
    consequence: 'A failed payment is paid twice.',
    profile: { outcomes: [{ outcome: 'fail' }] },
    async act(run) {
      await run.trigger();
      await run.untilFinal();
      run.context.service.mock.sandbox.profile.set({ outcomes: [] });
      await run.trigger();
      await run.trigger();
    },
  }),
  create('killed-before-commit', 'unknown', 'restarts', {
    happens: 'The application is killed during a create, and the payment is made after that.',
    consequence: 'A crash makes the application pay twice.',
    act: killDuring(false),
  }),
  create('killed-before-response', 'unknown', 'restarts', {
    happens: 'The application is killed after the payment was made, before the response.',
    consequence: 'A crash makes the application pay twice.',
    act: killDuring(true),
  }),
  create('killed-after-response', 'one', 'restarts', {
    happens: 'The application is killed after it has answered the trigger, which is repeated.',
    consequence: 'A crash makes the application pay twice.',
    async act(run) {
      await run.trigger();
      await run.kill();
      await run.start();
      await run.trigger();
    },
  }),
];

/** A genuine event, and its signature with the secret before the last rotation. */
interface Genuine {
  readonly body: string;
  readonly signature: string;
  readonly sign: (body: string, secret: string) => string;
  readonly oldSecret: string;
}

/** Each forgery: its name, its description and its effect. */
const forgeries: readonly (readonly [name: string, what: string, forge: (genuine: Genuine) => Webhook])[] = [
  ['none', 'no signature', ({ body }) => ({ body })],
  ['empty', 'an empty signature', ({ body }) => ({ body, signature: '' })],
  [
    'short',
    'the first half of the signature',
    (genuine) => ({ ...genuine, signature: genuine.signature.slice(0, 32) }),
  ],
  [
    'last-character',
    'a signature with another last character',
    ({ body, signature }) => ({
      body,
      signature: signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0'),
    }),
  ],
  [
    'wrong-secret',
    'the signature of a wrong secret',
    ({ body, sign }) => ({ body, signature: sign(body, 'wrong secret') }),
  ],
  [
    'changed-value',
    'a body with another amount',
    ({ body, signature }) => ({
      body: body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
      signature,
    }),
  ],
  [
    'added-space',
    'a body with an added space',
    ({ body, signature }) => ({ body: body.replace('{', '{ '), signature }),
  ],
  [
    'old-secret',
    'the signature of the secret before a rotation',
    ({ body, sign, oldSecret }) => ({ body, signature: sign(body, oldSecret) }),
  ],
];

const webhooks: readonly Scenario[] = [
  webhook('webhook-first', 'handle-once', {
    happens: 'All events arrive before the response of the create.',
    consequence: 'A fast webhook is lost or handled twice.',
    needs: 'trigger',
    isJudgedByHandled: true,
    profile: { outcomes: [{ outcome: 'hook_first' }] },
    async act(run) {
      const { service } = run.context;
      service.route.isHeld = false;
      const fault = run.fault({ kind: 'latency', ms: HELD });
      const triggered = run.trigger();
      await service.waitUntil(() =>
        service.attempts.some(({ at, event }) => at >= run.startedOn && event === 'payment.completed'),
      );
      fault.remove();
      await triggered;
      await run.deliver();
    },
  }),
  webhook('webhook-again', 'handle-once', {
    happens: 'The completion is sent again after it was acknowledged.',
    consequence: 'A repeated webhook takes effect twice.',
    isJudgedByHandled: true,
    async act(run) {
      const { id } = await run.completion();
      await run.redeliver(id);
      await run.redeliver(id);
    },
  }),
  webhook('webhook-twice-at-once', 'handle-once', {
    happens: 'The completion is sent twice at the same time.',
    consequence: 'A repeated webhook takes effect twice.',
    isJudgedByHandled: true,
    async act(run) {
      const { id } = await run.completion();
      await Promise.all([run.redeliver(id), run.redeliver(id)]);
    },
  }),
  webhook('webhook-indented', 'signatures', {
    happens: 'The body is indented JSON with numbers such as 20.00.',
    consequence: 'Genuine webhooks are lost when the service changes the form of its JSON.',
    act: deliverAltered((body) =>
      JSON.stringify(JSON.parse(body), null, 2).replaceAll(
        /(": )(\d+)(?:\.(\d))?(?=,?$)/gm,
        (_, start: string, whole: string, decimal = '0') => `${start}${whole}.${decimal}0`,
      ),
    ),
  }),
  webhook('webhook-reordered', 'handle-once', {
    happens: 'The events arrive in the reverse order.',
    consequence: 'A late event undoes or hides the completion.',
    isJudgedByHandled: true,
    async act(run) {
      await run.trigger();
      await run.untilFinal();
      await run.deliver((deliveries) => deliveries.toReversed());
    },
  }),
  webhook('webhook-a-day-late', 'genuine-events', {
    happens: 'The events arrive a day late.',
    consequence: 'Webhooks of an outage are lost.',
    isJudgedByHandled: true,
    act: deliverAltered((body) =>
      body.replace(/("created_at":")([^"]+)/, (_, start: string, time: string) => {
        const earlier = new Date(Date.parse(time) - 86_400_000);
        return `${start}${earlier.toISOString().slice(0, 19)}+00:00`;
      }),
    ),
  }),
  webhook('webhook-unknown-payment', 'genuine-events', {
    happens: 'A genuine event is about a payment that the application does not know.',
    consequence: 'The service sends the event for days, or disables the endpoint.',
    act: sendUnknown(({ body, payment_id }) =>
      body.replaceAll(payment_id, `${payment_id.slice(0, -6)}Chaos0`),
    ),
  }),
  webhook('webhook-unknown-event', 'genuine-events', {
    happens: 'A genuine event has a name that the document does not list.',
    consequence: 'The service sends the event for days, or disables the endpoint.',
    act: sendUnknown(({ body }) => body.replaceAll('completed', 'archived')),
  }),
  webhook('webhook-while-down', 'genuine-events', {
    happens: 'The completion is sent while the application is down, and again after its start.',
    consequence: 'Webhooks of an outage are lost.',
    isJudgedByHandled: true,
    async act(run) {
      const { id } = await run.completion();
      await run.kill();
      await run.context.service.mock.sandbox.webhooks.redeliver(id);
      await run.start();
      await run.redeliver(id);
    },
  }),
  webhook('killed-after-webhook', 'handle-once', {
    happens: 'The application is killed after it has acknowledged the completion, which is not sent again.',
    consequence: 'A crash loses a webhook.',
    isJudgedByHandled: true,
    repeatsTrigger: true,
    act: killAfterWebhook(false),
  }),
  webhook('killed-and-sent-again', 'handle-once', {
    happens: 'The application is killed after it has acknowledged the completion, which is sent again.',
    consequence: 'A crash makes a webhook take effect twice.',
    isJudgedByHandled: true,
    repeatsTrigger: true,
    act: killAfterWebhook(true),
  }),
  ...forgeries.map(([name, what, forge]) =>
    webhook(`forged-${name}`, 'signatures', {
      happens: `An event has ${what}.`,
      consequence: 'Anybody can report a payment as completed.',
      async act(run) {
        const { service } = run.context;
        const oldSecret = service.secret;
        if (name === 'old-secret') {
          service.rotateSecret();
          await run.kill();
          await run.start({ SERVICE_WEBHOOK_SECRET: service.secret });
        }
        const { body } = await run.completion();
        const { sign } = service;
        const status = await service.post(forge({ body, signature: sign(body), sign, oldSecret }), what);
        run.forged.push({ what, status });
        await run.deliver();
      },
    }),
  ),
];

/** All scenarios in their order. The first one shows how the application pays. */
export const scenarios: readonly Scenario[] = [...creates, ...webhooks];

type Rest = Omit<Scenario, 'name' | 'kind' | 'expects' | 'page'>;

function create(name: string, expects: Expected, page: Scenario['page'], rest: Rest): Scenario {
  return { name, kind: 'create', expects, page, ...rest };
}

function webhook(name: string, page: Scenario['page'], rest: Rest): Scenario {
  return { name, kind: 'webhook', expects: 'one', page, ...rest };
}
