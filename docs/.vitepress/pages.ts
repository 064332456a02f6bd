// The address of each page. A page is shown where it is written: the guides of a package stay in its folder, and a file
// of the repository that is no page leads to the repository.
import { existsSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import project from '../project.json' with { type: 'json' };

export const root: string = join(import.meta.dirname, '../..');

/** The folder and the address of each kind of page. The first rule that matches applies. */
const rules: readonly [file: RegExp, address: string][] = [
  [/^docs\/(?!decisions\/|contract\.md)(.+)\.md$/, '$1'],
  [/^packages\/(\w+)\/README\.md$/, '$1/index'],
  [/^packages\/(\w+)\/docs\/([\w-]+)\.md$/, '$1/$2'],
  [/^examples\/README\.md$/, 'examples/index'],
];

/** Returns the address of a page without its extension, or undefined for a file that is no page. */
export function findAddress(file: string): string | undefined {
  if (file.includes('node_modules/')) return undefined;
  const rule = rules.find(([pattern]) => pattern.test(file));
  return rule && file.replace(rule[0], rule[1]);
}

/** Returns the link of the site for a link in a file, both relative to the repository. */
export function resolveLink(link: string, file: string): string {
  if (link.startsWith(`${project.docsUrl}/`)) return link.slice(project.docsUrl.length);
  if (/^(?:[a-z]+:|\/|#)/i.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.normalize(posix.join(posix.dirname(file), decodeURI(path))).replace(/\/$/, '');
  const isFolder = existsSync(join(root, target)) && statSync(join(root, target)).isDirectory();
  const page = isFolder ? `${target}/README.md` : target;
  const address = existsSync(join(root, page)) ? findAddress(page) : undefined;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (address !== undefined) return `/${address.replace(/(?<=^|\/)index$/, '')}${hash}`;
  return `${project.repositoryUrl}/${isFolder ? 'tree' : 'blob'}/main/${target}${hash}`;
}

/** Returns the relative address of a picture in a file: the README of a package has absolute addresses of the repository. */
export function resolveImage(source: string, file: string): string {
  const start = `${project.repositoryUrl}/raw/main/`;
  if (!source.startsWith(start)) return source;
  return posix.relative(posix.dirname(file), source.slice(start.length));
}

/** Returns the path of a file relative to the repository, with slashes. */
export function toRelative(path: string): string {
  return relative(root, path).split(sep).join('/');
}

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
