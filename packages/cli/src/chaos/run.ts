import { toRecord } from '@service/internal';
import type { Delivery, FaultHandle, ProfileChoice, RequestFaultOptions, RequestView } from '@service/mock';
import { UsageError } from '../errors.ts';
import { type Application, type Ending, send, type SendOptions } from './application.ts';
import { type Judgment, passed } from './judge.ts';
import type { Scenario } from './scenario.ts';
import type { ChaosOptions, ChaosService, LedgerPayment, Webhook, WebhookAttempt } from './service.ts';

type KeyBehavior = NonNullable<ProfileChoice['idempotency']>;

/** The context of all scenarios of a run. */
export interface RunContext extends ChaosOptions {
  /** The behaviors of the service for a repeated idempotency key, which the document does not define. */
  readonly behaviors: readonly KeyBehavior[];
  readonly service: ChaosService;
  readonly application: Application;
  /** The start of all references of the run. */
  readonly prefix: string;
  /** The currencies of the orders, in turn. */
  readonly currencies: readonly string[];
  /** Whether the application pays before it responds to the trigger. Undefined before the first trigger. */
  isSynchronous: boolean | undefined;
  /** The longest time from a trigger to its create and from a payment to its effect so far, in milliseconds. */
  readonly longest: { create: number; effect: number };
}

/** A payment that the application must make: the values of the placeholders of the trigger. */
export interface Order {
  readonly reference: string;
  /** With cents. */
  readonly amount: string;
  readonly currency: string;
  readonly beneficiary: string;
}

/** The requests, payments and deliveries of an order. */
export interface Records {
  readonly order: Order;
  readonly creates: readonly RequestView[];
  readonly payments: readonly LedgerPayment[];
  readonly deliveries: readonly Delivery[];
  /** Whether there are creates that may belong to the order. */
  readonly isAmbiguous: boolean;
}

/** A line of the timeline. */
export interface TimelineEntry {
  /** The time on the clock of the run; in a finished timeline, from the start of the scenario. In milliseconds. */
  readonly at: number;
  readonly text: string;
  /** How often it was repeated at once. */
  readonly count?: number;
  /** The text of the request or the event. */
  readonly detail?: string | undefined;
}

/** The count of `--handled`, or the reason for none. Undefined without `--handled`. */
export type Effects = number | string | undefined;

/** The time between two attempts to send a webhook and between two counts of effects, in milliseconds. */
const RETRY_DELAY = 100;
const HANDLED_TIMEOUT = 30_000;
/** Shortest quiet time after which an application that pays later is settled, in milliseconds. */
const MIN_QUIET = 300;
/** The quiet time is this multiple of the longest time that the application has needed. */
const MARGIN = 4;

/** One run of a scenario: the orders that are paid, and the actions on the application and the mock. */
export class ScenarioRun {
  readonly context: RunContext;
  readonly scenario: Scenario;
  /** The behavior of the service for repeated idempotency keys. */
  readonly behavior: KeyBehavior;
  /** Whether the application is alive after the scenario. */
  isAlive = true;
  /** The reason for a run that could not end. */
  problem: string | undefined;
  judgment: Judgment = passed;
  /** The time at which the lease of its create ends, if that can change the verdict. */
  leasedUntil: number | undefined;
  /** The order that the scenario is about. */
  readonly order: Order;
  readonly orders: Order[] = [];
  /** The time of the start. */
  readonly startedOn: number;
  /** The triggers, kills and starts. */
  readonly notes: TimelineEntry[] = [];
  /** Changes the bodies of genuine events before they are signed. */
  changeBody: (body: string) => string = (body) => body;
  /** The attempts to send its webhooks. */
  readonly attempts: WebhookAttempt[] = [];
  /** The time of its end. Creates without a reference after it belong to another scenario. */
  endedAt: number = Infinity;
  /** The last output of the application before its end. */
  output = '';
  readonly #number: number;
  /** The time by which the clock of the run is ahead of that of the mock. */
  readonly #offset: number;
  /** The ids of the faults after which the application reads the response. */
  readonly #readable = new Set<string>();
  #triggers = 0;
  #isRefusing = false;

  /** @param number The number of its first order. Runs have numbers of their own, so that each order is the same in every run of a seed. */
  constructor(context: RunContext, scenario: Scenario, behavior: KeyBehavior, number: number) {
    this.context = context;
    this.scenario = scenario;
    this.behavior = behavior;
    this.#number = number;
    this.startedOn = context.clock.now();
    this.#offset = this.startedOn - context.service.mock.sandbox.clock.now().getTime();
    this.order = this.addOrder();
  }

