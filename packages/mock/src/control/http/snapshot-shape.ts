import * as z from 'zod/mini';
import { END_OF_TIME } from '../../state/clock.ts';
import type { Snapshot } from '../../state/snapshot.ts';
import { fields } from './fields.ts';

const list = z.array(z.unknown(), 'must be a list');
const instant = z.number('must be milliseconds since 1970').check(z.gte(0), z.lte(END_OF_TIME));

const shape = {
  format: z.literal('service-sandbox', "must be 'service-sandbox', as in every snapshot"),
  version: z.union([z.literal(1), z.literal(2)], 'must be 1 or 2, the versions that this package reads'),
  checksum: z.string('must be text'),
  state: z.object(
    {
      seed: z.string('must be text'),
      now: instant,
      profiles: list,
      profile: z.int('must be a whole number'),
      accounts: list,
      retiredKeys: z.array(z.string('must be text'), 'must be a list'),
    },
    'must be an object',
  ),
};

/** Schema of a snapshot. It does not include the accounts. */
export const snapshot: z.ZodMiniType<Snapshot> = z.object(shape) as unknown as z.ZodMiniType<Snapshot>;

/** Schema of a snapshot to restore. The sandbox checks its consistency. */
export const snapshotFields: z.ZodMiniObject = fields(shape);
