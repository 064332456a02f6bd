/** The exit codes: success, rejected, usage error, outcome unknown, webhook not verified. */
export const exitCodes = { ok: 0, refused: 1, usage: 2, unknown: 3, unverified: 4 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
