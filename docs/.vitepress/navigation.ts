// The order of the pages, as a reader needs them. A test fails for a page that is missing here.
import type { DefaultTheme } from 'vitepress';

type Item = DefaultTheme.SidebarItem;

const start: Item[] = [
  { text: 'Five-minute tour', link: '/start/tour' },
  { text: 'Install and set up', link: '/start/setup' },
  { text: 'The life of a payment', link: '/mock/life-of-a-payment' },
  { text: 'Test and live mode', link: '/start/modes' },
  { text: 'Examples to clone', link: '/examples/' },
  { text: 'Comparison', link: '/comparison' },
];

const pay: Item[] = [
  { text: 'The client', link: '/sdk/' },
  { text: 'Create payments', link: '/sdk/create-payments' },
  { text: 'Handle unknown outcomes', link: '/sdk/unknown-outcomes' },
  { text: 'Pay once per reference', link: '/sdk/pay-once' },
  { text: 'Run a batch of payments', link: '/sdk/payment-runs' },
  { text: 'Store intents', link: '/sdk/intent-stores' },
  { text: 'Pay from a terminal', link: '/cli/payments' },
  { text: 'Pay a file', link: '/cli/payment-runs' },
  { text: 'List transactions', link: '/sdk/transactions' },
  { text: 'A front end with its own back end', link: '/guides/front-end' },
  { text: 'Python, Go and PHP', link: '/guides/other-languages' },
];

const webhooks: Item[] = [
  { text: 'The receiver', link: '/webhooks/' },
  { text: 'Receive webhooks', link: '/webhooks/receiving' },
  { text: 'Frameworks', link: '/webhooks/frameworks' },
  { text: 'Deduplicate in Postgres and Redis', link: '/webhooks/stores' },
  { text: 'Rotate secrets', link: '/webhooks/rotating-secrets' },
  { text: 'Webhooks in a terminal', link: '/cli/webhooks' },
];

const test: Item[] = [
  { text: 'The sandbox', link: '/mock/' },
  { text: 'Run an app with a mock', link: '/cli/dev' },
  { text: 'Test with the sandbox', link: '/mock/testing' },
  { text: 'Prove that an app pays once', link: '/cli/chaos' },
  { text: 'Clock and webhooks', link: '/mock/webhooks' },
  { text: 'Inject faults', link: '/mock/faults' },
  { text: 'MSW', link: '/mock/msw' },
  { text: 'Next and Vite', link: '/mock/frameworks' },
  { text: 'Run and control a mock', link: '/cli/mock-and-sandbox' },
  { text: 'Dashboard', link: '/mock/dashboard' },
  { text: 'Docker and CI', link: '/mock/docker-and-ci' },
  { text: 'Seed files', link: '/mock/seed-file' },
];

const operate: Item[] = [
  { text: 'My payment is missing', link: '/guides/payment-missing' },
  { text: 'My webhook did not arrive', link: '/guides/webhook-missing' },
  { text: 'Go-live checklist', link: '/guides/go-live' },
  { text: 'Logs, metrics and OpenTelemetry', link: '/sdk/hooks-and-warnings' },
  { text: 'Test a real service', link: '/cli/probe' },
  { text: 'The probe', link: '/probe/' },
];

const reference: Item[] = [
  { text: 'HTTP API', link: '/reference/http-api' },
  {
    text: 'Client',
    items: [
      { text: 'Client options', link: '/sdk/client-options' },
      { text: 'Errors', link: '/sdk/errors' },
      { text: 'Retries and timeouts', link: '/sdk/retries' },
      { text: 'Idempotency keys', link: '/sdk/idempotency-keys' },
      { text: 'Runtimes', link: '/sdk/runtimes' },
    ],
  },
  {
    text: 'Webhooks',
    items: [
      { text: 'Receiver options', link: '/webhooks/options' },
      { text: 'Responses and errors', link: '/webhooks/errors' },
    ],
  },
  {
    text: 'Sandbox',
    items: [
      { text: 'Sandbox reference', link: '/mock/sandbox' },
      { text: 'Profile settings', link: '/mock/profiles' },
      { text: 'Other rows and responses', link: '/mock/examples' },
      { text: 'Control API', link: '/mock/control-api' },
      { text: 'Sandbox errors', link: '/mock/errors' },
    ],
  },
  {
    text: 'Command line',
    items: [
      { text: 'service-cli', link: '/cli/' },
      { text: 'Commands', link: '/reference/cli/commands' },
      { text: 'Configuration', link: '/cli/configuration' },
      { text: 'Exit codes and error codes', link: '/cli/errors' },
    ],
  },
  { text: 'The contract package', link: '/contract/' },
  { text: 'Environment variables', link: '/reference/environment' },
  {
    text: 'Types',
    collapsed: true,
    items: [
      { text: '@service/sdk', link: '/reference/sdk' },
      { text: '@service/webhooks', link: '/reference/webhooks' },
      { text: '@service/mock', link: '/reference/mock' },
      { text: '@service/probe', link: '/reference/probe' },
    ],
  },
];

export const sidebar: Item[] = [
  { text: 'Start', items: start },
  { text: 'Pay', items: pay },
  { text: 'Webhooks', items: webhooks },
  { text: 'Test', items: test },
  { text: 'Operate', items: operate },
  { text: 'Reference', items: reference },
];

export const navigation: DefaultTheme.NavItem[] = [
  { text: 'Start', link: '/start/tour' },
  { text: 'Reference', link: '/sdk/client-options' },
  { text: 'Examples', link: '/examples/' },
];
