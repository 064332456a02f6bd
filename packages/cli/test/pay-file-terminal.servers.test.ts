// Runs the built command line on a pseudo-terminal of `script`.
import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { createFile, listNames, namesOf } from './pay-file.support.ts';
import { toCsv } from './payment-csv.ts';
import { expectNoSecret, it, type MockServer, startMockServer } from './support.ts';

const bin = new URL('../bin/service-cli.js', import.meta.url).pathname;

interface TerminalRun {
  readonly process: ChildProcess;
  /** Resolves when the output contains a text. */
  readonly shows: (text: string | RegExp) => Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
}

/** Runs a command on a terminal of 80 columns. */
function startOnTerminal(words: readonly string[], env: MockServer['env']): TerminalRun {
  const command = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty cols 80 rows 24 -echo; exec ${command}`, '/dev/null'], {
    env: { ...childEnv, TERM: 'xterm', ...env },
  });
  let text = '';
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (const check of waiting) check();
  });
  const shows: TerminalRun['shows'] = (expected) =>
    new Promise((resolve) => {
      const check = (): void => {
        const plain = stripVTControlCharacters(text);
        const isShown = typeof expected === 'string' ? plain.includes(expected) : expected.test(plain);
        if (!isShown) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const ended = new Promise<{ code: number | null; text: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, text: stripVTControlCharacters(text) })),
  );
  return { process: child, shows, ended };
}

describe('pay-file on a terminal', () => {
  it('asks, shows counts, totals and the time left, and pays after yes', async ({ mockServer }) => {
    const { path } = createFile(mockServer.env, toCsv(12));
    mockServer.mock.sandbox.faults.inject({
      kind: 'latency',
      ms: 300,
      operation: 'createPayment',
      times: 'unlimited',
    });
    const run = startOnTerminal(['pay-file', path, '--concurrency', '2'], mockServer.env);
    await run.shows('continue:');
    expect(mockServer.mock.sandbox.requests.list({ operation: 'createPayment' })).toEqual([]);
    run.process.stdin!.write('yes\n');
    await run.shows(/\d+ created, \d+ of 12 \(\d+ s, about \d+ s left\); \d+\.00 USD of 120\.00 USD/);
    const { code, text } = await run.ended;
    expect(code).toBe(0);
    expect(text).toContain('✓ created        12  120.00 USD');
    expectNoSecret(text);
    expect(await listNames(mockServer)).toEqual(namesOf(12));
  });

  it.each([
    ['another answer', 'no\n'],
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D', '\u0004'],
  ])('sends nothing after %s to the question', async (_, keys) => {
    await using mockServer = await startMockServer();
    const { path } = createFile(mockServer.env, toCsv(1));
    const run = startOnTerminal(['pay-file', path], mockServer.env);
    await run.shows('continue:');
    run.process.stdin!.write(keys);
    const { code, text } = await run.ended;
    expect(code).toBe(2);
    expect(text).toContain('Not confirmed. Nothing was sent.');
    expect(mockServer.mock.sandbox.requests.list({ operation: 'createPayment' })).toEqual([]);
  });

  it('finishes the running requests on Ctrl+C, exits 75, and continues', async ({ mockServer }) => {
    const { path } = createFile(mockServer.env, toCsv(12));
    const { faults, requests } = mockServer.mock.sandbox;
    faults.inject({ kind: 'latency', ms: 300, operation: 'createPayment', times: 'unlimited' });
    const words = ['pay-file', path, '--yes', '--concurrency', '2'];
    const run = startOnTerminal(words, mockServer.env);
    const countAnswered = (): number =>
      requests.list({ operation: 'createPayment' }).filter(({ response }) => response !== null).length;
    await expect.poll(countAnswered).toBeGreaterThanOrEqual(2);
    run.process.stdin!.write('\u0003');
    const { code, text } = await run.ended;
    expect(code).toBe(75);
    expect(text).toContain('Stopping after the requests that are running.');
    expect(text).not.toMatch(/unknown|sending/);
    faults.clear();
    const next = await startOnTerminal(words, mockServer.env).ended;
    expect(next.code).toBe(0);
    expect(await listNames(mockServer)).toEqual(namesOf(12));
  });
});
