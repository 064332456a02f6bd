import { type AccountView, createMock, type Mock } from '@service/mock';
import type { Mode, Name, Who } from './command.ts';

export const whos: Who[] = ['A/test', 'A/live', 'B/test', 'B/live'];
export const modeOf = (who: Who): Mode => who.slice(2) as Mode;

/** Waits for a number of ticks. */
export type Wait = (ticks: number) => Promise<void>;

/** A received webhook. */
export interface Hook {
  body: string;
  signature: string;
}

export interface StageOptions {
  wait: Wait;
  seed: string;
  /** The number of deliveries that fail at first. */
  failures: number;
  /** The number of ticks that a receiver takes for an event. */
  receiving: number;
  /** The number of ticks until a response is sent. */
  leaving: number;
}

/** A mock with two accounts, each with money and an endpoint in both modes. */
export class Stage {
  readonly mock: Mock;
  readonly options: StageOptions;
  readonly received = new Map<Who, Hook[]>(whos.map((who) => [who, []]));
  readonly secrets = new Map<Who, string>();
  readonly defects: unknown[] = [];

  constructor(options: StageOptions) {
    this.options = options;
    const { wait, seed, receiving } = options;
    let left = options.failures;
    const fetch = async (request: Request): Promise<Response> => {
      const who = new URL(request.url).pathname.slice(1) as Who;
      const [body, signature] = [await request.text(), request.headers.get('x-service-signature') ?? ''];
      await wait(receiving);
      left -= 1;
      if (left >= 0) return new Response(null, { status: 500 });
      this.received.get(who)!.push({ body, signature });
      return new Response();
    };
    this.mock = createMock({ clock: 'manual', seed, fetch, onDefect: (error) => this.defects.push(error) });
    this.open();
  }

  /** Creates the initial accounts. After a reset they are the same, including keys and secrets. */
  open(): void {
    const { accounts, wallets, webhooks } = this.mock.sandbox;
    accounts.create({ name: 'A', balances: { USD: 500, EUR: 300, JPY: 900 } });
    accounts.create({ name: 'B', balances: { USD: 500, JPY: 900 } });
    for (const who of whos) {
      const target = { account: this.account(who), mode: modeOf(who) };
      if (modeOf(who) === 'live') wallets.credit({ ...target, currency: 'USD', amount: 500 });
      this.secrets.set(who, webhooks.setEndpoint({ ...target, url: `http://localhost/${who}` }).secret);
    }
  }

  account(who: Who | Name): AccountView {
    const { accounts } = this.mock.sandbox;
    const { id } = accounts.list().find(({ name }) => who.startsWith(name))!;
    return accounts.get(id);
  }

  keyOf(who: Who): string {
    const { testKey, liveKey } = this.account(who);
    return modeOf(who) === 'test' ? testKey : liveKey;
  }

  /** A digest of the state of the sandbox. */
  checksum(): string {
    return this.mock.sandbox.snapshot().checksum;
  }
}
