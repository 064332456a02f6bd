/** Returns the anchors of the headings of a Markdown page, as GitHub writes them. */
export function listAnchors(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
