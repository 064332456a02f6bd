/** One action of a developer in an empty folder. */
export type Step =
  /** A command in a terminal. One with `until` runs on; the next step starts after it has printed that text. */
  | { readonly command: string; readonly until?: RegExp }
  /** A file that is written in an editor. */
  | { readonly path: string; readonly text: string };

/** The way from an empty folder to the first verified webhook. */
export interface Setup {
  readonly framework: 'Express' | 'Next';
  readonly tool: 'kit' | 'emulate';
  readonly steps: readonly Step[];
  /** The line that the app prints after it has verified the webhook. */
  readonly event: string;
}

/** The version of emulate. The newest one of the registry is an unrelated package of another author. */
export const EMULATE = 'emulate@0.12.2';

const kitEvent = 'payment.pending';
const emulateEvent = 'payment_intent.created';

/** The seed file of emulate with an endpoint: no command adds one. */
const emulateConfig: Step = {
  path: 'emulate.config.yaml',
  text: `stripe:
  webhooks:
    - url: http://localhost:3000/api/webhooks
      events: ['*']
      secret: whsec_test
`,
};
const startEmulate: Step = { command: 'npx emulate --service stripe', until: /ready/i };
const startPayment: Step = { command: 'curl localhost:3000/api/pay' };

/** The setups of the comparison: the same app with the shortest documented way of each tool. */
export const setups: readonly Setup[] = [
  {
    framework: 'Express',
    tool: 'kit',
    event: kitEvent,
    steps: [
      { command: 'npm i express @service/sdk @service/webhooks @service/cli' },
      {
        path: 'app.mjs',
        text: `import { createClient } from '@service/sdk';
import { createReceiver } from '@service/webhooks';
import { toExpress } from '@service/webhooks/express';
import express from 'express';

const receive = createReceiver({
  secrets: process.env.SERVICE_WEBHOOK_SECRET,
  on: {},
  fallback: ({ event }) => console.log(event),
});
express().post('/api/webhooks', toExpress(receive)).listen(3000);

await createClient().payments.create({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 100,
  beneficiary_name: 'Acme',
});
`,
      },
      { command: 'npx service-cli dev -- node app.mjs', until: /^payment\.pending$/m },
    ],
  },
  {
    framework: 'Express',
    tool: 'emulate',
    event: emulateEvent,
    steps: [
      { command: 'npm i express stripe emulate' },
      emulateConfig,
      startEmulate,
      {
        path: 'app.mjs',
        text: `import express from 'express';
import Stripe from 'stripe';

const stripe = new Stripe('sk_test', { host: 'localhost', port: 4000, protocol: 'http' });
const app = express();
app.post('/api/webhooks', express.raw({ type: '*/*' }), (request, response) => {
  const signature = request.headers['stripe-signature'];
  const event = stripe.webhooks.constructEvent(request.body, signature, 'whsec_test');
  console.log(event.type);
  response.end();
});
app.listen(3000);

await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
`,
      },
      { command: 'node app.mjs', until: /^payment_intent\.created$/m },
    ],
  },
  {
    framework: 'Next',
    tool: 'kit',
    event: kitEvent,
    steps: [
      { command: 'npm i next react react-dom @service/sdk @service/webhooks @service/cli' },
      {
        path: 'app/api/webhooks/route.js',
        text: `import { createReceiver } from '@service/webhooks';

export const POST = createReceiver({
  secrets: () => process.env.SERVICE_WEBHOOK_SECRET,
  on: {},
  fallback: ({ event }) => console.log(event),
});
`,
      },
      {
        path: 'app/api/pay/route.js',
        text: `import { createClient } from '@service/sdk';

export async function GET() {
  const payment = await createClient().payments.create({
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: 100,
    beneficiary_name: 'Acme',
  });
  return Response.json(payment);
}
`,
      },
      { command: 'npx service-cli dev -- npx next dev', until: /Ready in/ },
      startPayment,
    ],
  },
  {
    framework: 'Next',
    tool: 'emulate',
    event: emulateEvent,
    steps: [
      { command: 'npm i next react react-dom stripe emulate' },
      emulateConfig,
      startEmulate,
      {
        path: 'app/api/webhooks/route.js',
        text: `import Stripe from 'stripe';

export async function POST(request) {
  const signature = request.headers.get('stripe-signature');
  const event = Stripe.webhooks.constructEvent(await request.text(), signature, 'whsec_test');
  console.log(event.type);
  return new Response();
}
`,
      },
      {
        path: 'app/api/pay/route.js',
        text: `import Stripe from 'stripe';

const stripe = new Stripe('sk_test', { host: 'localhost', port: 4000, protocol: 'http' });

export async function GET() {
  const intent = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
  return Response.json(intent);
}
`,
      },
      { command: 'npx next dev', until: /Ready in/ },
      startPayment,
    ],
  },
];

/** Returns the number of keystrokes of a setup. Editors insert the indentation of lines. */
export function countKeystrokes({ steps }: Setup): number {
  const typed = steps.flatMap((step) =>
    'command' in step ? [step.command] : [step.path, ...toLines(step.text)],
  );
  // Each line ends with Enter.
  return typed.reduce((sum, line) => sum + line.length + 1, 0);
}

function toLines(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimStart());
}

/** Returns the number of terminals of a setup: one for each command that runs on, and one for a later command. */
export function countTerminals({ steps }: Setup): number {
  const commands = steps.filter((step) => 'command' in step);
  return (
    commands.filter(({ until }) => until !== undefined).length +
    (commands.at(-1)?.until === undefined ? 1 : 0)
  );
}
