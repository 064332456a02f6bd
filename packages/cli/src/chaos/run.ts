import { toRecord } from '@service/internal';
import type { Delivery, FaultHandle, RequestFaultOptions, RequestView } from '@service/mock';
import { UsageError } from '../errors.ts';
import { type Application, type PlainRequest, send } from './application.ts';
import type { ChaosOptions, ChaosService, LedgerPayment } from './service.ts';

/** The context of all scenarios of a run. */
export interface RunContext extends ChaosOptions {
  readonly service: ChaosService;
  readonly application: Application;
  /** The start of all references of the run. */
  readonly prefix: string;
  /** Whether the application pays before it responds to the trigger. Undefined before the first trigger. */
  isSynchronous: boolean | undefined;
}

/** The requests and payments of a reference. */
export interface Records {
  readonly creates: readonly RequestView[];
  readonly payments: readonly LedgerPayment[];
  readonly deliveries: readonly Delivery[];
  /** Whether there are creates that may belong to the reference. */
  readonly isAmbiguous: boolean;
}

/** The time between two attempts to deliver a webhook, in milliseconds. */
const RETRY_DELAY = 100;

/** One run of a scenario: the reference that is paid, and the actions on the application and the mock. */
export class ScenarioRun {
  readonly context: RunContext;
  readonly reference: string;
  readonly amount: string;
  /** The time of the start, on the clock of the mock and on that of the run. */
  readonly startedAt: Date;
  readonly startedOn: number;
  /** The triggers and kills. */
  readonly timeline: { readonly at: number; readonly text: string }[] = [];
  /** The genuine events that were sent past the mock and never acknowledged. */
  readonly unacknowledged: string[] = [];
  /** The forged events, and the status of each response. */
  readonly forged: { readonly what: string; readonly status: number | undefined }[] = [];
  /** The time of its end. Creates without a reference after it belong to another scenario. */
  endedAt: number = Infinity;
  #triggers = 0;

  constructor(context: RunContext, number: number) {
    this.context = context;
    this.reference = `${context.prefix}${number}`;
    this.amount = `${1_000 + number}.00`;
    this.startedAt = context.service.mock.sandbox.clock.now();
    this.startedOn = context.clock.now();
  }

  /** Adds an entry to the timeline. */
  note(text: string): void {
    this.timeline.push({ at: this.context.clock.now(), text });
  }

  /** Asks the application to pay the reference, and waits until it has done so. */
  async trigger(instance = 0): Promise<void> {
    const { trigger, service } = this.context;
    this.#triggers += 1;
    const name = `trigger ${this.#triggers}`;
    const before = this.creates().length;
    this.note(`${name} starts`);
    if (trigger === undefined) this.#createPayment();
    else this.note(`${name} ends: ${await this.#runTrigger(trigger, instance)}`);
    const hasPaid = (): boolean => {
      const creates = this.creates();
      return creates.length > before && creates.every(({ response }) => response !== null);
    };
    if (trigger === undefined || this.context.isSynchronous === true) return;
    const isSynchronous = hasPaid();
    await service.waitUntil(hasPaid);
    if (this.context.isSynchronous === undefined) this.#checkFirst();
    this.context.isSynchronous ??= isSynchronous;
  }

