import { expect } from 'vitest';
import { SandboxError, type Snapshot } from '@service/mock';
import { order } from '../support.ts';
import { type Ask, isDamaged, type Seen, send } from './call.ts';
import type { Command, Create, Mode, Who } from './command.ts';
import { continueEra, type Era, openEra } from './era.ts';
import { checkState } from './invariants.ts';
import { modeOf, Stage, type StageOptions, whos } from './stage.ts';
import { stateOf } from '../../../../test/support/snapshot-state.ts';

/** The orders of the creates with an idempotency key. */
const keyed = [
  { amount: 200, beneficiary_account: 'SIM-OK' },
  { amount: 100, beneficiary_account: 'SIM-HOOK-FIRST' },
  { amount: 3, beneficiary_account: 'SIM-500' },
];

type Deed<Of> = (command: Of) => unknown;

/** A snapshot and its text, which must not change later. */
interface Saved {
  snapshot: Snapshot;
  text: string;
  era: Era;
}

/** Clients of one mock that check every response against the earlier ones. */
export class Clients extends Stage {
  era: Era = openEra();
  /** The number of creates, which makes each one unique. */
  creates = 0;
  /** Every response so far. */
  readonly seen: Seen[] = [];
  firstKeys: ReadonlyMap<Who, string>;
  readonly #saved: Saved[] = [];

  constructor(options: StageOptions) {
    super(options);
    this.firstKeys = new Map(whos.map((who) => [who, this.keyOf(who)]));
    this.#save();
  }

  /** Runs a command and checks its visible result. */
  async run(command: Command): Promise<void> {
    await (this.#deeds[command.kind] as Deed<Command>)(command);
  }

  readonly #deeds: { [Kind in Command['kind']]: Deed<Extract<Command, { kind: Kind }>> } = {
    create: (command) => this.create(command),
    look: (command) => this.#look(command),
    walk: ({ who, perPage }) => this.walk(who, perPage),
    move: (command) => this.#move(command),
    wait: ({ ms }) => this.mock.sandbox.clock.advance(ms),
    credit: ({ who, currency, cents }) => {
      // Whole yen, as a profile may require.
      const amount = currency === 'JPY' ? cents : `${cents}e-2`;
      this.mock.sandbox.wallets.credit({ account: this.account(who), mode: modeOf(who), currency, amount });
    },
    regenerate: ({ who }) =>
      this.mock.sandbox.accounts.regenerateKey({ account: this.account(who), mode: modeOf(who) }),
    suspend: ({ name }) => this.mock.sandbox.accounts.suspend(this.account(name)),
    resume: ({ name }) => this.mock.sandbox.accounts.resume(this.account(name)),
    profile: ({ name, terms }) =>
      this.mock.sandbox.profile.set(terms, ...(name === null ? [] : [this.account(name)])),
    fault: ({ fault }) => this.mock.sandbox.faults.inject(fault),
    snapshot: () => this.#save(),
    restore: ({ nth }) => this.restore(this.#saved[nth % this.#saved.length]!),
    reset: () => {
      this.mock.sandbox.reset();
      this.open();
      this.era = openEra();
    },
  };

  #save(): void {
    const snapshot = this.mock.sandbox.snapshot();
    this.#saved.push({ snapshot, text: JSON.stringify(snapshot), era: continueEra(this.era) });
  }

  restore({ snapshot, era }: Pick<Saved, 'snapshot' | 'era'>): void {
    this.mock.sandbox.restore(snapshot);
    expect(this.mock.sandbox.snapshot()).toEqual(snapshot);
    this.era = continueEra(era);
  }

  async create({ who, from, to, cents, account, key, pieces, isStale }: Create): Promise<Seen> {
    this.creates += 1;
    const purpose = key === null ? `create ${this.creates}` : `key ${key}`;
    const fields = {
      from_currency: from,
      to_currency: to,
      amount: cents / 100,
      beneficiary_account: account,
    };
    const seen = await this.send({
      who,
      method: 'POST',
      path: '/payments',
      body: JSON.stringify(order({ ...(key === null ? fields : keyed[key]), purpose })),
      pieces,
      ...(key !== null && { idempotencyKey: `k${key}` }),
      ...(isStale && { apiKey: this.firstKeys.get(who)! }),
    });
    this.#note(who, purpose, seen);
    return seen;
  }

