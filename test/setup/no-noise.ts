import { afterEach, beforeEach, expect, vi } from 'vitest';

const channels = ['debug', 'info', 'log', 'warn', 'error'] as const;
/** Node's own, also while a test fakes timers; browsers have none. */
const { setImmediate } = globalThis;
let heard: string[] = [];

function hearWarning(warning: Error): void {
  heard.push(`a warning of the process: ${warning.message}`);
}

beforeEach(() => {
  heard = [];
  // There is none in a browser.
  globalThis.process?.on?.('warning', hearWarning);
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
  globalThis.process?.off?.('warning', hearWarning);
  expect(heard, 'a test stays silent on the console').toEqual([]);
});
