// Writes the skills for coding agents from the pages of the documentation, so that both have the same code and rules.
import { join } from 'node:path';
import { readSection, toTextAddress } from '../docs/.vitepress/text.ts';

interface Skill {
  /** The purpose and the occasion: agents read only this before they choose. */
  readonly description: string;
  readonly title: string;
  /** The rules, the most important first. */
  readonly rules: readonly string[];
  /** Sections of pages: title, file and anchor. */
  readonly sections: readonly (readonly [title: string, file: string, anchor: string])[];
  /** More pages: their text and address. */
  readonly pages: readonly (readonly [text: string, address: string])[];
}

const root = join(import.meta.dirname, '..');

const skills: Readonly<Record<string, Skill>> = {
  payments: {
    description:
      'Create, wait for and reconcile supplier payments with @service/sdk. Use when code pays, retries a payment, or handles an error of a payments API call.',
    title: 'Pay with @service/sdk',
    rules: [
      'Never create a payment again after a `PaymentOutcomeUnknownError`. Call `payments.reconcile(error)`, and let a person decide if it finds nothing.',
      'Never retry `payments.create`, in code, in a gateway or in an HTTP agent.',
      'Give each payment a unique `purpose` and a `beneficiary_account`.',
      "Pass amounts as decimal strings, such as `'100.00'`.",
      'Read the API key from `SERVICE_API_KEY`. Never write a key into code, logs or pages. A live key stays on a server.',
      'For a batch, use `createPayer` of `@service/sdk/intents`, not a loop over `payments.create`.',
      'Test a lost response before you finish: see the skill `sandbox`.',
    ],
    sections: [
      ['Create a payment', 'packages/sdk/README.md', 'quick-start'],
      ['Results of reconcile', 'packages/sdk/docs/unknown-outcomes.md', 'results-of-paymentsreconcile'],
      ['Outcomes of errors', 'packages/sdk/docs/unknown-outcomes.md', 'outcomes'],
      ['Pay a batch', 'packages/sdk/docs/payment-runs.md', 'payment-runs'],
    ],
    pages: [
      ['Create payments', '/sdk/create-payments'],
      ['Errors', '/sdk/errors'],
      ['Client options', '/sdk/client-options'],
      ['Pay once per reference', '/sdk/pay-once'],
    ],
  },
  webhooks: {
    description:
      'Receive and verify webhooks of the payments API with @service/webhooks. Use when code adds a webhook route, verifies a signature, or handles payment events.',
    title: 'Receive webhooks with @service/webhooks',
    rules: [
      'Verify the raw bytes. Register the route before any body parser, or use the adapter of the framework.',
      'Read the secret from `SERVICE_WEBHOOK_SECRET` with a function, so that a build needs no secret.',
      "Set `mode: 'live'` in production.",
      'Events arrive late, twice and out of order: record the latest status with `isStale`, and make handlers idempotent.',
      'Several processes need a shared store: `@service/webhooks/redis` or `/postgres`.',
      'Await every function of `@service/webhooks/edge`: a promise is truthy.',
      'Test the route with a signed event, a repeated one and a tampered one.',
    ],
    sections: [
      ['Receive events', 'packages/webhooks/README.md', 'quick-start'],
      ['Events out of order', 'packages/webhooks/docs/receiving.md', 'handling-events-out-of-order'],
      ['Express', 'packages/webhooks/docs/frameworks.md', 'express-4-and-5'],
      ['Next', 'packages/webhooks/docs/frameworks.md', 'next'],
      ['Send a signed request in a test', 'packages/webhooks/docs/testing.md', 'sending-a-signed-request'],
    ],
    pages: [
      ['Frameworks', '/webhooks/frameworks'],
      ['Stores', '/webhooks/stores'],
      ['Options', '/webhooks/options'],
      ['Errors', '/webhooks/errors'],
    ],
  },
  sandbox: {
    description:
      'Test payments and webhooks with @service/mock: no network, a clock you control, injected faults. Use when code needs a test, a development server or CI for a payments API.',
    title: 'Test with @service/mock',
    rules: [
      "Use a manual clock in tests (`clock: 'manual'`) and advance it: do not sleep.",
      'Use one account per test: the fixtures of `@service/mock/vitest` or `/jest` create it.',
      'Prefer a magic value or an injected fault to a stub of the client.',
      'Test at least: success, insufficient funds, a failed payment, a lost response, a repeated webhook.',
      'For development, run `npx @service/cli dev -- npm run dev`.',
    ],
    sections: [
      ['Create a mock', 'packages/mock/README.md', 'quick-start'],
      ['Fixtures of vitest', 'packages/mock/docs/testing.md', 'vitest'],
      ['Lose a response', 'packages/sdk/docs/testing.md', 'testing'],
      ['Magic values', 'packages/mock/docs/magic-values.md', 'magic-values'],
      ['Faults of requests', 'packages/mock/docs/faults.md', 'request-faults'],
    ],
    pages: [
      ['Testing with the sandbox', '/mock/testing'],
      ['Sandbox reference', '/mock/sandbox'],
      ['Fault injection', '/mock/faults'],
      ['Run an app with a mock', '/cli/dev'],
    ],
  },
};

function formatSkill(name: string, { description, title, rules, sections, pages }: Skill): string {
  const parts = [
    `---\nname: ${name}\ndescription: '${description}'\n---`,
    '<!-- Generated from the documentation by `npm run generate`. Do not edit. -->',
    `# ${title}`,
    rules.map((rule, index) => `${index + 1}. ${rule}`).join('\n'),
    ...sections.flatMap(([heading, file, anchor]) => [`## ${heading}`, readSection(file, anchor)]),
    '## More',
    pages.map(([text, address]) => `- [${text}](${toTextAddress(address)})`).join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the skills by path. */
export function generateSkills(): Promise<Map<string, string>> {
  const files = Object.entries(skills).map(
    ([name, skill]) => [join(root, 'skills', name, 'SKILL.md'), formatSkill(name, skill)] as const,
  );
  return Promise.resolve(new Map(files));
}
