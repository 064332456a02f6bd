import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';

const channels = ['debug', 'info', 'log', 'warn', 'error'] as const;
/** The real function, even while a test fakes timers. Undefined in browsers. */
const { setImmediate } = globalThis;
let output: string[] = [];

function recordWarning(warning: Error): void {
  output.push(`process warning: ${warning.message}`);
}

// Once per file: concurrent tests would add too many listeners. Browsers have no `process`.
beforeAll(() => void globalThis.process?.on?.('warning', recordWarning));
afterAll(() => void globalThis.process?.off?.('warning', recordWarning));

beforeEach(() => {
  output = [];
  for (const channel of channels) {
    vi.spyOn(console, channel).mockImplementation((...values: unknown[]) => {
      output.push(`console.${channel}: ${values.map(String).join(' ')}`);
    });
  }
});

/** Fails a test that wrote to the console or emitted a process warning. A test of console output replaces the spy. */
afterEach(async () => {
  // Node emits a warning one turn after the call that warns.
  if (setImmediate !== undefined) await new Promise((resolve) => setImmediate(resolve));
  vi.restoreAllMocks();
  expect(output, 'console output and process warnings of this test').toEqual([]);
});
