import type {
  Client,
  Payment,
  PaymentInput,
  PaymentStatus,
  WaitOptions as SdkWaitOptions,
} from '@service/sdk';
import { type Command, Option } from 'commander';
import { connect, openClient, readSettings } from '../config.ts';
import { PaymentExistsError, UsageError } from '../errors.ts';
import { addFileOptions, type FileOptions, findTask } from '../pay-file/options.ts';
import { parseDuration } from '../parse.ts';
import { type CreateAction, type ExitCode, exitCodes, type Handler, type Session } from '../session.ts';
import { toFields } from '../table.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';

/** Defines `quote`: `POST /quotes` (docs/contract.md#quotes). */
export function defineQuote(command: Command, act: CreateAction): void {
  command
    .argument('<from>', 'currency to send, such as USD')
    .argument('<to>', 'currency to receive, such as EUR')
    .argument('<amount>', 'amount to send, such as 100.00')
    .option('--timeout <span>', 'maximum time of the request (default: 30s)', parseDuration)
    .addHelpText('after', '\nExample:\n  $ service-cli quote USD EUR 100.00')
    .action(act(quote));
}

type Args = readonly [from: string, to: string, amount: string];

interface QuoteOptions {
  readonly timeout?: number;
}

const quote: Handler<Args, QuoteOptions> = async (session, { args, options }) => {
  const [from_currency, to_currency, amount] = args;
  const client = await connect(session, options.timeout);
  const { signal } = session.environment;
  const created = await client.quotes.create({ from_currency, to_currency, amount }, { signal });
  await session.output.result(created, toFields(created, session.output.terminal));
  return exitCodes.ok;
};

/** Defines `pay`: `POST /payments`, sent exactly once (docs/contract.md#payments), or a file of payments. */
export function definePay(command: Command, act: CreateAction): void {
  command
    .argument('[from]', 'currency to send, such as USD')
    .argument('[to]', 'currency to receive, such as EUR')
    .argument('[amount]', 'amount to send, such as 100.00')
    .option('--wait', 'wait for a final status; exits 1 if a payment fails')
    .option('--wait-timeout <span>', 'maximum time of --wait (default: 60s)', parseDuration)
    .option('--timeout <span>', 'maximum time of each request (default: 30s)', parseDuration)
    .optionsGroup('Options of one payment:')
    .option('--name <name>', 'full name of the beneficiary; required')
    .option('--bank <bank>', 'bank of the beneficiary')
    .option('--account <account>', 'account number or IBAN of the beneficiary')
    .option('--country <country>', 'country of the beneficiary')
    .option('--purpose <text>', 'purpose or reference; use a unique one to find the payment again')
    .option('--idempotency-key <key>', 'Idempotency-Key to send (default: a new UUID)')
    .option('--no-idempotency-key', 'send no Idempotency-Key');
  addFileOptions(command);
  command.addHelpText('after', helpText).action(act(runPay));
}

const helpText = `
After exit code 3, check whether the payment exists before you repeat the command.
If a gateway retries requests and the service ignores Idempotency-Key, the gateway can pay twice, and a payment can exist
although the command exits 1.

Example:
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait
  $ service-cli pay --file payments.csv`;

type GivenArgs = readonly [from?: string, to?: string, amount?: string];

const runPay: Handler<GivenArgs, FileOptions & Partial<Options>> = async (session, { args, options }) => {
  const [from, to, amount] = args;
  const { name, bank, account, country, purpose, idempotencyKey } = options;
  const single = {
    'an argument': from,
    '--name': name,
    '--bank': bank,
    '--account': account,
    '--country': country,
    '--purpose': purpose,
    '--idempotency-key': idempotencyKey,
  };
  const task = findTask(options, single);
  if (task === 'run') return (await import('../pay-file/pay-file.ts')).payFile(session, options);
  if (task === 'status') return (await import('../pay-file/recorded.ts')).showRecorded(session, options);
  if (task === 'resolve') return (await import('../pay-file/recorded.ts')).resolveRecorded(session, options);
  const missing = Object.entries({ from, to, amount }).find(([, value]) => value === undefined);
  if (missing)
    throw new UsageError(
      `missing required argument '${missing[0]}'. Or pass a file of payments with --file.\nusage: service-cli pay [options] <from> <to> <amount>`,
    );
  if (name === undefined) throw new UsageError("required option '--name <name>' not specified");
  return pay(session, { args: args as Args, options: { ...options, name } });
};

interface Options {
  readonly name: string;
  readonly bank?: string;
  readonly account?: string;
  readonly country?: string;
  readonly purpose?: string;
  /** False with `--no-idempotency-key`. */
  readonly idempotencyKey?: string | false;
  readonly wait?: true;
  readonly waitTimeout?: number;
  readonly timeout?: number;
}