  /** Adds an order. Its amount and beneficiary are those of no other one, unless they are given. */
  addOrder(given: Partial<Order> = {}): Order {
    const { prefix, currencies } = this.context;
    const number = this.#number + this.orders.length;
    const order = {
      // Of a fixed length, so that no reference starts with another one.
      reference: `${prefix}${String(number).padStart(4, '0')}`,
      amount: `${100 + number}.${10 + ((number * 7) % 90)}`,
      currency: currencies[number % currencies.length] ?? 'USD',
      beneficiary: `Chaos-${number}-Ltd`,
      ...given,
    };
    this.orders.push(order);
    return order;
  }

  /** Ends the run: what comes later belongs to another scenario. */
  end(): void {
    this.endedAt = this.context.clock.now();
    this.output = this.context.application.takeOutput();
  }

  /** Adds an entry to the timeline. */
  note(text: string): void {
    this.notes.push({ at: this.context.clock.now(), text });
  }

  /** Asks the application to pay an order, and waits until it has done so. */
  async trigger(instance = 0, order: Order = this.order): Promise<void> {
    const before = this.creates().length;
    const isFirst = this.#triggers < this.orders.length;
    if (this.context.trigger === undefined) return this.createPayment(order);
    await this.sendTrigger(instance, order);
    if (this.context.isSynchronous !== true) await this.#waitForCreate(before, isFirst);
  }

  /** Asks the application to pay an order. Returns whether it has accepted. */
  async sendTrigger(instance = 0, order: Order = this.order): Promise<boolean> {
    const { application, ports, trigger = '', clientTimeout, settle } = this.context;
    const [port = 0] = ports;
    const text = fill(trigger, order).replaceAll(`:${port}`, `:${ports[instance] ?? port}`);
    const timeout = 4 * clientTimeout + settle;
    this.#triggers += 1;
    const name = `trigger ${this.#triggers}`;
    this.note(`${name} starts`);
    const request = parseTrigger(text);
    if (request === undefined) {
      const code = await application.run(text, timeout);
      this.note(`${name} ends: exit code ${code}`);
      return code === 0;
    }
    const response = await send(request.url, request, timeout).catch(() => undefined);
    await response?.text().catch(() => '');
    this.note(`${name} ends: ${response === undefined ? 'no response' : `status ${response.status}`}`);
    return response?.ok === true;
  }

