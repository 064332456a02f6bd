const mockTerms: readonly (readonly [from: string, to: string])[] = [
  ["with createMock({ accounts: 'open' })", 'with mock --accounts open'],
  ["Create the mock with clock: 'manual' to move it", 'Start it with mock --clock manual to move it'],
  // This option has no equivalent on the command line.
  [". Allow another host with createMock({ webhooks: { allowHosts: ['hooks.example'] } })", ''],
  ['createMock: ', ''],
];

/** Replaces the code in a message of `@service/mock` with command line options. */
export function toCliMessage(message: string): string {
  return mockTerms.reduce((text, [from, to]) => text.replace(from, to), message);
}

/** Replaces the options of a client in a message of `@service/sdk` with command line options. */
export function toClientTerms(message: string): string {
  return message.replace('allowInsecureHttp: true', '--allow-insecure-http').replace('baseUrl', '--base-url');
}

const probeTerms: Readonly<Record<string, string>> = {
  amount: '--amount',
  'burst: N': '--burst N',
  failing: '--failing',
  foreignPayment: '--foreign-payment',
  from: '--from',
  'payments: false': '--no-payments',
  returning: '--returning',
  timeout: '--timeout',
  'webhookTimeout: 360_000': '--webhook-timeout 6m',
  webhooks: '--sandbox or --listen',
};

/** Replaces the options in the evidence of `@service/probe` with command line options. */
export function toProbeTerms(evidence: string): string {
  return evidence.replaceAll(/`([^`]+)`/g, (text, option: string) => probeTerms[option] ?? text);
}
