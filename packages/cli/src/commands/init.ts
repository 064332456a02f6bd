import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { docs } from '../generated/docs.ts';
import { describeFileError } from '../input.ts';
import { type CreateAction, exitCodes, type Handler } from '../session.ts';

const FILE = 'service.sandbox.yaml';
const SCHEMA = 'service.sandbox.schema.json';
const INSTALLED_SCHEMA = `node_modules/@service/mock/${SCHEMA}`;

/** Defines `init`, which writes a seed file. */
export function defineInit(command: Command, act: CreateAction): void {
  command
    .option('--force', `replace an existing ${FILE}`)
    .addHelpText('after', '\nExample:\n  $ service-cli init\n  $ service-cli mock')
    .action(act(writeSeedFile));
}

const writeSeedFile: Handler<readonly [], { readonly force?: true }> = async (session, { options }) => {
  const { cwd = '.' } = session.environment;
  const isInstalled = await access(join(cwd, INSTALLED_SCHEMA)).then(
    () => true,
    () => false,
  );
  const schema = isInstalled ? `./${INSTALLED_SCHEMA}` : new URL(SCHEMA, docs.seedFile).href;
  try {
    await writeFile(join(cwd, FILE), createSeedFile(schema), { flag: options.force ? 'w' : 'wx' });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new UsageError(`${FILE} exists. --force replaces it.`);
    throw new UsageError(`Cannot write ${FILE}: ${describeFileError(code)}.`);
  }
  await session.output.result({ file: FILE }, [
    `Wrote ${FILE}. Edit it, then start the mock with \`service-cli mock\`.`,
  ]);
  return exitCodes.ok;
};

/** The settings of a new seed file. All of them can be removed. */
const SETTINGS = `# The initial state of the sandbox. \`service-cli mock\` in this folder starts with it, and a reset returns to it.
# ${docs.seedFile}

# Equal seeds give equal ids, keys and secrets.
seed: demo

# real, manual (moved with \`service-cli sandbox clock advance 1h\`), or { speed: 60 }: a minute takes a second.
clock: real
# start: 2026-03-01T09:00:00Z

# Behavior that the document of the service leaves open. \`service-cli probe\` measures that of a real service.
# profile:
#   debitAt: processing
#   numbers: string

accounts:
  - name: shop
    # Keys and secrets are derived from the seed, unless you set them. \${NAME} is an environment variable.
    # testKey: service_test_shop
    # liveKey: \${SHOP_LIVE_KEY}
    balances:
      USD: 10000.00
      EUR: 2500.00
    # endpoint:
    #   url: http://localhost:3000/api/webhooks
    #   secret: \${SERVICE_WEBHOOK_SECRET}
    payments:
      # Payments stay in their status, and send no webhooks. \`age\` is the time since their creation.
      - from_currency: USD
        to_currency: EUR
        amount: 250.00
        beneficiary_name: Acme Supplies Ltd
        purpose: INV-41
        status: completed
        age: 2d
      - from_currency: USD
        to_currency: GBP
        amount: 99.95
        beneficiary_name: Example Hosting Inc
        purpose: INV-42
        status: pending
    # live:
    #   balances: { USD: 500.00 }

  # An account without money: payments fail with insufficient_funds.
  - name: empty
    balances:
      USD: 0

# The first two creates fail. \`service-cli sandbox faults list\` shows the faults.
# faults:
#   - kind: status
#     status: 503
#     operation: createPayment
#     times: 2

# rateLimit: { requests: 100, window: 1m }
`;

/** Returns the content of a new seed file, which names its JSON schema for editors. */
function createSeedFile(schema: string): string {
  return `# yaml-language-server: $schema=${schema}\n${SETTINGS}`;
}
