// Writes the addresses of the documentation and the repository into the packages and their READMEs, from docs/project.json.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import project from '../docs/project.json' with { type: 'json' };
import { packages, root } from './packed.ts';

type Project = typeof project;

/** Returns the files with addresses: the package.json files, the READMEs, and the links of errors and help texts. */
export async function generateAddresses(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const name of packages) {
    const path = join(root, 'packages', name, 'package.json');
    const readme = join(root, 'packages', name, 'README.md');
    const manifest = await readFile(path, 'utf8');
    files.set(path, addAddresses(manifest, name, project));
    files.set(readme, replaceAddresses(await readFile(readme, 'utf8'), manifest, project));
  }
  for (const [name, pages] of Object.entries(project.docs)) {
    files.set(join(root, 'packages', name, 'src/generated/docs.ts'), writeLinks(pages, project));
  }
  return files;
}

function addAddresses(text: string, directory: string, { docsUrl, repositoryUrl }: Project): string {
  const { name, version, description, license, ...others } = JSON.parse(text) as Record<string, unknown>;
  const manifest = {
    name,
    version,
    description,
    license,
    homepage: `${docsUrl}/${directory}`,
    repository: { type: 'git', url: `git+${repositoryUrl}.git`, directory: `packages/${directory}` },
    bugs: `${repositoryUrl}/issues`,
  };
  return `${JSON.stringify({ ...manifest, ...others, ...manifest }, null, 2)}\n`;
}

/** Replaces the addresses in a README, which are those of the manifest before its change. */
function replaceAddresses(text: string, manifest: string, { docsUrl, repositoryUrl }: Project): string {
  const { homepage, bugs } = JSON.parse(manifest) as { readonly homepage: string; readonly bugs: string };
  return text
    .replaceAll(homepage.replace(/\/\w+$/, '/'), `${docsUrl}/`)
    .replaceAll(bugs.replace(/issues$/, ''), `${repositoryUrl}/`);
}

function writeLinks(pages: Readonly<Record<string, string>>, { docsUrl }: Project): string {
  const lines = Object.entries(pages).map(([page, slug]) => `  ${page}: '${docsUrl}/${slug}',`);
  return `// Generated from docs/project.json by \`npm run generate\`. Do not edit.
/** The documentation pages that errors and help texts link to. */
export const docs = {
${lines.join('\n')}
} as const;
`;
}
