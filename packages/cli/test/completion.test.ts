import { describe, expect, it } from 'vitest';
import { runCli } from './support.ts';

/** Returns the candidates for the last word. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, lines, stderr } = await runCli(['__complete', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return lines.map((line) => line.split('\t')[0]!);
}

describe('completion of service-cli', () => {
  it('lists the commands', async () => {
    expect(await complete('')).toEqual(
      expect.arrayContaining(['mock', 'pay', 'payment', 'sandbox', 'completion']),
    );
    expect(await complete('pay')).toEqual(['pay', 'pay-file', 'payment']);
    expect(await complete('webhooks', 'v')).toEqual(['verify']);
  });

  it('lists the options of the command, then those of every command', async () => {
    const options = await complete('pay', 'USD', '--');
    expect(options).toEqual(expect.arrayContaining(['--name', '--wait', '--help', '--json', '--no-color']));
    expect(new Set(options).size).toBe(options.length);
    expect(await complete('sandbox', 'faults', 'inject', '--sec')).toEqual(['--secret-file']);
  });

  it.each([
    [
      ['webhooks', 'listen', '--sandbox', '--until', ''],
      ['payment.pending', 'payment.processing', 'payment.completed', 'payment.failed'],
    ],
    [
      ['webhooks', 'listen', '--until', '=', 'payment.p'],
      ['payment.pending', 'payment.processing'],
    ],
    [
      ['webhooks', 'listen', '--until', '='],
      ['payment.pending', 'payment.processing', 'payment.completed', 'payment.failed'],
    ],
    [['--no-color', 'mock', '--clock', 'm'], ['manual']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['transactions', '--per-page', ''], []],
    [['pay', 'x', 'y', 'z', ''], []],
    [['mock', '--profile', ''], [':files']],
    [['--key-file', ''], [':files']],
    [['webhooks', 'verify', ''], [':files']],
    [['webhooks', 'verify', '--secret-file', 'x'], [':files']],
  ])('of %j is %j', async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });
});
