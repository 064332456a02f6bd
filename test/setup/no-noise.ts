import { afterEach, beforeEach, expect, vi } from 'vitest';

const channels = ['debug', 'info', 'log', 'warn', 'error'] as const;
let heard: string[] = [];

beforeEach(() => {
  heard = [];
  for (const channel of channels) {
    vi.spyOn(console, channel).mockImplementation((...words: unknown[]) => {
      heard.push(`console.${channel}: ${words.map(String).join(' ')}`);
    });
  }
});

/** Fails a test that wrote to the console; a test of console output replaces the spy and looks at it itself. */
afterEach(() => {
  vi.restoreAllMocks();
  expect(heard, 'a test stays silent on the console').toEqual([]);
});
