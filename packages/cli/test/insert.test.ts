import { describe, expect, it } from 'vitest';
import { createOutput } from '../src/output.ts';
import { testKey } from './support.ts';

const controls = new RegExp(String.raw`\u001b(?:\[\d*[A-Za-z]|[78DM])|[^]`, 'gu');

/** A terminal with the control functions of `dev`: index, reverse index, insert line, save and restore (ECMA-48, VT102). */
function createScreen(rows: number, columns: number) {
  const screen = Array.from({ length: rows }, () => '');
  let [row, column] = [0, 0];
  let saved: [number, number] = [0, 0];
  const index = (): void => {
    if (row < rows - 1) row += 1;
    else screen.push(screen.splice(0, 1).length === 1 ? '' : '');
  };
  const put = (character: string): void => {
    if (column === columns) [column] = [0, index()];
    const text = (screen[row] ?? '').padEnd(column);
    screen[row] = text.slice(0, column) + character + text.slice(column + 1);
    column += 1;
  };
  const actions: Record<string, () => void> = {
    '\n': () => ([column] = [0, index()]),
    '\r': () => (column = 0),
    '\u001bD': index,
    '\u001bM': () => (row -= 1),
    '\u001b7': () => (saved = [row, column]),
    '\u001b8': () => ([row, column] = saved),
    '\u001b[L': () => screen.splice(row, 0, '') && screen.pop(),
    '\u001b[B': () => (row = Math.min(row + 1, rows - 1)),
    '\u001b[2K': () => (screen[row] = ''),
  };
  return {
    write(text: string): void {
      for (const part of text.match(controls) ?? []) {
        const action = actions[part];
        if (action) action();
        else put(part);
      }
    },
    lines: () => screen.map((line) => line.trimEnd()),
    column: () => column,
  };
}

describe('a log line while another program uses the terminal', () => {
  const open = (rows: number, columns = 40) => {
    const screen = createScreen(rows, columns);
    const sink = { write: (text: string) => screen.write(text), isTTY: true, columns };
    const environment = {
      argv: [],
      env: { NO_COLOR: '1' },
      stdin: Object.assign((async function* () {})(), { isTTY: false }),
      stdout: sink,
      stderr: sink,
      signal: new AbortController().signal,
    };
    return { screen, output: createOutput(environment, false, false) };
  };

  it.each([2, 3, 8])('leaves the unfinished line of a program whole, on %i rows', (rows) => {
    const { screen, output } = open(rows);
    screen.write('first\n⠋ Building');
    output.insert({}, 'mock: GET /balance 200');
    output.insert({}, 'mock: POST /payments 201');
    expect(screen.column()).toBe('⠋ Building'.length);
    screen.write('…');
    const shown = screen.lines().filter((line) => line !== '');
    const all = ['first', 'mock: GET /balance 200', 'mock: POST /payments 201', '⠋ Building…'];
    expect(shown).toEqual(all.slice(-rows));
  });

  it('shows no part of a key', () => {
    const { screen, output } = open(4, 30);
    output.insert({}, `mock: ${testKey} is unknown`);
    expect(screen.lines()[0]).toBe('mock: service_test_…ghij is u…');
  });

  it('does not exceed one row', () => {
    const { screen, output } = open(4);
    screen.write('> ');
    output.insert({}, ['mock: ', { text: 'x'.repeat(60), style: 'good' }]);
    expect(screen.lines()).toEqual([`mock: ${'x'.repeat(33)}…`, '>', '', '']);
  });
});