  async #waitForCreate(before: number, isFirst: boolean): Promise<void> {
    const { service, clock, longest, settle } = this.context;
    const startedAt = clock.now();
    let arrivedAt = startedAt;
    const hasPaid = (): boolean => {
      const creates = this.creates();
      if (creates.length > before) return creates.every(({ response }) => response !== null);
      arrivedAt = clock.now();
      return false;
    };
    const isSynchronous = hasPaid();
    // After the first trigger a create must come; a repeated one should cause none.
    const quiet = isFirst ? Math.max(settle, MARGIN * longest.create) : this.#quietTime('create');
    const isPaid = await service.waitUntil(hasPaid, quiet);
    if (isPaid) longest.create = Math.max(longest.create, arrivedAt - startedAt);
    if (this.context.isSynchronous === undefined) this.#checkFirst();
    this.context.isSynchronous ??= isSynchronous;
  }

  /** Returns the time without requests after which the application is settled. */
  #quietTime(kind: 'create' | 'effect'): number {
    const { settle, longest } = this.context;
    return Math.min(settle, Math.max(MIN_QUIET, MARGIN * longest[kind]));
  }

  /** @throws {UsageError} when the first trigger made no create arrive: the application talks to something else. */
  #checkFirst(): void {
    if (this.creates().length > 0 || this.context.signal.aborted) return;
    const { settle, application } = this.context;
    const { text = '' } = this.notes.at(-1) ?? {};
    throw new UsageError(
      `The trigger made no create arrive at the mock within ${settle} ms (${text}), so nothing was triggered again. The application must read SERVICE_BASE_URL and SERVICE_API_KEY; check that the trigger reaches it, and raise --settle if it pays later. Its last output:\n${application.takeOutput()}`,
    );
  }

  /** Makes a payment in place of the application, or of another program. */
  createPayment({ reference: purpose, amount, currency, beneficiary }: Order): void {
    const parties = { from_currency: currency, to_currency: 'EUR', beneficiary_name: beneficiary } as const;
    const { payments } = this.context.service.mock.sandbox;
    payments.create({ ...parties, amount, purpose, status: 'completed' });
  }

  /** Injects a fault of creates, unless it names another operation. The application cannot read the response. */
  fault(fault: RequestFaultOptions): FaultHandle {
    return this.context.service.mock.sandbox.faults.inject({ operation: 'createPayment', ...fault });
  }

  /** Delays the responses of creates, which the application waits for. */
  slow(ms: number, times: number | 'unlimited'): FaultHandle {
    const handle = this.fault({ kind: 'latency', ms, times });
    this.#readable.add(handle.id);
    return handle;
  }

  /** Returns whether a fault has hidden the response of a create from the application. */
  isUnreadable({ fault }: RequestView): boolean {
    return fault !== null && !this.#readable.has(fault.id);
  }

  /** Converts a time of the mock, whose clock can differ by some milliseconds. */
  toRunTime(at: string): number {
    return Date.parse(at) + this.#offset;
  }

  /** Returns the creates of all references since the start of the scenario. */
  creates(): readonly RequestView[] {
    return this.context.service.creates().filter(({ at }) => this.toRunTime(at) >= this.startedOn);
  }

  /** Waits until a payment of the order is in the ledger. */
  async untilPaid(order: Order = this.order): Promise<void> {
    await this.context.service.waitUntil(async () => (await this.read(order)).payments.length > 0);
  }

  /** Waits until all payments of the scenario have a status, by default a final one, with their events. */
  async untilFinal(statuses: readonly string[] = ['completed', 'failed']): Promise<void> {
    await this.context.service.waitUntil(async () => {
      const payments = (await this.readAll()).flatMap((records) => records.payments);
      return payments.every(({ status }) => statuses.includes(status));
    });
  }

  /** Waits until an application that pays later has nothing left to do. */
  async untilSettled(): Promise<void> {
    const { service, isSynchronous } = this.context;
    if (isSynchronous !== true) await service.waitUntil(() => false, this.#quietTime('create'));
  }

  /** Kills the application or its process of `--kill` with SIGKILL, or ends it with SIGTERM after its work. */
  async kill(how: Ending = 'SIGKILL'): Promise<void> {
    const { kill, application } = this.context;
    this.note(how === '--kill' ? `SIGKILL of ${kill}` : how);
    await application.end(how);
  }

  async start(changed?: Readonly<Record<string, string>>): Promise<void> {
    await this.context.application.start(changed);
    this.note('the application is ready again');
  }

  /** Sends the events that were not acknowledged, in an order. */
  async deliver(order: (all: readonly Delivery[]) => readonly Delivery[] = (all) => all): Promise<void> {
    const deliveries = (await this.readAll()).flatMap((records) => records.deliveries);
    for (const { id, event, body } of order(deliveries))
      if (!this.isAcknowledged(id)) await this.send({ id, event, body: this.changeBody(body) });
  }

  /** Sends an event until it is acknowledged, or for the settle time. After one that never was, each is sent once. */
  async send(webhook: Webhook): Promise<void> {
    const { settle, clock, signal } = this.context;
    const deadline = clock.now() + settle;
    while (!(await this.post(webhook))) {
      this.#isRefusing ||= clock.now() > deadline;
      if (this.#isRefusing || signal.aborted) return;
      await clock.sleep(RETRY_DELAY, signal);
    }
  }

  /** Sends an event once. Returns whether it was acknowledged. */
  async post(webhook: Webhook): Promise<boolean> {
    const attempt = await this.context.service.post(webhook);
    this.attempts.push(attempt);
    return attempt.isAcknowledged;
  }

  isAcknowledged(id: string): boolean {
    return this.attempts.some((attempt) => attempt.id === id && attempt.isAcknowledged);
  }

  /** Pays, and returns the delivery of the completion, which is still held. The earlier events are delivered. */
  async completion(): Promise<Delivery> {
    await this.trigger();
    await this.untilPaid();
    await this.untilFinal();
    const { deliveries } = await this.read();
    const found = deliveries.find(({ event }) => event === 'payment.completed');
    if (found === undefined) throw new UsageError('the payment of the application did not complete');
    await this.deliver((all) => all.filter(({ id }) => id !== found.id));
    return found;
  }

  /** Reads the records of an order. */
  async read(order: Order = this.order): Promise<Records> {
    const all = await this.readAll();
    return all[this.orders.indexOf(order)] as Records;
  }

  /** Reads the records of all orders. */
  async readAll(): Promise<readonly Records[]> {
    const { service, prefix } = this.context;
    const rows = await service.listPayments();
    const all = service.mock.sandbox.webhooks.deliveries();
    return this.orders.map((order) => {
      const { creates, isAmbiguous } = this.#findCreates(order);
      const ids = new Set(creates.map(({ effects }) => effects.payment_id));
      // A replayed create can show the payment of another reference.
      const isOwn = ({ id, purpose }: LedgerPayment): boolean =>
        purpose?.includes(prefix) === true ? purpose.includes(order.reference) : ids.has(id);
      const payments = rows.filter(isOwn);
      const deliveries = all.filter(({ payment_id }) => payments.some(({ id }) => id === payment_id));
      return { order, creates, payments, deliveries, isAmbiguous };
    });
  }

  /** Finds the creates by purpose or key. Those that name no order of the run belong to the one with their amount. */
  #findCreates({ reference, amount }: Order): Pick<Records, 'creates' | 'isAmbiguous'> {
    const { trigger, prefix } = this.context;
    // An application without a trigger can pay for other reasons.
    if (trigger === undefined) return { creates: [], isAmbiguous: false };
    const all = this.creates();
    // Not one whose body the service has not read, because of its API key: it has made no payment.
    const unnamed = all.filter(
      (create) =>
        create.body !== null &&
        !readTexts(create).includes(prefix) &&
        this.toRunTime(create.at) <= this.endedAt,
    );
    const hasAmount = ({ json }: RequestView): boolean =>
      trigger.includes('{amount}') && Number(toRecord(json).amount) === Number(amount);
    const creates = all.filter(
      (create) => readTexts(create).includes(reference) || (unnamed.includes(create) && hasAmount(create)),
    );
    return { creates, isAmbiguous: unnamed.some((create) => !creates.includes(create)) };
  }

  /** Returns how often the completion took effect. Waits for an expected count, until the application is settled. */
  async countEffects(expected: readonly number[], { order, payments }: Records): Promise<Effects> {
    const { handled, application, service, clock, longest } = this.context;
    const [payment] = payments;
    if (handled === undefined || (payment === undefined && handled.includes('{payment}'))) return undefined;
    const command = fill(handled, { ...order, payment: payment?.id });
    let effects: Effects;
    const startedAt = clock.now();
    const count = async (): Promise<boolean> => {
      let output = '';
      const code = await application.run(command, HANDLED_TIMEOUT, (part) => (output += part));
      const printed = `${JSON.stringify(command)} printed ${JSON.stringify(output.slice(0, 200))}`;
      const isNumber = /^\s*\d+\s*$/.test(output);
      effects = isNumber ? Number(output) : `--handled must print a number: ${printed} (exit code ${code})`;
      return expected.some((each) => each === effects);
    };
    const quiet = longest.effect === 0 ? this.context.settle : this.#quietTime('effect');
    const isReached = await service.waitUntil(count, quiet, RETRY_DELAY);
    if (isReached && payments.length > 0)
      longest.effect = Math.max(longest.effect, 1, clock.now() - startedAt);
    return effects;
  }
}

