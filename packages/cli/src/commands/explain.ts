import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineCommand, optional } from '../command.ts';
import { UsageError } from '../errors.ts';
import { wrapProse } from '../output.ts';
import type { DefineCommand } from '../session.ts';

/** The section of a page that explains an error. */
interface Section {
  readonly code: string;
  /** The package of the page. */
  readonly owner: string;
  readonly text: string;
}

const owners = ['cli', 'sdk', 'webhooks', 'mock'] as const;

/** Defines `explain`, which prints the explanation of an error code from the pages of the installed packages. */
export const explainCommand: DefineCommand = defineCommand({
  input: {
    code: optional('[code]', 'the code of an error, such as signature_mismatch; without it, all codes'),
  },
  help: 'Example:\n  $ service-cli explain PaymentOutcomeUnknownError',
  async run({ output }, { code }) {
    const sections = owners.flatMap(readSections);
    if (code === undefined) {
      const lists = owners.map((owner) => ({
        package: `@service/${owner}`,
        codes: sections.filter((section) => section.owner === owner).map((section) => section.code),
      }));
      const lines = lists.flatMap(({ package: name, codes }) => [name, ...codes.map((each) => `  ${each}`)]);
      await output.result(lists, lines);
      return;
    }
    const same = sections.filter((section) => normalize(section.code) === normalize(code));
    const found = same.length > 0 ? same : sections.filter(({ text }) => text.includes(`\`${code}\``));
    if (found.length === 0) throw new UsageError(describeUnknownCode(code, sections), 'unknown_code');
    const documents = found.map(({ owner, ...section }) => ({ ...section, package: `@service/${owner}` }));
    const lines = documents.flatMap(({ code: name, package: from, text }, index) => [
      ...(index === 0 ? [] : ['']),
      `${name} (${from})`,
      '',
      ...wrapProse(text.split('\n'), output.terminal),
    ]);
    await output.result(documents, lines);
  },
});

/** Reads the sections of the page of a package whose heading is a code. */
function readSections(owner: (typeof owners)[number]): Section[] {
  const root = createRequire(import.meta.url).resolve(`@service/${owner}/package.json`);
  const page = readFileSync(join(root, '../docs/errors.md'), 'utf8');
  return [...page.matchAll(/^#{2,3} `?([A-Za-z]\w*)`?\n+((?:(?!#{1,3} ).*\n?)*)/gm)]
    .filter(([, code = '', text = '']) => text.trim() !== '' && /_|Error$|^[a-z]/.test(code))
    .map(([, code = '', text = '']) => ({ code, owner, text: toPlainText(text) }));
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

/** Describes a code without a section, with the codes that have its first word. */
function describeUnknownCode(code: string, sections: readonly Section[]): string {
  const [word = ''] = code.split('_');
  const near = [...new Set(sections.map((section) => section.code).filter((each) => each.includes(word)))];
  const hint = near.length === 0 ? '' : ` Similar codes: ${near.join(', ')}.`;
  return `There is no error code ${JSON.stringify(code)}.${hint} \`service-cli explain\` lists all codes.`;
}
