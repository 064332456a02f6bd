// Links and anchors of pages that are also read in the repository and on a package page.
import type { MarkdownRenderer } from 'vitepress';
import { resolveImage, resolveLink, toRelative } from './pages.ts';

interface Env {
  readonly path?: string;
  readonly realPath?: string;
}

/** Prevents Vue from reading `{{` in code within a line as an expression. */
export function keepBraces(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('braces', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'code_inline') token.attrSet('v-pre', '');
  });
}

/** Converts links between files into links between pages. */
export function convertLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const { path, realPath = path } = env as Env;
    if (realPath === undefined) return; // a title, which has no links
    const file = toRelative(realPath);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', resolveLink(href, file));
      const source = token.type === 'image' ? token.attrGet('src') : null;
      if (source !== null) token.attrSet('src', resolveImage(source, file));
    }
  });
}

/** Adds the heading of its column to each cell of a table. A narrow screen shows it in the cell. */
export function labelCells(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('labels', ({ tokens }) => {
    let labels: string[] = [];
    let column = 0;
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'table_open') labels = [];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') labels.push(tokens[index + 1]?.content.replaceAll(/[`*]/g, '') ?? '');
      if (token.type === 'td_open') token.attrSet('data-label', labels[column++] ?? '');
    }
  });
}
