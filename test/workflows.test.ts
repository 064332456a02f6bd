// The rules of the workflows: a moved tag of an action, a token in a checkout or a poisoned cache must not reach a release.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(import.meta.dirname, '../.github/workflows');
const workflows = new Map(
  globSync('*.yml', { cwd: folder }).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
);
const jobs = [...workflows].flatMap(([file, text]) => {
  const workflow = parse(text) as Workflow;
  return Object.entries(workflow.jobs).map(([name, job]) => ({
    name: `${file} ${name}`,
    job,
    permissions: job.permissions ?? workflow.permissions,
  }));
});

describe('the workflows', () => {
  it('pin every action to a commit and name its version', () => {
    const uses = [...workflows.values()].flatMap((text) => text.match(/\buses:.*/g) ?? []);
    expect(uses.length).toBeGreaterThan(10);
    expect(uses.filter((line) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('keep no token in a checkout', () => {
    const checkouts = jobs.flatMap(({ name, job }) =>
      job.steps
        .filter(({ uses }) => uses?.startsWith('actions/checkout@'))
        .map((step) => ({ name, isKept: step.with?.['persist-credentials'] !== false })),
    );
    expect(checkouts.filter(({ isKept }) => isKept)).toEqual([]);
  });

  it('state the permissions of every job', () => {
    expect(jobs.filter(({ permissions }) => permissions === undefined)).toEqual([]);
  });

  it('give an identity only to the job that publishes, after all checks and without scripts and caches', () => {
    const identified = jobs.filter(({ permissions }) => permissions?.['id-token'] !== undefined);
    expect(identified.map(({ name }) => name)).toEqual(['release.yml publish']);
    const [{ job } = { job: undefined }] = identified;
    expect(job?.needs).toContain('nightly');
    expect(job?.steps.flatMap(({ run = [] }) => run)).toEqual(['npm ci --ignore-scripts']);
    expect(job?.steps.flatMap((step) => Object.keys(step.with ?? {}))).not.toContain('cache');
  });
});
