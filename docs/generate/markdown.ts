// Markdown of generated pages.

/** A page by its path in `docs/reference`, without its extension. */
export type Pages = ReadonlyMap<string, string>;

/** Formats a table. Columns without any cell are left out. */
export function formatTable(
  headers: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): string {
  const used = headers.map((_, column) => rows.some((row) => (row[column] ?? '') !== ''));
  const toRow = (cells: readonly (string | undefined)[]): string =>
    `| ${cells
      .filter((_, column) => used[column])
      .map((cell) => toCell(cell ?? ''))
      .join(' | ')} |\n`;
  return `${toRow(headers)}${toRow(headers.map(() => '---'))}${rows.map(toRow).join('')}\n`;
}

/** Puts text into one line. In a table, a vertical bar ends the cell even within code. */
function toCell(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/(?<!\\)\|/g, '\\|')
    .trim();
}

/** Formats code within a line. */
export function formatCode(text: unknown): string {
  const code = String(text);
  return code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``;
}

/** Formats a code block. */
export function formatBlock(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n\n`;
}

/** Escapes the characters that Markdown and Vue interpret outside of code. Addresses become code, because they are examples. */
export function escapeText(text: string): string {
  return text
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 1 ? part : escapePart(part)))
    .join('');
}

function escapePart(text: string): string {
  return text
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&#123;{')
    .replaceAll('*', '\\*')
    .replaceAll(/(?<!\]\()\bhttps?:\/\/[^\s)]+/g, '`$&`');
}
