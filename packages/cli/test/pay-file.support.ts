import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@service/sdk';
import { makeFolder, type MockServer, type Ran, runCli, type RunOptions } from './support.ts';

/** A payment file in its own folder, and a function that runs `pay` on it. */
export interface TestFile {
  readonly folder: string;
  readonly path: string;
  readonly write: (text: string | Uint8Array) => void;
  readonly pay: (options?: readonly string[], run?: RunOptions) => Promise<Ran>;
}

/** Writes a payment file. */
export function createFile(env: MockServer['env'], text: string | Uint8Array): TestFile {
  const folder = makeFolder();
  const path = join(folder, 'payments.csv');
  const write: TestFile['write'] = (content) => writeFileSync(path, content);
  write(text);
  return {
    folder,
    path,
    write,
    pay: (options = ['--yes'], run = {}) => runCli(['pay-file', path, ...options], { env, ...run }),
  };
}

/** Returns the beneficiary names of all payments of an account, sorted, from its transactions. */
export async function listNames({ env }: Pick<MockServer, 'env'>): Promise<string[]> {
  const client = createClient({ apiKey: env.SERVICE_API_KEY ?? '', baseUrl: env.SERVICE_BASE_URL ?? '' });
  const ids = new Set<string>();
  for await (const { payment_id } of client.transactions.list({ per_page: 100 }))
    if (payment_id) ids.add(payment_id);
  const names: string[] = [];
  for (const id of ids) names.push((await client.payments.retrieve(id)).beneficiary.name);
  return names.toSorted();
}

/** Returns the names of the beneficiaries of `toCsv`, sorted. */
export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Supplier ${index + 1}`).toSorted();
}
