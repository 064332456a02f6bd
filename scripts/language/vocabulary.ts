// The reviewed lists of the language check. Each pattern has the replacement that its finding proposes.

/** Words that no declared name contains, in any file: metaphors, with the terms that replace them. */
export const METAPHORS: Readonly<Record<string, string>> = {
  agenda: 'timer queue',
  appointment: 'timer',
  bench: 'context',
  bookings: 'entries',
  books: 'account state',
  borrow: 'temporary endpoint',
  borrowed: 'temporary endpoint',
  carrier: 'sender',
  departures: 'outbox',
  disturb: 'delivery fault',
  disturbance: 'delivery fault',
  door: 'server',
  doubt: 'unknown outcome',
  glance: 'observation',
  heard: 'received',
  hear: 'receive',
  hears: 'receives',
  inbox: 'endpoint, recorder',
  journal: 'request log',
  keeper: 'autosave',
  loan: 'temporary endpoint',
  mailbox: 'webhook listener',
  news: 'updates',
  parcel: 'signed request',
  purse: 'wallet',
  sighting: 'raw response',
  sights: 'observations',
  sooner: 'maybe promise',
  spoil: 'inject fault',
  steer: 'control',
  stranger: 'unknown key, unknown status',
  tally: 'counter, index',
  told: 'reported',
  tells: 'reports',
  way: 'transport',
  ways: 'transports',
  world: 'state',
  worlds: 'states',
};

/** A pattern that prose must not contain, and the term or the form that replaces it. */
export interface ProsePattern {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Patterns of comments, titles and documents: metaphors, and sentences without a named subject. */
export const PROSE_PATTERNS: readonly ProsePattern[] = [
  { pattern: /\bworlds?\b/i, instead: 'state, sandbox' },
  { pattern: /\b(?:its|their|his|the|these|those|of) books\b/i, instead: 'account state, ledger' },
  { pattern: /\bjournals?\b/i, instead: 'request log' },
  { pattern: /\b(?:agenda|appointments?)\b/i, instead: 'timer' },
  { pattern: /\b(?:inbox(?:es)?|mailbox(?:es)?)\b/i, instead: 'endpoint' },
  { pattern: /\bin doubt\b/i, instead: 'unknown outcome' },
  { pattern: /\bnobody\b/i, instead: 'a named subject' },
  { pattern: /\bwho(?:ever|soever)\b/i, instead: 'a named subject' },
  { pattern: /\bthat which\b/i, instead: 'a noun' },
  { pattern: /\bof (?:its|their|his|one's) own\b/i, instead: 'own, separate' },
  { pattern: /\bbut for\b/i, instead: 'except' },
  { pattern: /\bfalls? due\b/i, instead: 'is due' },
  { pattern: /\bstruck out\b/i, instead: 'masked' },
  { pattern: /\bhears?\b(?! [A-Z])/i, instead: 'receives, is called' },
  { pattern: /\b(?:is|are|was|were|be) told\b/i, instead: 'is reported, receives' },
  { pattern: /\bgiven up\b|\bgives up\b/i, instead: 'stops, times out' },
  { pattern: /\bleave to\b/i, instead: 'permission to' },
  { pattern: /\bhowsoever\b|\bhenceforth\b/i, instead: 'plain words' },
];

/** Verbs that do not name a function: it is called after its verb and its object, as in `formatDelivery`. */
export const BARE_VERBS: readonly string[] = ['describe', 'judge', 'look', 'read', 'refuse', 'show', 'tell'];

/** First words of comments that say nothing about their subject. */
export const FILLER_OPENERS: readonly string[] = [
  'Says',
  'Tells',
  'Holds',
  'Names',
  'Lists',
  'Is',
  'Keeps',
  'Gives',
  'Lets',
];

/** The word that stands in place of a noun. Questions and the phrases of the next list pass. */
export const NOUN_WHAT = /\bwhat\b/i;

/** Questions and fixed phrases in which the word is no substitute for a noun. */
export const ALLOWED_WHAT: readonly RegExp[] = [
  /\bwhat to do\b/i,
  /\bwhat (?:it|the package) is\b/i,
  /\bwhat[^.!]*\?/i,
];

/** Names of existing file formats, by the path of the file that reads them. */
export const ALLOWED_NAMES: Readonly<Record<string, readonly string[]>> = {
  // The format of version 1 on disk.
  'packages/mock/src/state/snapshot-v1.ts': ['books', 'disturbed'],
};
