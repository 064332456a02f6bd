import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';

const channels = ['debug', 'info', 'log', 'warn', 'error'] as const;
/** Node's own, also while a test fakes timers; browsers have none. */
const { setImmediate } = globalThis;
let heard: string[] = [];

function hearWarning(warning: Error): void {
  heard.push(`a warning of the process: ${warning.message}`);
}

// Once for the file, since concurrent tests would add too many listeners. There is no process in a browser.
beforeAll(() => void globalThis.process?.on?.('warning', hearWarning));
afterAll(() => void globalThis.process?.off?.('warning', hearWarning));

beforeEach(() => {
  heard = [];
  for (const channel of channels) {
    vi.spyOn(console, channel).mockImplementation((...words: unknown[]) => {
      heard.push(`console.${channel}: ${words.map(String).join(' ')}`);
    });
  }
});

/** Fails a test that wrote to the console or warned the process; a test of console output replaces the spy and looks at it itself. */
afterEach(async () => {
  // Node emits a warning one turn after the call that warns.
  if (setImmediate !== undefined) await new Promise((resolve) => setImmediate(resolve));
  vi.restoreAllMocks();
  expect(heard, 'a test stays silent on the console').toEqual([]);
});
