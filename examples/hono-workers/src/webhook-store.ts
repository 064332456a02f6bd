import type { DedupeStore } from '@service/webhooks/edge';
import { DurableObject } from 'cloudflare:workers';

interface Claim {
  readonly owner: string;
  /** The time at which the claim expires, in milliseconds; null after its confirmation. */
  readonly expires: number | null;
}

/** Time for which handled events are remembered. */
const TTL = 7 * 24 * 60 * 60 * 1000;

/** The claim of one event. The runtime runs no other call of the object while one waits for storage. */
export class HandledEvent extends DurableObject {
  async read(): Promise<Claim | undefined> {
    return this.ctx.storage.get<Claim>('claim');
  }

  async claim(owner: string, lease: number): Promise<'claimed' | 'in_progress' | 'confirmed'> {
    const claim = await this.read();
    if (claim?.expires === null) return 'confirmed';
    if (claim !== undefined && claim.expires > Date.now()) return 'in_progress';
    await this.#write({ owner, expires: Date.now() + lease });
    return 'claimed';
  }

  async renew(owner: string, lease: number): Promise<'renewed' | 'lost'> {
    if (!(await this.#isOwner(owner))) return 'lost';
    await this.#write({ owner, expires: Date.now() + lease });
    return 'renewed';
  }

  async confirm(owner: string): Promise<'confirmed' | 'lost'> {
    if (!(await this.#isOwner(owner))) return 'lost';
    await this.#write({ owner, expires: null });
    return 'confirmed';
  }

  async release(owner: string): Promise<void> {
    if (await this.#isOwner(owner)) await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  async #isOwner(owner: string): Promise<boolean> {
    const claim = await this.read();
    return claim?.owner === owner && claim.expires !== null;
  }

  async #write(claim: Claim): Promise<void> {
    await this.ctx.storage.put('claim', claim);
    await this.ctx.storage.setAlarm(Date.now() + TTL);
  }
}

/** Creates a store of handled events that all locations of the worker share: one object for each event. */
export function durableObjectStore(namespace: DurableObjectNamespace<HandledEvent>): DedupeStore {
  return {
    ttl: TTL,
    claim: (key, owner, lease = 60_000) => namespace.getByName(key).claim(owner, lease),
    renew: (key, owner, lease) => namespace.getByName(key).renew(owner, lease),
    confirm: (key, owner) => namespace.getByName(key).confirm(owner),
    release: (key, owner) => namespace.getByName(key).release(owner),
    async wait(key, signal) {
      for (;;) {
        const claim = await namespace.getByName(key).read();
        if (claim === undefined) return 'released';
        if (claim.expires === null) return 'confirmed';
        if (signal.aborted || claim.expires <= Date.now()) return 'released';
        await scheduler.wait(250);
      }
    },
  };
}
