// The pages as text for coding agents: llms.txt, llms-full.txt and the Markdown of each page.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DefaultTheme, SiteConfig } from 'vitepress';
import project from '../project.json' with { type: 'json' };
import { sidebar } from './navigation.ts';
import { findAddress, root } from './pages.ts';
import { readText, toTextAddress } from './text.ts';

type Item = DefaultTheme.SidebarItem;

const INTRODUCTION = `# Payments developer kit

> Typed client, webhook receiver, sandbox and command line of a payments API, for TypeScript and JavaScript.

- Never create a payment again after an unknown outcome: reconcile it. [Unknown outcomes](${toTextAddress('/sdk/unknown-outcomes')})
- Verify the raw bytes of a webhook, and handle each event once. [Receive webhooks](${toTextAddress('/webhooks/receiving')})
- Test with \`createMock\`, which needs no network. [Test with vitest and jest](${toTextAddress('/mock/testing')})
`;

const listPages = ({ text = '', link, items = [] }: Item): { text: string; link: string }[] => [
  ...(link === undefined ? [] : [{ text, link }]),
  ...items.flatMap(listPages),
];

/** Returns the guides of a group, or its records, which are optional. */
const pick = ({ items = [] }: Item, isRecord = false): { text: string; link: string }[] =>
  items.filter(({ collapsed = false }) => collapsed === isRecord).flatMap(listPages);

const formatPages = (pages: readonly { text: string; link: string }[]): string =>
  pages.map(({ text, link }) => `- [${text}](${toTextAddress(link)})\n`).join('');

/** Returns llms.txt: the pages in the order of the navigation. */
function formatIndex(): string {
  const skills = ['payments', 'webhooks', 'sandbox']
    .map((name) => `- [${name}](${project.docsUrl}/skills/${name}/SKILL.md)\n`)
    .join('');
  return [
    INTRODUCTION,
    ...sidebar.map((group) => `## ${group.text}\n\n${formatPages(pick(group))}`),
    `## Skills\n\n${skills}`,
    `## Optional\n\n${formatPages(sidebar.flatMap((group) => pick(group, true)))}`,
  ].join('\n');
}

/** Writes the texts into the built site. */
export function writeTexts({ outDir, pages }: SiteConfig): void {
  const texts = new Map<string, string>(
    pages.flatMap((file) => {
      const address = findAddress(file);
      return address === undefined || address === 'index' ? [] : [[`/${address}`, readText(file)] as const];
    }),
  );
  for (const [address, text] of texts) {
    const file = join(outDir, `${address}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  const guides = sidebar
    .flatMap((group) => pick(group))
    .map(({ link }) => texts.get(link.endsWith('/') ? `${link}index` : link) ?? '');
  writeFileSync(join(outDir, 'llms.txt'), formatIndex());
  writeFileSync(join(outDir, 'llms-full.txt'), `${[INTRODUCTION, ...guides].join('\n\n')}\n`);
  cpSync(join(root, 'skills'), join(outDir, 'skills'), { recursive: true });
}
