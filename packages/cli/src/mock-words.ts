const words: readonly (readonly [from: string, to: string])[] = [
  ["with createMock({ accounts: 'open' })", 'with mock --accounts open'],
  ["Create the mock with clock: 'manual' to move it", 'Start it with mock --clock manual to move it'],
  // Options that only code has.
  [". Allow another host with createMock({ webhooks: { allowHosts: ['hooks.example'] } })", ''],
  ['createMock: ', ''],
];

/** Says what a mock advises in code as the command line does it. */
export function toMockWords(message: string): string {
  return words.reduce((text, [from, to]) => text.replace(from, to), message);
}