/** Replaces the placeholders in the text of an option. */
function fill(text: string, values: object): string {
  return Object.entries(values).reduce(
    (filled, [name, value]) => filled.replaceAll(`{${name}}`, String(value)),
    text,
  );
}

/** Returns the texts of a create that can have its reference. */
function readTexts({ body, headers }: RequestView): string {
  return `${body ?? ''} ${headers['idempotency-key'] ?? ''}`;
}

/** A method, an address or a path in place of a program: a trigger that is meant as a request. */
const REQUEST =
  /^\s*(?:(?:get|post|put|patch|delete)\s|https?:|[\w./:-]*\{(?:reference|amount|currency|beneficiary)\})/i;

/**
 * Parses a trigger such as `POST http://localhost:3000/payouts {"invoice":"{reference}"}`. Undefined for a command.
 *
 * @throws {UsageError} for an incomplete request, which a shell would run as a command.
 */
export function parseTrigger(text: string): (SendOptions & { readonly url: string }) | undefined {
  const [, method = '', url = '', body = ''] = /^([A-Z]+) (https?:\/\/\S+)(?: ([^]*))?$/.exec(text) ?? [];
  if (URL.canParse(url))
    return { method, url, ...(body && { body, headers: { 'Content-Type': 'application/json' } }) };
  if (!REQUEST.test(text)) return undefined;
  throw new UsageError(
    `--trigger ${JSON.stringify(text)} is neither a request nor a command. Write a request as a method in capitals, one space and a URL with a host: POST http://localhost:3000/pay/{reference}`,
  );
}
