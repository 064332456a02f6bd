/** The page of a report, around its title as HTML and its data as JSON. */
export declare const parts: readonly [beforeTitle: string, beforeData: string, end: string];
