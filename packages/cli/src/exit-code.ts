/** Lists how a run can end: fine, refused by the API, called wrongly, nobody knows, not verified. */
export const exitCodes = { ok: 0, refused: 1, usage: 2, unknown: 3, unverified: 4 } as const;

/** Names how a run ended. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
