import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenes } from '../scripts/recordings/scenes.ts';
import { drawRecording } from '../scripts/recordings/svg.ts';

const options = { title: 'A <title>', columns: 40, rows: 4 };
const ESCAPE = '\u001b';

/** Returns the texts with their class, column and row. */
function readTexts(svg: string): string[] {
  return [
    ...svg.matchAll(/<text x="([\d.]+)" y="(\d+)" textLength="([\d.]+)"(?: class="(\w+)")?>([^<]*)/g),
  ].map(
    ([, x, y, length, style = 'plain', text]) =>
      `${(Number(y) - 15) / 20}:${Math.round((Number(x) - 16) / 8.4)}+${Math.round(Number(length) / 8.4)} ${style} ${text}`,
  );
}

describe('drawRecording', () => {
  it('draws commands and styled output by row and column', async () => {
    const output = `${ESCAPE}[32m✓ ok${ESCAPE}[39m  <a & b>\r\n${ESCAPE}[2mid:${ESCAPE}[22m 東京\r\n`;
    const svg = await drawRecording([{ command: 'service-cli smoke', output }], options);
    expect(readTexts(svg)).toEqual([
      '0:0+1 prompt $',
      '0:1+18 plain  service-cli smoke',
      '1:0+4 green ✓ ok',
      '1:4+9 plain   &lt;a &amp; b&gt;',
      '2:0+3 dim id:',
      '2:3+5 plain  東京',
    ]);
    expect(svg).toContain('<title>A &lt;title&gt;</title>');
  });

  it('draws the final screen of a command, without erased progress', async () => {
    const output = `⠋ waiting (1 s)\r${ESCAPE}[2Kdone\r\n`;
    const svg = await drawRecording([{ command: 'a', output }], options);
    expect(readTexts(svg).at(-1)).toBe('1:0+4 plain done');
    expect(svg).not.toContain('waiting');
  });

  it('shows each line at its time and scrolls the oldest lines out', async () => {
    const output = Array.from({ length: 9 }, (_, index) => `line ${index}\r\n`).join('');
    const svg = await drawRecording([{ command: 'a', output }], options);
    const times = [...svg.matchAll(/@keyframes a\d+\{0%\{opacity:0\}([\d.]+)%/g)].map(([, time]) =>
      Number(time),
    );
    expect(times).toHaveLength(10);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(svg).toContain('100%{transform:translateY(-120px)}');
  });

  it('is the same for the same output', async () => {
    const takes = [{ command: 'a', output: 'b\r\n' }];
    expect(await drawRecording(takes, options)).toBe(await drawRecording(takes, options));
  });
});

describe('the recordings of the documentation', () => {
  const root = join(import.meta.dirname, '..');
  const names = globSync('packages/*/docs/images/*.svg', { cwd: root });

  it('have a picture of each scene', () => {
    const pictures = scenes.map(({ package: owner, name }) => `packages/${owner}/docs/images/${name}.svg`);
    expect(names.toSorted()).toEqual(pictures.toSorted());
  });

  it.each(names)('%s is small, self-contained and has no key', (name) => {
    const svg = readFileSync(join(root, name), 'utf8');
    expect(svg.length).toBeLessThan(100_000);
    expect(svg).not.toMatch(/<script|<foreignObject|<image|@import|url\(|href=|\son\w+=/i);
    expect(svg).not.toMatch(/service_(?:test|live)_\w{16}/);
    expect(svg).toContain('prefers-color-scheme:dark');
  });
});
