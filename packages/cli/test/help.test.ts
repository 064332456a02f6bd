import { describe, expect, it } from 'vitest';
import { commands } from '../src/commands.ts';
import { runCli } from './support.ts';

const all = ['', ...commands.map(({ name }) => name)];

describe('the help', () => {
  it.each(all)(
    'of `service-cli %s` fits 30 lines of 100 columns, and has an example of a command',
    async (name) => {
      const words = name.split(' ').filter(Boolean);
      const { code, stdout, stderr } = await runCli([...words, '--help', '--no-color'], { columns: 100 });
      const lines = stdout.split('\n').slice(0, -1);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(lines.length > 30 ? stdout : '').toBe('');
      // Indented lines can be commands to copy, which are not broken.
      const long = lines.filter((line) => line.length > 100 && !/^ {2}(?:\$|\S+ )/.test(line));
      expect(long).toEqual([]);
      const isGroup = all.some((each) => each.startsWith(`${name} `)) || name === '';
      const example = new RegExp(String.raw`Example:\n  \$ .*service-cli ${name}`);
      expect(isGroup || example.test(stdout)).toBe(true);
      expect(stdout).toContain('--json');
    },
  );

  it('has the options of the command, and one line for the global ones', async () => {
    const { stdout } = await runCli(['pay', '--help']);
    expect(stdout).toMatch(/^ {2}--purpose <text> +\S/m);
    expect(stdout.match(/--base-url/g)).toHaveLength(1);
    expect(stdout).not.toContain('--max-total');
    expect((await runCli(['pay-file', '--help'])).stdout).not.toContain('--purpose');
  });
});
