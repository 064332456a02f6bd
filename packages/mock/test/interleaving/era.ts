import type { Who } from './command.ts';

/** The facts that clients know since the last restore or reset. */
export interface Era {
  /** The ids of each payment with a 201, by client and purpose. */
  readonly made: Map<string, string>;
  /** The client of each payment id. */
  readonly owners: Map<string, Who>;
  /** The purposes of rejected payments, which must not exist. */
  readonly rejected: Set<string>;
}

export const openEra = (): Era => ({ made: new Map(), owners: new Map(), rejected: new Set() });

/** Copies an era, to continue from an earlier one. */
export const continueEra = ({ made, owners, rejected }: Era): Era => ({
  made: new Map(made),
  owners: new Map(owners),
  rejected: new Set(rejected),
});
