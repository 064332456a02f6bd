import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeUnknown } from '@service/internal';
import { defineCommand, optional } from '../command.ts';
import { UsageError } from '../errors.ts';
import { wrapProse } from '../output.ts';
import type { DefineCommand } from '../session.ts';
import { createTable } from '../terminal.ts';

/** The section of a page that explains an error. */
interface Section {
  readonly code: string;
  /** The package of the page. */
  readonly package: string;
  readonly text: string;
}

/** Defines `explain`, which prints the explanation of an error code from the pages of the installed packages. */
export const explainCommand: DefineCommand = defineCommand({
  input: {
    code: optional('[code]', 'the code of an error, such as signature_mismatch; without it, all codes'),
  },
  help: 'Example:\n  $ service-cli explain PaymentOutcomeUnknownError',
  async run({ output }, { code }) {
    const { terminal } = output;
    const sections = ['cli', 'sdk', 'webhooks', 'mock'].flatMap(readSections);
    if (code === undefined) {
      const table = createTable([{ field: 'code' }, { field: 'package' }], terminal);
      return output.result(sections, table(sections));
    }
    const found = sections.filter((section) => normalize(section.code) === normalize(code));
    const lines = found.flatMap((section, index) => [
      ...(index === 0 ? [] : ['']),
      `${section.code} (${section.package})`,
      '',
      ...wrapProse(section.text.split('\n'), terminal),
    ]);
    if (found.length > 0) return output.result(found, lines);
    const codes = sections.map((section) => section.code);
    throw new UsageError(describeUnknown(code, codes), 'unknown_code');
  },
});

/** Reads the sections of the page of a package whose heading is a code. */
function readSections(owner: string): Section[] {
  const name = `@service/${owner}`;
  const root = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const page = readFileSync(join(root, '../docs/errors.md'), 'utf8');
  return [...page.matchAll(/^#{2,3} `?([A-Za-z]\w*)`?\n+((?:(?!#{1,3} ).*\n?)*)/gm)]
    .filter(([, code = '', text = '']) => text.trim() !== '' && /_|Error$|^[a-z]/.test(code))
    .map(([, code = '', text = '']) => ({ code, package: name, text: toPlainText(text) }));
}

/** Removes the links of a text, and the breaks within its paragraphs. */
function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(?<=[^\n])\n(?=[A-Za-z`*])/g, ' ')
    .trim();
}

/** Compares codes without case, separators and the ending `error`: an error type, such as `not_found`, finds its class. */
function normalize(code: string): string {
  return code
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/(?<=.)error$/, '');
}
