/** Counts the words of a page without its fenced code blocks, as `wc -w` does: the bars of a table are words. */
export function countWords(page: string): number {
  const text = page.replaceAll(/^ *```[^]*?^ *```$/gm, '');
  return text.split(/\s+/).filter((word) => word !== '').length;
}
