import type { Delivery } from '@service/mock';
import { type Act, again, describe, HELD, type Scenario } from './scenario.ts';
import { sign } from './service.ts';

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
    await run.post(change(completion));
    await run.deliver();
  };

const webhook = describe('webhook', 'one');
/** Only the effect in the application shows that it is right. */
const effect = describe('webhook', 'one', { isJudgedByHandled: true });

/** An event, and its signature: null for none. */
interface Signed {
  readonly body: string;
  readonly signature: string | null;
}

/** Changes a genuine event. */
type Forge = (genuine: Signed & { readonly signature: string }) => Partial<Signed>;

/** Sends a forged completion before the genuine one. */
const forge =
  (forgery: string, change: Forge): Act =>
  async (run) => {
    const completion = await run.completion();
    const genuine = { ...completion, signature: sign(completion.body, run.context.service.secret) };
    const { body, signature } = { ...genuine, ...change(genuine) };
    await run.post(body, { signature, forgery });
    await run.deliver();
  };

/** The scenarios of webhooks. */
export const webhooks: readonly Scenario[] = [
  effect('webhook-first', 'All events arrive before the response of the create.', {
    needs: ['trigger'],
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
  effect('webhook-again', 'The completion is sent again after it was acknowledged.', async (run) => {
    const { id } = await run.completion();
    await run.redeliver(id);
    await run.redeliver(id);
  }),
  effect('webhook-twice-at-once', 'The completion is sent twice at the same time.', async (run) => {
    const { id } = await run.completion();
    await Promise.all([run.redeliver(id), run.redeliver(id)]);
  }),
  effect('webhook-two-instances', 'Two instances get the completion at the same time.', {
    needs: ['instances'],
    async act(run) {
      const { body } = await run.completion();
      await Promise.all([run.post(body), run.post(body, { instance: 1 })]);
    },
  }),
  effect('webhook-never-comes', 'No event is delivered: only a read shows the completion.', {
    needs: ['trigger'],
    isNeverDelivered: true,
    repeatsTrigger: true,
    act: again((run) => run.untilFinal()),
  }),
  webhook(
    'webhook-indented',
    'The body is indented JSON with numbers such as 20.00.',
    deliverAltered((body) =>
      JSON.stringify(JSON.parse(body), null, 2).replaceAll(
        /(": )(\d+)(?:\.(\d))?(?=,?$)/gm,
        (_, start: string, whole: string, decimal = '0') => `${start}${whole}.${decimal}0`,
      ),
    ),
  ),
  effect('webhook-reordered', 'The events arrive in the reverse order.', async (run) => {
    await run.trigger();
    await run.untilFinal();
    await run.deliver((deliveries) => deliveries.toReversed());
  }),
  effect('webhook-a-day-late', 'The events arrive a day late.', {
    isUnusual: true,
    act: deliverAltered((body) =>
      body.replace(/("created_at":")([^"]+)/, (_, start: string, time: string) => {
        const earlier = new Date(Date.parse(time) - 86_400_000);
        return `${start}${earlier.toISOString().slice(0, 19)}+00:00`;
      }),
    ),
  }),
  webhook(
    'webhook-unknown-payment',
    'A genuine event is about a payment that the application does not know.',
    {
      isUnusual: true,
      act: sendUnknown(({ body, payment_id }) =>
        body.replaceAll(payment_id, `${payment_id.slice(0, -6)}Chaos0`),
      ),
    },
  ),
  webhook('webhook-unknown-event', 'A genuine event has a name that the document does not list.', {
    isUnusual: true,
    act: sendUnknown(({ body }) => body.replaceAll('completed', 'archived')),
  }),
  effect(
    'webhook-while-down',
    'The completion is sent while the application is down, and again after its start.',
    async (run) => {
      const { id } = await run.completion();
      await run.kill();
      await run.context.service.mock.sandbox.webhooks.redeliver(id);
      await run.start();
      await run.redeliver(id);
    },
  ),
  effect(
    'killed-after-webhook',
    'The application is killed after it has acknowledged the completion, which is not sent again.',
    {
      repeatsTrigger: true,
      act: killAfterWebhook(false),
    },
  ),
  effect(
    'killed-and-sent-again',
    'The application is killed after it has acknowledged the completion, which is sent again.',
    {
      repeatsTrigger: true,
      act: killAfterWebhook(true),
    },
  ),
  forged('none', 'no signature', () => ({ signature: null })),
  forged('empty', 'an empty signature', () => ({ signature: '' })),
  forged('short', 'the first half of the signature', ({ signature }) => ({
    signature: signature.slice(0, 32),
  })),
  forged('last-character', 'a signature with another last character', ({ signature }) => ({
    signature: signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  })),
  forged('wrong-secret', 'the signature of a wrong secret', ({ body }) => ({
    signature: sign(body, 'wrong secret'),
  })),
  forged('changed-value', 'a body with another amount', ({ body }) => ({
    body: body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
  })),
  {
    ...forged('added-space', 'a body with an added space', ({ body }) => ({ body: body.replace('{', '{ ') })),
    // Accepted if the signature is that of the parsed body.
    cause: 'signature',
  },
  webhook('forged-old-secret', 'An event has the signature of the secret before a rotation.', async (run) => {
    const { service } = run.context;
    const old = service.secret;
    service.rotateSecret();
    await run.kill();
    await run.start({ SERVICE_WEBHOOK_SECRET: service.secret });
    await forge('the old signature', ({ body }) => ({ signature: sign(body, old) }))(run);
  }),
];

/** The completion is forged: by the body, or by the signature. */
function forged(name: string, what: string, change: Forge): Scenario {
  return webhook(`forged-${name}`, `An event has ${what}.`, forge(what, change));
}
