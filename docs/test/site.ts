// The built site.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import project from '../project.json' with { type: 'json' };

export const dist: string = join(import.meta.dirname, '../dist');
export const base: string = new URL(project.docsUrl).pathname;

/** Returns the built pages as paths of HTML files, relative to the site. */
export function listPages(): string[] {
  return globSync('**/*.html', { cwd: dist })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== '404.html')
    .toSorted();
}

/** Returns the HTML of a page. */
export function readHtml(path: string): string {
  return readFileSync(join(dist, path), 'utf8');
}

/** Returns the file of the site that serves a path, as static hosts do with clean addresses. */
export function findFile(path: string): string | undefined {
  const candidates =
    path.endsWith('/') || path === '' ? [`${path}index.html`] : [path, `${path}.html`, `${path}/index.html`];
  return candidates.find((file) => existsSync(join(dist, file)) && statSync(join(dist, file)).isFile());
}
