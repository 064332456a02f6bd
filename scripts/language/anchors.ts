/** Returns the anchor of a heading, as GitHub writes it. */
export function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

/** Returns the anchors of the headings of a Markdown page. */
export function listAnchors(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => toAnchor(title));
}
