// The order of the pages. A test fails for a page that is missing here.
import type { DefaultTheme } from 'vitepress';

type Item = DefaultTheme.SidebarItem;

const start: Item[] = [
  { text: 'Install', link: '/start/install' },
  { text: 'Five-minute tour', link: '/start/tour' },
  { text: 'Test and live mode', link: '/start/modes' },
  { text: 'The life of a payment', link: '/mock/life-of-a-payment' },
  { text: 'Choose your setup', link: '/start/setup' },
  { text: 'Express', link: '/start/setups/express' },
  { text: 'jest', link: '/start/setups/jest' },
  { text: 'Vite and React', link: '/start/setups/vite' },
  { text: 'Next', link: '/start/setups/next' },
  { text: 'Shell', link: '/start/setups/shell' },
  { text: 'Python', link: '/start/setups/python' },
  { text: 'Examples to clone', link: '/examples/' },
  { text: 'Comparison', link: '/comparison' },
];

const guides: Item[] = [
  {
    text: 'Something is wrong',
    items: [
      { text: 'My payment is missing', link: '/guides/payment-missing' },
      { text: 'My webhook did not arrive', link: '/guides/webhook-missing' },
    ],
  },
  {
    text: 'Payments',
    items: [
      { text: 'The client', link: '/sdk/' },
      { text: 'Create payments', link: '/sdk/create-payments' },
      { text: 'Handle unknown outcomes', link: '/sdk/unknown-outcomes' },
      { text: 'Pay once per reference', link: '/sdk/pay-once' },
      { text: 'Run a batch of payments', link: '/sdk/payment-runs' },
      { text: 'Operate a payment run', link: '/sdk/operate-payment-runs' },
      { text: 'Store intents', link: '/sdk/intent-stores' },
      { text: 'Use idempotency keys', link: '/sdk/idempotency-keys' },
      { text: 'List transactions', link: '/sdk/transactions' },
      { text: 'Logs, metrics and OpenTelemetry', link: '/sdk/hooks-and-warnings' },
      { text: 'Python, Go and PHP', link: '/guides/other-languages' },
      { text: 'A front end with its own back end', link: '/guides/front-end' },
      { text: 'Go-live checklist', link: '/guides/go-live' },
    ],
  },
  {
    text: 'Webhooks',
    items: [
      { text: 'The receiver', link: '/webhooks/' },
      { text: 'Receive webhooks', link: '/webhooks/receiving' },
      { text: 'Frameworks', link: '/webhooks/frameworks' },
      { text: 'Deduplicate in Postgres and Redis', link: '/webhooks/stores' },
      { text: 'Rotate secrets', link: '/webhooks/rotating-secrets' },
      { text: 'Test a receiver', link: '/webhooks/testing' },
    ],
  },
  {
    text: 'Tests and development',
    items: [
      { text: 'The sandbox', link: '/mock/' },
      { text: 'Test with vitest and jest', link: '/mock/testing' },
      { text: 'MSW', link: '/mock/msw' },
      { text: 'Storybook', link: '/mock/storybook' },
      { text: 'Playwright', link: '/mock/playwright' },
      { text: 'Docker and CI', link: '/mock/docker-and-ci' },
      { text: 'Share a mock', link: '/mock/share-a-mock' },
      { text: 'Test without a network', link: '/sdk/testing' },
      { text: 'Next and Vite', link: '/mock/frameworks' },
      { text: 'Inject faults', link: '/mock/faults' },
      { text: 'Control the clock', link: '/guides/clock' },
      { text: 'Webhooks of the sandbox', link: '/mock/webhooks' },
      { text: 'Persist a sandbox', link: '/mock/persistence' },
      { text: 'Dashboard', link: '/mock/dashboard' },
    ],
  },
  {
    text: 'Command line',
    items: [
      { text: 'service-cli', link: '/cli/' },
      { text: 'Run an app with a mock', link: '/cli/dev' },
      { text: 'Prove that an app pays once', link: '/cli/chaos' },
      { text: 'Run and control a mock', link: '/cli/mock-and-sandbox' },
      { text: 'Pay from a terminal', link: '/cli/payments' },
      { text: 'Pay a file', link: '/cli/payment-runs' },
      { text: 'Webhooks in a terminal', link: '/cli/webhooks' },
      { text: 'Probe a real service', link: '/cli/probe' },
      { text: 'Record an application', link: '/cli/record' },
      { text: 'Smoke-test a deployment', link: '/cli/smoke' },
    ],
  },
];

const reference: Item[] = [
  { text: 'HTTP API', link: '/reference/http-api' },
  {
    text: 'Client',
    items: [
      { text: 'Client options', link: '/sdk/client-options' },
      { text: 'Errors and outcomes', link: '/sdk/errors' },
      { text: 'Retries and timeouts', link: '/sdk/retries' },
      { text: 'createApi', link: '/sdk/api' },
      { text: 'Runtimes', link: '/sdk/runtimes' },
    ],
  },
  {
    text: 'Webhooks',
    items: [
      { text: 'Receiver options', link: '/webhooks/options' },
      { text: 'Responses', link: '/webhooks/responses' },
      { text: 'Receiver errors', link: '/webhooks/errors' },
    ],
  },
  {
    text: 'Sandbox',
    items: [
      { text: 'Sandbox reference', link: '/mock/sandbox' },
      { text: 'Request log', link: '/mock/request-log' },
      { text: 'Seed files', link: '/mock/seed-file' },
      { text: 'Profile settings', link: '/mock/profiles' },
      { text: 'Rows and pages by example', link: '/mock/examples' },
      { text: 'Changing responses', link: '/mock/respond' },
      { text: 'Control API', link: '/mock/control-api' },
      { text: 'Sandbox errors', link: '/mock/errors' },
    ],
  },
  {
    text: 'Command line',
    items: [
      { text: 'Commands', link: '/reference/cli/commands' },
      { text: 'Configuration', link: '/cli/configuration' },
      { text: 'Exit codes', link: '/cli/exit-codes' },
      { text: 'Error codes', link: '/cli/errors' },
    ],
  },
  {
    text: 'Probe and contract',
    items: [
      { text: 'The probe', link: '/probe/' },
      { text: 'Probe options', link: '/probe/options' },
      { text: 'The contract package', link: '/contract/' },
    ],
  },
  { text: 'Environment variables', link: '/reference/environment' },
  { text: 'Compatibility', link: '/reference/compatibility' },
  {
    text: 'Code',
    collapsed: true,
    items: [
      { text: '@service/sdk', link: '/reference/sdk/' },
      { text: '@service/sdk/payer', link: '/reference/sdk/payer' },
      { text: '@service/webhooks', link: '/reference/webhooks/' },
      { text: '@service/mock', link: '/reference/mock/' },
      { text: '@service/probe', link: '/reference/probe/' },
    ],
  },
];

export const sidebar: Item[] = [
  { text: 'Start', items: start },
  { text: 'Guides', items: guides },
  { text: 'Reference', items: reference },
];

export const navigation: DefaultTheme.NavItem[] = [
  { text: 'Guides', link: '/sdk/create-payments', activeMatch: '^/guides/' },
  { text: 'Reference', link: '/sdk/client-options' },
  { text: 'Examples', link: '/examples/' },
];
