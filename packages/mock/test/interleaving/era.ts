import type { Who } from './command.ts';

/** What clients know to be so since the world was last put back: what they were told since then, and what was so before. */
export type Era = {
  /** The id of each payment that was answered with 201, by caller and purpose. */
  readonly made: Map<string, string>;
  /** Whose payment an id is. */
  readonly owners: Map<string, Who>;
  /** The purposes of payments that were refused, which so must not be there. */
  readonly refused: Set<string>;
};

export const openEra = (): Era => ({ made: new Map(), owners: new Map(), refused: new Set() });

/** An era that goes on from what was known at another time. */
export const continueEra = ({ made, owners, refused }: Era): Era => ({
  made: new Map(made),
  owners: new Map(owners),
  refused: new Set(refused),
});
