import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createTable, formatMoney, type Line, toPlain } from '../src/terminal.ts';
import { runCli, startMockServer, testKey } from './support.ts';

const pay = ['pay', 'USD', 'EUR', '1000', '--name', 'Acme'];
const ESCAPE = '\u001b';

describe('color', () => {
  it('is on in a terminal and with FORCE_COLOR, and off with NO_COLOR, --no-color, a dumb terminal and --json', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const rows: readonly (readonly [
      hasColor: boolean,
      env: Record<string, string>,
      columns?: number | undefined,
      option?: string,
    ])[] = [
      [true, {}, 80],
      [false, { NO_COLOR: '1' }, 80],
      [false, {}, 80, '--no-color'],
      [false, { TERM: 'dumb' }, 80],
      [false, {}],
      [true, { FORCE_COLOR: '1' }],
      [false, { FORCE_COLOR: '0' }],
      [false, { FORCE_COLOR: '1', NO_COLOR: '1' }],
      [false, { FORCE_COLOR: '1' }, undefined, '--no-color'],
    ];
    for (const [hasColor, given, columns, option] of rows) {
      const options = option === undefined ? [] : [option];
      const env = { ...mockServer.env, ...given };
      const paid = await runCli([...pay, ...options], { env, columns });
      const help = await runCli(['--help', ...options], { env, columns });
      const seen = [paid, help].map(({ stdout }) => stdout.includes(ESCAPE));
      expect({ given, columns, option, seen }).toEqual({
        given,
        columns,
        option,
        seen: [hasColor, hasColor],
      });
      expect(paid.stdout.includes('• pending')).toBe(columns !== undefined);
    }
    const env = { ...mockServer.env, FORCE_COLOR: '3' };
    expect((await runCli([...pay, '--json'], { env })).stdout).not.toContain(ESCAPE);
  });

  it('does not let a service write escape sequences', async () => {
    const data = { balances: [{ currency: 'USD', balance: `1${ESCAPE}[2J` }] };
    const { stdout } = await runCli(['balance'], {
      env: { SERVICE_API_KEY: testKey },
      columns: 80,
      fetch: async () => Response.json({ success: true, mode: 'test', data }),
    });
    expect(stripVTControlCharacters(stdout)).not.toContain(ESCAPE);
    expect(stdout).not.toContain(`${ESCAPE}[2J`);
  });
});

describe('formatMoney', () => {
  it.each([
    [1000, 'USD', '1,000.00 USD'],
    [-1234567.5, 'EUR', '-1,234,567.50 EUR'],
    [0.05, 'GBP', '0.05 GBP'],
    [100.25, 'JPY', '100.25 JPY'],
    [99.00000001, 'USD', '99.00000001 USD'],
    ['5', 'USDC', '5.00 USDC'],
    [null, 'USD', '-'],
    ['5', 'U$D', '5.00 U$D'],
  ])('formats %j %s as %s', (amount, currency, shown) => {
    expect(formatMoney(amount, currency)).toBe(shown);
  });
});

const toText = (line: Line): string => [line].flat().map(toPlain).join('');

describe('createTable', () => {
  it('aligns columns by the width of their characters', () => {
    const texts = ['plain', '請求書', 'e\u0301', '👩‍👩‍👧', ''];
    const columns = [{ field: 'purpose' }, { field: 'note', align: 'right' }] as const;
    const rows = texts.map((text) => ({ purpose: text, note: `${text} ${text}` }));
    const lines = createTable(columns, { isTTY: true, width: 40, hasColor: false })(rows).map(toText);
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
  });
});

describe('progress', () => {
  /** A clock whose time passes at once, a step after each other event. */
  const createClock = () => {
    let now = Date.parse('2026-01-31T12:00:00Z');
    return {
      now: () => now,
      sleep: async (milliseconds: number, signal: AbortSignal) => {
        await setImmediate();
        if (!signal.aborted) now += milliseconds;
      },
    };
  };

  it.each([
    ['pay --wait', [...pay, '--wait'], /pay_test_\w+: pending \(1 s of 60 s\)/],
    ['smoke', ['smoke'], /Running the step \S+, \d+ of \d+ \(\d+ s, about \d+ s left\)/],
    ['probe', ['probe', '--no-payments'], /Measuring, \d+ of \d+ \(\d+ s[^)]*\); \w/],
  ])('of %s is on stderr of a terminal only, and is cleared', async (_, argv, expected) => {
    await using mockServer = await startMockServer();
    const shown = await mockServer.run(argv, { columns: 120, clock: createClock() });
    expect(shown.code).toBe(0);
    expect(stripVTControlCharacters(shown.stderr)).toMatch(expected);
    expect(shown.stdout).not.toContain('\r');
    const last = shown.stderr.slice(shown.stderr.lastIndexOf('\r'));
    expect(last.startsWith(`\r${ESCAPE}[2K`)).toBe(true);
    expect(last).not.toMatch(/[⠋-⠿]/);
    const piped = await mockServer.run(argv, { clock: createClock() });
    expect(piped.stderr).not.toContain('\r');
  });
});