  /** @throws {UsageError} when the first trigger made no create arrive: the application talks to something else. */
  #checkFirst(): void {
    if (this.creates().length > 0 || this.context.signal.aborted) return;
    const { settle, application } = this.context;
    const { text = '' } = this.timeline.at(-1) ?? {};
    throw new UsageError(
      `The trigger made no create arrive at the mock within ${settle} ms (${text}), so nothing was triggered again. The application must read SERVICE_BASE_URL and SERVICE_API_KEY; check that the trigger reaches it, and raise --settle if it pays later. Its last output:\n${application.readOutput()}`,
    );
  }

  async #runTrigger(trigger: string, instance: number): Promise<string> {
    const { application, ports, clientTimeout, settle } = this.context;
    const [port = 0] = ports;
    const text = this.#fill(trigger).replaceAll(`:${port}`, `:${ports[instance] ?? port}`);
    const limit = 4 * clientTimeout + settle;
    const request = parseRequest(text);
    if (request === undefined) return `exit code ${await application.run(text, limit)}`;
    const response = await send({ ...request, timeout: limit }).catch(() => undefined);
    await response?.text().catch(() => '');
    return response === undefined ? 'no response' : `status ${response.status}`;
  }

  /** Creates the payment of an application that only receives webhooks. */
  #createPayment(): void {
    const { payments } = this.context.service.mock.sandbox;
    const fields = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Chaos' } as const;
    this.#created.push(
      payments.create({ ...fields, amount: this.amount, purpose: this.reference, status: 'completed' }).id,
    );
  }
  readonly #created: string[] = [];

  #fill(text: string): string {
    return text.replaceAll('{reference}', this.reference).replaceAll('{amount}', this.amount);
  }

  /** Injects a fault of creates. */
  fault(fault: RequestFaultOptions): FaultHandle {
    return this.context.service.mock.sandbox.faults.inject({ ...fault, operation: 'createPayment' });
  }

  /** Returns the creates of all references since the start of the scenario. */
  creates(): readonly RequestView[] {
    const { requests } = this.context.service.mock.sandbox;
    return requests.list({ operation: 'createPayment', since: this.startedAt });
  }

  /** Waits until a payment of the scenario is in the ledger. */
  async untilPaid(): Promise<void> {
    await this.context.service.waitUntil(async () => (await this.read()).payments.length > 0);
  }

  /** Waits until the payments of the scenario have a final status, with their events. */
  async untilFinal(): Promise<void> {
    await this.context.service.waitUntil(async () => (await this.read()).payments.every(isFinal));
  }

  /** Waits until reads of the service show the payments, with a profile whose reads lag. */
  async untilReadable(lag = 0): Promise<void> {
    await this.untilFinal();
    const { clock, signal } = this.context;
    if (lag > 0) await clock.sleep(lag, signal);
  }

  async kill(): Promise<void> {
    this.note('SIGKILL');
    await this.context.application.kill();
  }

  async start(changed?: Readonly<Record<string, string>>): Promise<void> {
    await this.context.application.start(changed);
    this.note('the application is ready again');
  }

  /** Delivers the held events in an order. Each is sent again until it is acknowledged, or for the settle time. */
  async deliver(order: (ids: readonly Delivery[]) => readonly Delivery[] = (ids) => ids): Promise<void> {
    this.context.service.route.isHeld = false;
    const { deliveries } = await this.read();
    for (const { id, state } of order(deliveries)) if (state !== 'acknowledged') await this.redeliver(id);
  }

  /** Sends an event until it is acknowledged, or for the settle time. */
  async redeliver(id: string): Promise<void> {
    const { webhooks } = this.context.service.mock.sandbox;
    await this.#repeat(async () => {
      const { attempts } = await webhooks.redeliver(id);
      return attempts.at(-1)?.result.outcome === 'acknowledged';
    });
  }

  /** Repeats a step until it returns true, or for the settle time. Returns the last result. */
  async #repeat(step: () => Promise<boolean>): Promise<boolean> {
    const { settle, clock, signal } = this.context;
    const deadline = clock.now() + settle;
    for (;;) {
      const isDone = await step();
      if (isDone || clock.now() > deadline || signal.aborted) return isDone;
      await clock.sleep(RETRY_DELAY, signal);
    }
  }

  /** Pays, and returns the delivery of the completion, which is still held. The earlier events are delivered. */
  async completion(): Promise<Delivery> {
    await this.trigger();
    const { service } = this.context;
    const find = async (): Promise<Delivery | undefined> =>
      (await this.read()).deliveries.find(({ event }) => event === 'payment.completed');
    await service.waitUntil(async () => (await find()) !== undefined);
    const found = await find();
    if (found === undefined) throw new UsageError('The payment of the application did not complete.');
    await this.deliver((all) => all.filter(({ id }) => id !== found.id));
    return found;
  }

  /** Sends a genuine webhook past the mock until it is acknowledged, or for the settle time. */
  async postGenuine(body: string): Promise<void> {
    const { service } = this.context;
    const signature = service.sign(body);
    const isAcknowledged = await this.#repeat(async () => (await service.post(body, signature)) === 200);
    if (!isAcknowledged) this.unacknowledged.push(/"event":"([^"]+)"/.exec(body)?.[1] ?? 'an event');
  }

  /** Reads the records of the reference. */
  async read(): Promise<Records> {
    const { service } = this.context;
    const rows = await service.listPayments();
    const { creates, isAmbiguous } = this.#findCreates();
    const ids = new Set([...this.#created, ...creates.flatMap(({ effects }) => effects.payment_id ?? [])]);
    const payments = rows.filter(({ id }) => ids.has(id)).toReversed();
    const all = service.mock.sandbox.webhooks.deliveries();
    const deliveries = all.filter(({ payment_id }) => ids.has(payment_id));
    return { creates, payments, deliveries, isAmbiguous };
  }

  /** Finds the creates by purpose, key or amount; a single one of the scenario belongs to it in any case. */
  #findCreates(): Pick<Records, 'creates' | 'isAmbiguous'> {
    const { trigger, prefix } = this.context;
    // An application without a trigger can pay for other reasons.
    if (trigger === undefined) return { creates: [], isAmbiguous: false };
    // A longer number would start with the same text.
    const reference = new RegExp(`${this.reference}(?!\\d)`);
    const isOwn = (create: RequestView): boolean =>
      reference.test(readTexts(create)) ||
      (trigger.includes('{amount}') && Number(toRecord(create.json).amount) === Number(this.amount));
    const all = this.creates();
    const own = all.filter(isOwn);
    const others = all.filter(
      (create) =>
        !isOwn(create) && !readTexts(create).includes(prefix) && Date.parse(create.at) <= this.endedAt,
    );
    if (own.length === 0 && others.length === 1) return { creates: others, isAmbiguous: false };
    return { creates: own, isAmbiguous: others.length > 0 };
  }

  /** Returns how often the completion took effect. Waits for the expected count, at most for the settle time. */
  async countHandled(expected: number, { payments: [payment] }: Records): Promise<number | undefined> {
    const { handled, application } = this.context;
    if (handled === undefined || payment === undefined) return undefined;
    const command = this.#fill(handled).replaceAll('{payment}', payment.id);
    let count: number | undefined;
    await this.#repeat(async () => {
      let output = '';
      await application.run(command, HANDLED_TIMEOUT, (part) => (output += part));
      if (!/^\s*\d+\s*$/.test(output))
        throw new UsageError(
          `--handled must print a number. ${JSON.stringify(command)} printed ${JSON.stringify(output.slice(0, 200))}.`,
        );
      count = Number(output);
      return count === expected;
    });
    return count;
  }
}

const HANDLED_TIMEOUT = 30_000;

function isFinal({ status }: LedgerPayment): boolean {
  return status === 'completed' || status === 'failed';
}

/** Returns the texts of a create that can have its reference. */
function readTexts({ body, headers }: RequestView): string {
  return `${body ?? ''} ${headers['idempotency-key'] ?? ''}`;
}

/** Parses a trigger such as `POST http://localhost:3000/payouts {"invoice":"{reference}"}`. Undefined for a command. */
function parseRequest(text: string): PlainRequest | undefined {
  const [, method, url, body = ''] = /^([A-Z]+) (https?:\/\/\S+)(?: ([^]*))?$/.exec(text) ?? [];
  if (method === undefined || url === undefined) return undefined;
  return { method, url, ...(body && { body, headers: { 'Content-Type': 'application/json' } }) };
}
