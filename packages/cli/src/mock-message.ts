const replacements: readonly (readonly [from: string, to: string])[] = [
  ["with createMock({ accounts: 'open' })", 'with mock --accounts open'],
  ["Create the mock with clock: 'manual' to move it", 'Start it with mock --clock manual to move it'],
  // This option has no equivalent on the command line.
  [". Allow another host with createMock({ webhooks: { allowHosts: ['hooks.example'] } })", ''],
  ['createMock: ', ''],
];

/** Replaces the code in a message of `@service/mock` with command line options. */
export function toCliMessage(message: string): string {
  return replacements.reduce((text, [from, to]) => text.replace(from, to), message);
}
