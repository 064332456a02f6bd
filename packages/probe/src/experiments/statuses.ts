/** The payment statuses of the document. */
export const documented: ReadonlySet<string> = new Set(['pending', 'processing', 'completed', 'failed']);

/** Minimum number of reads of a status before a missing next one counts as skipped. */
export const MIN_READS = 5;

/** Maximum time for which a status may stay unobserved and still count as absent, in milliseconds. */
export const MAX_GAP = 500;

/** The status that all payments have after `processing` with the setting `unknownStatus`. The document does not have it. */
export const INVENTED = 'under_review';
