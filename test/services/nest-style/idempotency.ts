import { createHash } from 'node:crypto';
import { ApiException } from './exceptions.ts';
import { durations } from './settings.ts';
import type { Timeline } from './timeline.ts';

const HEADER = 'Idempotency-Key';
const MAX_LENGTH = 255;

interface StoredResult {
  readonly fingerprint: string;
  readonly result: object;
  readonly expiresAt: number;
}

export interface IdempotentResult {
  readonly result: object;
  readonly isReplay: boolean;
}

/** The results of earlier requests of one account in one mode by idempotency key. */
export class IdempotencyStore {
  readonly #results = new Map<string, StoredResult>();
  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /**
   * Runs a request, or returns the result of the earlier request with its key. A request that fails is not kept.
   *
   * @throws {ApiException} when the key is too long or belongs to a request with another body
   */
  run(key: string | undefined, body: unknown, create: () => object): IdempotentResult {
    if (key === undefined) return { result: create(), isReplay: false };
    if (key === '' || key.length > MAX_LENGTH)
      throw new ApiException(
        400,
        'invalid_idempotency_key',
        `${HEADER} must have 1 to ${MAX_LENGTH} characters`,
      );
    const fingerprint = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const earlier = this.#results.get(key);
    if (earlier && earlier.expiresAt > this.#timeline.now()) {
      if (earlier.fingerprint === fingerprint) return { result: earlier.result, isReplay: true };
      const message = `${HEADER} was already used for a request with a different body`;
      throw new ApiException(409, 'idempotency_conflict', message);
    }
    const result = create();
    const expiresAt = this.#timeline.now() + this.#timeline.scale(durations.idempotencyLifetime);
    this.#results.set(key, { fingerprint, result, expiresAt });
    return { result, isReplay: false };
  }
}