const pay: Handler<Args, Options> = async (session, { args, options }) => {
  const { environment, output } = session;
  if (options.waitTimeout !== undefined && options.wait !== true)
    throw new UsageError('--wait-timeout needs --wait.');
  const { idempotencyKey, waitTimeout: timeout = 60_000 } = options;
  const settings = await readSettings(session, options.timeout);
  const client = await openClient({
    ...settings,
    idempotencyKeys: idempotencyKey === false ? 'omit' : 'send',
  });
  const { signal } = environment;
  const created = await client.payments.create(toInput(args, options), {
    signal,
    idempotencyKey: idempotencyKey === false ? undefined : idempotencyKey,
  });
  const { id, status: shown } = created;
  return afterPayment(id, async () => {
    await output.result(created, toPaymentLines(created, output.terminal));
    return options.wait ? follow(session, { client, id, until: 'final', timeout, shown }) : exitCodes.ok;
  });
};

function toInput([from_currency, to_currency, amount]: Args, options: Options): PaymentInput {
  return {
    from_currency,
    to_currency,
    amount,
    beneficiary_name: options.name,
    beneficiary_bank: options.bank,
    beneficiary_account: options.account,
    beneficiary_country: options.country,
    purpose: options.purpose,
  };
}

/**
 * Runs the steps that follow the create of a payment.
 *
 * @throws {PaymentExistsError} when a step throws anything.
 */
async function afterPayment<T>(id: string, steps: () => Promise<T>): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    throw new PaymentExistsError(id, error);
  }
}

/** Defines `payment get`: `GET /payments/{payment_id}`. */
export function defineGetPayment(command: Command, act: CreateAction): void {
  command
    .argument('<id>', 'id of the payment, such as pay_test_…')
    .option('--timeout <span>', 'maximum time of the request (default: 30s)', parseDuration)
    .addHelpText('after', '\nExample:\n  $ service-cli payment get pay_test_… --json | jq -r .status')
    .action(act(getPayment));
}

/** Defines `payment wait`, which repeats `GET /payments/{payment_id}`. */
export function defineWaitForPayment(command: Command, act: CreateAction): void {
  command
    .argument('<id>', 'id of the payment, such as pay_test_…')
    .addOption(
      new Option('--until <status>', 'status to wait for; any final status ends the wait')
        .choices(goals)
        .default('final'),
    )
    .option('--timeout <span>', 'maximum total time (default: 60s)', parseDuration)
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli payment wait pay_test_… --until completed --timeout 5m',
    )
    .action(act(waitForPayment));
}

interface GetOptions {
  readonly timeout?: number;
}
type WaitGoal = NonNullable<SdkWaitOptions['until']>;

const goals: readonly WaitGoal[] = ['final', 'pending', 'processing', 'completed', 'failed'];

type WaitOptions = GetOptions & { readonly until: WaitGoal };

const getPayment: Handler<readonly [string], GetOptions> = async (session, { args, options }) => {
  const client = await connect(session, options.timeout);
  const payment = await client.payments.retrieve(args[0], { signal: session.environment.signal });
  await session.output.result(payment, toPaymentLines(payment, session.output.terminal));
  return exitCodes.ok;
};

const waitForPayment: Handler<readonly [string], WaitOptions> = async (session, { args, options }) => {
  const client = await connect(session);
  const { until, timeout = 60_000 } = options;
  return follow(session, { client, id: args[0], until, timeout });
};

/** The payment to follow, and when to stop. */
interface StatusLog {
  readonly client: Client;
  readonly id: string;
  readonly until: WaitGoal;
  /** Maximum total time, in milliseconds. */
  readonly timeout: number;
  /** The status that was already printed. */
  readonly shown?: PaymentStatus | undefined;
}

/** Prints each status of a payment as it changes. Returns `refused` if the final status is not the requested one. */
async function follow({ environment, output }: Session, options: StatusLog): Promise<ExitCode> {
  const { client, id, until, timeout, shown } = options;
  let last = shown ?? 'unknown';
  const wait = (): Promise<Payment> =>
    client.payments.waitFor(id, {
      until,
      timeout,
      signal: environment.signal,
      onStatus: async (payment) => {
        last = payment.status;
        const line = [`${payment.id}  `, toStatus(payment.status, output.terminal)];
        if (payment.status !== shown) await output.result(payment, [line]);
      },
    });
  // Short enough for the id, both states and the time on 80 columns.
  const { status } = await output.wait(
    () => ({ text: `${id}: ${last}, awaiting ${until}`, limit: timeout }),
    wait,
  );
  const isReached = status === until || (status === 'completed' && until !== 'failed');
  if (!isReached) output.note(`The final status of the payment is ${status}.`);
  return isReached ? exitCodes.ok : exitCodes.refused;
}

/** Formats a payment in the documented order of its fields (docs/contract.md#payments). Other fields follow. */
export function toPaymentLines(payment: Payment, terminal: Terminal): Line[] {
  const { id, status, from_currency, to_currency, send_amount, rate, receive_amount, ...more } = payment;
  const { beneficiary, purpose, created_at, ...rest } = more;
  const figures = { id, status, from_currency, to_currency, send_amount, rate, receive_amount };
  // A service may omit the documented beneficiary; the payment must be printed anyway.
  const { name, bank, account, country } = (beneficiary ?? {}) as Partial<Payment['beneficiary']>;
  const beneficiaryFields = { name, bank, account, country };
  return toFields({ ...figures, beneficiary: beneficiaryFields, purpose, created_at, ...rest }, terminal);
}
