import type { Delivery } from '@service/mock';
import type { ScenarioRun } from './run.ts';
import { again, describe, HELD, type Scenario } from './scenario.ts';
import { sign, type Webhook } from './service.ts';

/** Kills the application as soon as it has acknowledged the completion. */
async function killAfterWebhook(run: ScenarioRun, isSentAgain: boolean): Promise<void> {
  const completion = await run.completion();
  await run.send(completion);
  await run.kill();
  await run.start();
  if (isSentAgain) await run.send(completion);
  if (run.context.trigger !== undefined) await run.trigger();
}

/** Delivers the events of a payment in another form. */
async function deliverAltered(run: ScenarioRun, change: (body: string) => string): Promise<void> {
  run.changeBody = change;
  await run.trigger();
  await run.untilFinal();
  await run.deliver();
}

/** Sends an event that the application has no payment or no handler for. */
async function sendUnknown(run: ScenarioRun, change: (completion: Delivery) => string): Promise<void> {
  const completion = await run.completion();
  const body = change(completion);
  const { event } = JSON.parse(body) as Pick<Webhook, 'event'>;
  await run.send({ id: 'unknown', event, body });
  await run.deliver();
}

const webhook = describe('webhook', 'one');
/** Only the effect in the application shows that it is right. */
const effect = describe('webhook', 'one', { isJudgedByHandled: true });
const repeated = describe('webhook', 'one', { isJudgedByHandled: true, repeatsTrigger: true });
const unusual = describe('webhook', 'one', { isUnusual: true });

/** Changes the body or the signature of a genuine event. Null is no signature. */
type Forge = (body: string, signature: string) => Partial<Webhook>;

/** Sends a forged completion before the genuine one. */
async function forge(run: ScenarioRun, forgery: string, change: Forge): Promise<void> {
  const { event, body } = await run.completion();
  const signature = sign(body, run.context.service.secret);
  await run.post({ id: 'forged', event, body, signature, forgery, ...change(body, signature) });
  await run.deliver();
}

/** The scenarios of webhooks. */
export const webhooks: readonly Scenario[] = [
  effect('webhook-first', 'All events arrive before the response of the create.', {
    needs: ['trigger'],
    async act(run) {
      const fault = run.slow(HELD, 1);
      const triggered = run.trigger();
      await run.untilPaid();
      await run.untilFinal();
      for (const delivery of (await run.read()).deliveries) await run.post(delivery);
      fault.remove();
      await triggered;
      await run.deliver();
    },
  }),
  effect('webhook-again', 'The completion is sent again after it was acknowledged.', async (run) => {
    const completion = await run.completion();
    await run.send(completion);
    await run.send(completion);
  }),
  effect('webhook-twice-at-once', 'The completion is sent twice at the same time.', async (run) => {
    const completion = await run.completion();
    await Promise.all([run.send(completion), run.send(completion)]);
  }),
  effect('webhook-two-instances', 'Two instances get the completion at the same time.', {
    needs: ['instances'],
    async act(run) {
      const completion = await run.completion();
      await Promise.all([run.send(completion), run.send({ ...completion, id: 'second', instance: 1 })]);
    },
  }),
  repeated('webhook-never-comes', 'No event is delivered: only a read shows the completion.', {
    needs: ['trigger'],
    isNeverDelivered: true,
    act: (run) => again(run, () => run.untilFinal()),
  }),
  webhook('webhook-indented', 'The body is indented JSON with numbers such as 20.00.', (run) =>
    deliverAltered(run, (body) =>
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
    act: (run) =>
      deliverAltered(run, (body) =>
        body.replace(/("created_at":")([^"]+)/, (_, start: string, time: string) => {
          const earlier = new Date(Date.parse(time) - 86_400_000);
          return `${start}${earlier.toISOString().slice(0, 19)}+00:00`;
        }),
      ),
  }),
  unusual(
    'webhook-unknown-payment',
    'A genuine event is about a payment that the application does not know.',
    (run) =>
      sendUnknown(run, ({ body, payment_id }) =>
        body.replaceAll(payment_id, `${payment_id.slice(0, -6)}Chaos0`),
      ),
  ),
  unusual('webhook-unknown-event', 'A genuine event has a name that the document does not list.', (run) =>
    sendUnknown(run, ({ body }) => body.replaceAll('completed', 'archived')),
  ),
  effect(
    'webhook-while-down',
    'The completion is sent while the application is down, and again after its start.',
    async (run) => {
      const completion = await run.completion();
      await run.kill();
      await run.post(completion);
      await run.start();
      await run.send(completion);
    },
  ),
  repeated(
    'killed-after-webhook',
    'The application is killed after it has acknowledged the completion, which is not sent again.',
    (run) => killAfterWebhook(run, false),
  ),
  repeated(
    'killed-and-sent-again',
    'The application is killed after it has acknowledged the completion, which is sent again.',
    (run) => killAfterWebhook(run, true),
  ),
  forged('none', 'no signature', () => ({ signature: null })),
  forged('empty', 'an empty signature', () => ({ signature: '' })),
  forged('short', 'the first half of the signature', (_, signature) => ({
    signature: signature.slice(0, 32),
  })),
  forged('last-character', 'a signature with another last character', (_, signature) => ({
    signature: signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  })),
  forged('wrong-secret', 'the signature of a wrong secret', (body) => ({
    signature: sign(body, 'wrong secret'),
  })),
  forged('changed-value', 'a body with another amount', (body) => ({
    body: body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
  })),
  {
    ...forged('added-space', 'a body with an added space', (body) => ({ body: body.replace('{', '{ ') })),
    // Accepted if the signature is that of the parsed body.
    cause: 'signature',
  },
  webhook('forged-old-secret', 'An event has the signature of the secret before a rotation.', async (run) => {
    const { service } = run.context;
    const old = service.secret;
    service.rotateSecret();
    await run.kill();
    await run.start({ SERVICE_WEBHOOK_SECRET: service.secret });
    await forge(run, 'the old signature', (body) => ({ signature: sign(body, old) }));
  }),
];

/** The completion is forged: by the body, or by the signature. */
function forged(name: string, what: string, change: Forge): Scenario {
  return webhook(`forged-${name}`, `An event has ${what}.`, (run) => forge(run, what, change));
}