  #note(who: Who, purpose: string, seen: Seen): void {
    const note = `${who} ${purpose}`;
    if (seen.status === 201) {
      const { id } = (JSON.parse(seen.text) as { data: { id: string } }).data;
      expect(this.era.made.get(note) ?? id, 'one key, one payment').toBe(id);
      expect(this.era.owners.get(id) ?? who, 'nobody else has it').toBe(who);
      this.era.made.set(note, id);
      this.era.owners.set(id, who);
      return;
    }
    expect([401, 403, 409, 422, 500, 503, 'lost']).toContain(seen.status);
    if (!isDamaged(seen) && !purpose.startsWith('key')) this.era.rejected.add(note);
  }

  async #look({ who, at, nth }: Command & { kind: 'look' }): Promise<void> {
    const [id, owner] = this.#pick(nth) ?? ['pay_test_of_nobody'];
    const path = { balance: '/balance', history: '/transactions?per_page=100', payment: `/payments/${id}` }[
      at
    ];
    const { status, text } = await this.#read(who, path);
    if (at !== 'payment' || (status !== 200 && status !== 404)) return;
    expect(status).toBe(owner === who ? 200 : 404);
    if (status === 404) expect(text).toBe(notFound(modeOf(who)));
  }

  #pick(nth: number): [id: string, owner: Who] | undefined {
    return [...this.era.owners][nth % Math.max(1, this.era.owners.size)];
  }

  /**
   * Reads without a body, so that no other step runs in between, and checks that the data belongs to the
   * client.
   */
  async #read(who: Who, path: string): Promise<Seen> {
    const seen = await this.send({ who, method: 'GET', path });
    expect([200, 403, 404, 422, 500, 503, 'lost']).toContain(seen.status);
    for (const [id, owner] of this.era.owners) if (owner !== who) expect(seen.text).not.toContain(id);
    return seen;
  }

  /** Reads all pages and returns the ids of the rows. While other clients work, a row can appear twice. */
  async walk(who: Who, perPage: number): Promise<string[]> {
    const ids: string[] = [];
    for (let page = 1, more = true; more; page += 1) {
      await this.options.wait(1);
      const { status, text } = await this.#read(who, `/transactions?per_page=${perPage}&page=${page}`);
      if (status !== 200) return ids;
      const { transactions, pagination } = (JSON.parse(text) as { data: Page }).data;
      ids.push(...transactions.map(({ id }) => id));
      more = pagination.has_more;
    }
    return ids;
  }

  #move({ nth, move }: Command & { kind: 'move' }): void {
    const [id] = this.#pick(nth) ?? [];
    if (id === undefined) return;
    // Transitions that are due run before the move, also before one that is refused.
    void this.mock.sandbox.clock.advance(0);
    const before = this.checksum();
    try {
      this.mock.sandbox.payments[move](id);
    } catch (error) {
      if (!(error instanceof SandboxError) || error.code !== 'invalid_state') throw error;
      expect(this.checksum(), 'a move that is refused changes nothing').toBe(before);
    }
  }

  async send(ask: Ask): Promise<Seen> {
    const seen = await send(this, ask);
    this.seen.push(seen);
    return seen;
  }

  /** Checks all invariants of the state (docs/contract.md#money). */
  check(): void {
    checkState(stateOf(this.mock.sandbox.snapshot()), this.era);
    for (const { snapshot, text } of this.#saved) expect(JSON.stringify(snapshot)).toBe(text);
  }
}

interface Page {
  transactions: { id: string }[];
  pagination: { has_more: boolean };
}

const notFound = (mode: Mode): string =>
  `{"success":false,"mode":"${mode}","error":{"type":"not_found","message":"There is no such payment."}}`;
