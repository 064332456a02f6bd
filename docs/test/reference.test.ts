// The generated pages of the reference, and the tables of other pages that list the same commands, exit codes and variables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../packages/cli/src/session.ts';
import { root } from '../.vitepress/pages.ts';
import { loadProgram, readNotes } from '../generate/commands.ts';
import { dist, readHtml } from './site.ts';
import { findVariables, readVariables } from './variables.ts';

/** Returns the text of a page as the site serves it to agents. */
const readPage = (address: string): string => readFileSync(join(dist, 'reference', `${address}.md`), 'utf8');

/** Returns the section below a heading. */
function readSection(page: string, heading: string): string {
  const [, section = ''] = `\n${page}`.split(`\n${heading}\n`);
  return section.split(/^#{1,3} /m, 1)[0] ?? '';
}

const columnsOf = (page: string, column: number): string[] =>
  Array.from(page.matchAll(/^\| (.*) \|$/gm), ([, row = '']) => row.split(' | ')[column] ?? '');

describe('the reference of the command line', async () => {
  const program = await loadProgram();

  it('has the options of every command in the table of the configuration', () => {
    const page = readFileSync(join(root, 'packages/cli/docs/configuration.md'), 'utf8');
    const section = readSection(page, '## Options of every command');
    const documented = columnsOf(section, 0).flatMap((cell) => /^`(--[\w-]+)/.exec(cell)?.slice(1) ?? []);
    const options = program.options.map(({ long }) => String(long)).filter((long) => long !== '--version');
    expect(documented.toSorted()).toEqual(options.toSorted());
  });

  it('has each exit code in its table and in the help', () => {
    const page = readFileSync(join(root, 'packages/cli/docs/errors.md'), 'utf8');
    const rows = Array.from(page.matchAll(/^\| (\d+) +\| (.*?) +\|/gm), ([, code = '', name = '']) => ({
      code: Number(code),
      name,
    }));
    expect(rows.map(({ code }) => code)).toEqual(Object.values(exitCodes));
    const help = readNotes(program);
    for (const { code, name } of rows) expect(help).toContain(`${code} ${name}`);
  });
});

describe('the reference of environment variables', () => {
  it('has each variable that the source reads, and no other one', () => {
    const names = columnsOf(readPage('environment'), 0).flatMap(
      (cell) => /^`(\w+)`$/.exec(cell)?.slice(1) ?? [],
    );
    expect(names.toSorted()).toEqual([...readVariables()].toSorted());
  });

  it.each([
    ['a.ts', 'process.env.NEW_ONE', ['NEW_ONE']],
    ['a.ts', "process.env['NEW_ONE']", ['NEW_ONE']],
    ['a.ts', "const { NEW_ONE: a, OTHER = '' } = process.env;", ['NEW_ONE', 'OTHER']],
    ['a.ts', 'const { NEW_ONE } = environment.env;', ['NEW_ONE']],
    ['a.ts', "readVariable('SERVICE_NEW')", ['SERVICE_NEW']],
    ['a.py', "os.environ['NEW_ONE'] + os.environ.get('OTHER')", ['NEW_ONE', 'OTHER']],
    ['a.sh', '"${NEW_ONE:-4010}" $OWN', ['NEW_ONE']],
    ['a.ts', ' * @example process.env.NEW_ONE\nimport.meta.env.DEV', []],
  ])('would find the variables in %s: %s', (file, text, names) => {
    expect(findVariables(file, text)).toEqual(names);
  });
});

describe('a generated page', () => {
  it('has no link to edit it', () => {
    expect(readHtml('reference/http-api.html')).not.toMatch(/href="[^"]*\/edit\/main\//);
    expect(readHtml('sdk/errors.html')).toMatch(/href="[^"]*\/edit\/main\/packages\/sdk\/docs\/errors\.md"/);
  });
});
