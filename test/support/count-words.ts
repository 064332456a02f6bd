/** Counts the words of a page without its code blocks, comments, addresses and signs. */
export function countWords(page: string): number {
  const text = page
    .replace(/^---\n[^]*?\n---\n/, '')
    .replaceAll(/```[^]*?```|<!--[^]*?-->|\]\([^)]*\)/g, ' ')
    .replaceAll(/[|`*#>_[\]-]/g, ' ');
  return text.match(/[^\s]*[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
}
