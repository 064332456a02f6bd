// The order of the pages, as a reader needs them. A test fails for a page that is missing here.
import type { DefaultTheme } from 'vitepress';

/** The addresses of pages by their titles, and groups of them. */
interface Group {
  readonly [title: string]: string | Group;
}

const pages: Group = {
  Start: {
    'Five-minute tour': '/start/tour',
    'Install and set up': '/start/setup',
    'The life of a payment': '/mock/life-of-a-payment',
    'Test and live mode': '/start/modes',
    'Examples to clone': '/examples/',
    Comparison: '/comparison',
  },
  Pay: {
    'The client': '/sdk/',
    'Create payments': '/sdk/create-payments',
    'Handle unknown outcomes': '/sdk/unknown-outcomes',
    'Pay once per reference': '/sdk/pay-once',
    'Run a batch of payments': '/sdk/payment-runs',
    'Store intents': '/sdk/intent-stores',
    'Pay from a terminal': '/cli/payments',
    'Pay a file': '/cli/payment-runs',
    'List transactions': '/sdk/transactions',
    'A front end with its own back end': '/guides/front-end',
    'Python, Go and PHP': '/guides/other-languages',
  },
  Webhooks: {
    'The receiver': '/webhooks/',
    'Receive webhooks': '/webhooks/receiving',
    Frameworks: '/webhooks/frameworks',
    'Deduplicate in Postgres and Redis': '/webhooks/stores',
    'Rotate secrets': '/webhooks/rotating-secrets',
    'Webhooks in a terminal': '/cli/webhooks',
  },
  Test: {
    'The sandbox': '/mock/',
    'Run an app with a mock': '/cli/dev',
    'Test with the sandbox': '/mock/testing',
    'Prove that an app pays once': '/cli/chaos',
    'Clock and webhooks': '/mock/webhooks',
    'Inject faults': '/mock/faults',
    MSW: '/mock/msw',
    'Next and Vite': '/mock/frameworks',
    'Run and control a mock': '/cli/mock-and-sandbox',
    Dashboard: '/mock/dashboard',
    'Docker and CI': '/mock/docker-and-ci',
    'Seed files': '/mock/seed-file',
  },
  Operate: {
    'My payment is missing': '/guides/payment-missing',
    'My webhook did not arrive': '/guides/webhook-missing',
    'Go-live checklist': '/guides/go-live',
    'Logs, metrics and OpenTelemetry': '/sdk/hooks-and-warnings',
    'Test a real service': '/cli/probe',
    'The probe': '/probe/',
  },
  Reference: {
    'HTTP API': '/reference/http-api',
    Client: {
      'Client options': '/sdk/client-options',
      Errors: '/sdk/errors',
      'Retries and timeouts': '/sdk/retries',
      'Idempotency keys': '/sdk/idempotency-keys',
      Runtimes: '/sdk/runtimes',
    },
    Webhooks: {
      'Receiver options': '/webhooks/options',
      'Responses and errors': '/webhooks/errors',
    },
    Sandbox: {
      'Sandbox reference': '/mock/sandbox',
      'Profile settings': '/mock/profiles',
      'Other rows and responses': '/mock/examples',
      'Control API': '/mock/control-api',
      'Sandbox errors': '/mock/errors',
    },
    'Command line': {
      'service-cli': '/cli/',
      Commands: '/reference/cli/commands',
      Configuration: '/cli/configuration',
      'Exit codes and error codes': '/cli/errors',
    },
    'The contract package': '/contract/',
    'Environment variables': '/reference/environment',
    Types: {
      '@service/sdk': '/reference/sdk',
      '@service/webhooks': '/reference/webhooks',
      '@service/mock': '/reference/mock',
      '@service/probe': '/reference/probe',
    },
  },
};

const toItems = (group: Group): DefaultTheme.SidebarItem[] =>
  Object.entries(group).map(([text, target]) =>
    typeof target === 'string'
      ? { text, link: target }
      : { text, items: toItems(target), ...(text === 'Types' && { collapsed: true }) },
  );

export const sidebar: DefaultTheme.SidebarItem[] = toItems(pages);

export const navigation: DefaultTheme.NavItem[] = [
  { text: 'Start', link: '/start/tour' },
  { text: 'Reference', link: '/sdk/client-options' },
  { text: 'Examples', link: '/examples/' },
];
