import { afterAll, beforeAll, expect, vi } from 'vitest';

const channels = ['debug', 'info', 'log', 'warn', 'error'] as const;
/** The real function, even while a test fakes timers. Undefined in browsers. */
const { setImmediate } = globalThis;
const original = channels.map((channel) => [channel, console[channel]] as const);
const output: string[] = [];

function record(text: string): void {
  output.push(`${expect.getState().currentTestName ?? 'outside a test'}: ${text}`);
}
const recordWarning = ({ message }: Error): void => record(`process warning: ${message}`);

// Once per file, because a hook per test takes longer than most tests. Browsers have no `process`.
beforeAll(() => {
  for (const channel of channels)
    console[channel] = (...values: unknown[]) =>
      record(`console.${channel}: ${values.map(String).join(' ')}`);
  globalThis.process?.on?.('warning', recordWarning);
});

/** Fails a file that wrote to the console or emitted a process warning. A test of console output spies on the console. */
afterAll(async () => {
  vi.restoreAllMocks();
  // Node emits a warning one turn after the call that warns.
  if (setImmediate !== undefined) await new Promise((resolve) => setImmediate(resolve));
  for (const [channel, write] of original) console[channel] = write;
  globalThis.process?.off?.('warning', recordWarning);
  expect(output, 'console output and process warnings of the tests').toEqual([]);
});
