// Measures the way from an empty folder to the first verified webhook in an Express app, with the kit and with emulate.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, packages } from '../scripts/packed.ts';
import { capture } from '../scripts/run.ts';
import { medianOf, printTable } from './figures.ts';

/** An action in an empty folder: a file, or a command in a terminal, which runs on until it prints `until`. */
type Step =
  { readonly path: string; readonly text: string } | { readonly command: string; readonly until?: RegExp };

/** The newest emulate in the registry is an unrelated package of another author. */
const EMULATE = 'emulate@0.12.2';

/** The same app with the shortest documented way of each tool. */
const setups: Readonly<Record<string, readonly Step[]>> = {
  kit: [
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
  [EMULATE]: [
    { command: 'npm i express stripe emulate' },
    {
      path: 'emulate.config.yaml',
      text: `stripe:
  webhooks:
    - url: http://localhost:3000/api/webhooks
      events: ['*']
      secret: whsec_test
`,
    },
    { command: 'npx emulate --service stripe', until: /ready/i },
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
};

/** Counts the characters of commands, names and files, with one Enter for each line. Editors insert indentation. */
function countKeystrokes(steps: readonly Step[]): number {
  const typed = steps.flatMap((step) =>
    'command' in step ? [step.command] : [step.path, ...step.text.trimEnd().split('\n')],
  );
  return typed.reduce((sum, line) => sum + line.trimStart().length + 1, 0);
}

/** Waits until a command has printed a matching text. */
function waitForOutput(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed += String(chunk);
        if (pattern.test(printed)) resolve();
      });
    child.once('exit', () => reject(new Error(`Nothing printed ${String(pattern)}:\n${printed}`)));
  });
}

/** Runs the steps in an empty folder. Returns the seconds of the installation and of the rest. */
async function run(steps: readonly Step[], tarballs: readonly string[]): Promise<[number, number]> {
  const cwd = mkdtempSync(join(tmpdir(), 'first-webhook-'));
  const children: ChildProcessWithoutNullStreams[] = [];
  const startedAt = performance.now();
  let installedAt = 0;
  try {
    for (const step of steps) {
      if ('path' in step) writeFileSync(join(cwd, step.path), step.text);
      else if (step.until === undefined) {
        const words = step.command.split(' ').map((word) => (word === 'emulate' ? EMULATE : word));
        const others = words.filter((word) => !word.startsWith('@service/'));
        const own = others.length < words.length ? tarballs : [];
        capture('sh', ['-c', [...others, ...own, '--no-audit --no-fund --prefer-offline'].join(' ')], cwd);
        installedAt = performance.now();
      } else {
        const child = spawn('sh', ['-c', step.command], { cwd, detached: true, stdio: 'pipe' });
        children.push(child);
        await waitForOutput(child, step.until);
      }
    }
    return [(installedAt - startedAt) / 1_000, (performance.now() - installedAt) / 1_000];
  } finally {
    for (const child of children) {
      const exited = child.exitCode ?? once(child, 'exit');
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await exited;
    }
    rmSync(cwd, { recursive: true, maxRetries: 10 });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'first-webhook-packages-'));
const tarballs = packages.map((name) => pack(name, folder).tarball);
const rows: unknown[][] = [];
for (const [tool, steps] of Object.entries(setups)) {
  await run(steps, tarballs); // fills the cache of npm
  const times: [number, number][] = [];
  for (let round = 0; round < 3; round += 1) times.push(await run(steps, tarballs));
  const median = (index: 0 | 1): string => `${medianOf(times.map((each) => each[index])).toFixed(1)} s`;
  const commands = steps.filter((step) => 'command' in step);
  const terminals = commands.filter(({ until }) => until !== undefined).length;
  rows.push([tool, countKeystrokes(steps), commands.length, steps.length - commands.length, terminals]);
  rows.at(-1)?.push(median(0), median(1));
}
rmSync(folder, { recursive: true });
printTable(
  ['tool', 'keystrokes', 'commands', 'files', 'terminals', 'install', 'first file to webhook'],
  rows,
);
