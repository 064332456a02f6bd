// The documentation: links, the pages and sections that errors name, and the files that pages name exist.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listAnchors } from '../docs/.vitepress/pages.ts';
import { retryDelays } from '../packages/mock/src/domain/delivery.ts';
import { RENEWED_LEASE } from '../packages/webhooks/src/deduplicate.ts';
import { sandboxErrorCodes } from '../packages/mock/src/state/sandbox-error.ts';
import { createMock } from '@service/mock';
import project from '../docs/project.json' with { type: 'json' };
import * as sdk from '@service/sdk';
import { WebhookError } from '@service/webhooks';
import { countWords } from './support/count-words.ts';
import { errorCodes } from '../packages/webhooks/test/error-codes.ts';

const root = join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const pages = tracked.filter((path) => path.endsWith('.md') && existsSync(join(root, path)));

function readFile(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Returns the text of the page of a slug: `sdk/errors` is packages/sdk/docs/errors.md, `cli` is its README. */
function readPage(slug: string): string {
  const [directory = '', page] = slug.split('/');
  const file = page === undefined ? 'README.md' : `docs/${page}.md`;
  return readFile(join('packages', directory, file));
}

describe('the documentation', () => {
  it.each(pages)('links only to existing files and headings in %s', (page) => {
    const text = readFile(page).replaceAll(/^```.*?^```/gms, '');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)];
    const broken = links.filter(([, target = '', anchor = '']) => {
      const path = target === '' ? page : join(page, '..', target);
      return (
        !existsSync(join(root, path)) || (anchor !== '' && !listAnchors(readFile(path)).includes(anchor))
      );
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it.each(Object.values(project.docs).flatMap((slugs) => Object.values(slugs)))('has the page %s', (slug) => {
    expect(readPage(slug)).toMatch(/^# /);
  });

  const errorClasses = Object.values(sdk).filter(
    (value): value is typeof sdk.ServiceError =>
      typeof value === 'function' &&
      (value === sdk.ServiceError || value.prototype instanceof sdk.ServiceError),
  );

  it.each(errorClasses.map(({ name }) => name))('has a section for %s', (name) => {
    expect(listAnchors(readPage(project.docs.sdk.errors))).toContain(name.toLowerCase());
  });

  it('is linked from an error of the client', () => {
    expect(new sdk.ValidationError('x').docs).toBe(`${project.docsUrl}/sdk/errors#validationerror`);
  });

  it.each(errorCodes)('has a section for %s', (code) => {
    expect(listAnchors(readPage(project.docs.webhooks.errors))).toContain(code);
    expect(new WebhookError(code).docs).toBe(`${project.docsUrl}/webhooks/errors#${code}`);
  });

  it.each(sandboxErrorCodes)('has a section for the sandbox error %s', (code) => {
    expect(listAnchors(readPage(project.docs.mock.errors))).toContain(code);
  });
});

describe('the samples', () => {
  const samples = tracked.filter((path) =>
    /^(?:README|docs|skills|examples|packages\/\w+\/(?:README|docs|src)).*\.(?:md|[cm]?[jt]sx?)$/.test(path),
  );

  it('resolve signing secrets at the first request, because a build has none', () => {
    const early =
      /^(?!.*=>).*secrets?: process\.env|secrets: \[[^\]]*process\.env|SECRET\b[^;{}]*\} = process\.env/im;
    expect(samples.filter((path) => early.test(readFile(path)))).toEqual([]);
    const examples = [
      'secrets: process.env.A',
      'secrets: [{ value: process.env.A }]',
      "{ A_SECRET = '' } = process.env",
    ];
    expect(examples.filter((sample) => !early.test(sample))).toEqual([]);
  });
});

describe.each(['contract', 'sdk', 'webhooks', 'mock', 'probe', 'cli'])('the README of %s', (name) => {
  const page = readFile(`packages/${name}/README.md`);
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  const raw = `${project.repositoryUrl}/raw/main/`;

  it('has an install line', () => {
    expect(page).toMatch(new RegExp(`^npm install .*@service/${name}$`, 'm'));
  });

  it('has only absolute links, which also work on the page of the package', () => {
    const isFile = (link: string): boolean =>
      tracked.some(
        (path) => link === `${raw}${path}` || link === `${project.repositoryUrl}/blob/main/${path}`,
      );
    // The tests of the site check that its pages exist.
    expect(links.filter((link) => !link.startsWith(`${project.docsUrl}/`) && !isFile(link))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFile('ARCHITECTURE.md');
  const files = [...page.matchAll(/`([\w./-]+\.(?:ts|md|json|yaml|txt))`/g)].map(([, file = '']) => file);

  it.each([...new Set(files)])('names the existing file %s', (file) => {
    expect(tracked.some((path) => path === file || path.endsWith(`/${file}`))).toBe(true);
  });

  const functions = [...page.matchAll(/`(\w+)` \(`([\w./-]+\.ts)`\)/g)].map(([, name = '', file = '']) => [
    name,
    file,
  ]);
  const isDefined = (name: string, file: string): boolean =>
    tracked
      .filter((path) => path.endsWith(`/src/${file}`) || path.endsWith(`/${file}`))
      .some((path) => new RegExp(`(?:function\\*?|const) ${name}\\b`).test(readFile(path)));

  it.each(functions)('names the function %s where it is: %s', (name, file) => {
    expect(isDefined(name, file)).toBe(true);
  });

  it('names functions, and would miss one that moved', () => {
    expect(functions.length).toBeGreaterThan(15);
    expect(isDefined('rememberKey', 'http/create-payment.ts')).toBe(false);
  });

  it('has a picture with the dependencies of the packages', () => {
    const drawn = [...readFile('docs/images/packages.svg').matchAll(/data-from="(\w+)" data-to="(\w+)"/g)];
    const names = ['contract', 'sdk', 'webhooks', 'mock', 'probe', 'cli'];
    const used = names.flatMap((name) => {
      const manifest = JSON.parse(readFile(`packages/${name}/package.json`)) as Record<string, object>;
      // Bundled, or used for its types only, so that zod is not installed.
      const types = ['sdk', 'webhooks', 'mock'].includes(name) ? ['@service/contract'] : [];
      const own = Object.keys(manifest.dependencies ?? {}).filter((other) => other.startsWith('@service/'));
      return [...types, ...own].map((other) => `${other.slice(9)} ${name}`);
    });
    expect(drawn.map(([, from, to]) => `${from} ${to}`).toSorted()).toEqual(used.toSorted());
  });
});

describe('the retry schedule of webhooks', () => {
  it('has a first delay above the lease of a claim, so that the first retry after a crash is handled', () => {
    expect(retryDelays[0]).toBeGreaterThan(RENEWED_LEASE);
  });
});

describe('the README of the repository', () => {
  const page = readFile('README.md');

  it('has less than 350 words besides code', () => {
    expect(countWords(page)).toBeLessThan(350);
  });

  it('has the promise, the installation, a picture and an example of each package on the first screen', () => {
    const screen = page.split('\n').slice(0, 30).join('\n');
    for (const name of ['sdk', 'webhooks', 'mock', 'cli', 'probe', 'contract'])
      expect(screen).toMatch(new RegExp(`^\\| \\[@service/${name}\\].* \\| \`.+\` +\\|$`, 'm'));
    expect(screen).toMatch(/^npm install /m);
    expect(screen).toMatch(/!\[.+\]\(.+\.svg\)/);
    expect(screen).toContain('five-minute tour');
  });

  it('states the number of profile settings, as the contract and the page of the probe do', () => {
    const mock = createMock();
    const count = Object.keys(mock.sandbox.profile.get()).length;
    expect(/the (\d+) open questions/.exec(page)?.[1]).toBe(String(count));
    expect(/There are (\d+) settings/.exec(readFile('docs/contract.md'))?.[1]).toBe(String(count));
    expect(/^(\d+) settings: /m.exec(readFile('packages/cli/docs/probe.md'))?.[1]).toBe(String(count));
  });
});

describe('the promises of a package', () => {
  const readmes = tracked.filter((path) => /^packages\/\w+\/README\.md$/.test(path));
  const readTests = (page: string): RegExpMatchArray[] => [
    ...readFile(page).matchAll(/\| `([\w./-]+\.test\.ts)` › (.+?) *\|$/gm),
  ];

  it.each(readmes)('are in %s, in less than 500 words besides code', (page) => {
    expect(readTests(page).length).toBeGreaterThan(2);
    expect(countWords(readFile(page))).toBeLessThan(500);
  });

  it.each(readmes.flatMap((page) => readTests(page).map(([, file = '', title = '']) => [file, title])))(
    'are held by the test in %s: %s',
    (file, title) => {
      expect(existsSync(join(root, file))).toBe(true);
      const text = readFile(file);
      expect([`'${title}`, `\`${title}`].some((start) => text.includes(start))).toBe(true);
    },
  );
});
