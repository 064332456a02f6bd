import { isRecord, type JsonObject } from './json.ts';
import { exchangeNames, pageNames, paymentNames, rowNames, type TemplateNames } from './template-names.ts';

/**
 * The values that a response gets when it is sent: its id and time, and the method, the path and the target of its request,
 * which is the path with the query (RFC 9112, section 3.2.1).
 */
export const responseNames: readonly string[] = ['request_id', 'now', 'method', 'path', 'target'];

/** The values of an invalid field: its name, the text about it, and its value in the request, whose body is `request`. */
const problemNames = ['field', 'problem', 'value', 'request'];
const limitNames = ['limit', 'remaining', 'reset', 'reset_at'];
/** The values of refusals. */
export const errorNames: readonly string[] = [
  ...'type message status mode key_mode'.split(' '),
  ...limitNames,
  ...exchangeNames,
  ...responseNames,
  ...'available shortfall payment_id allow'.split(' '),
  ...problemNames,
];

/** The values of the response headers of each operation, of those of all operations, and of the headers of webhooks. */
export const headerNames: Readonly<Record<string, readonly string[]>> = {
  createQuote: [],
  createPayment: paymentNames,
  replayPayment: paymentNames,
  getPayment: paymentNames,
  getBalance: [],
  listTransactions: pageNames,
  all: [...limitNames, ...responseNames],
  event: 'delivery event_key attempt_key id status attempt sent_at'.split(' '),
};

const refusedHeader =
  /^(?:connection|content-encoding|content-length|http2-settings|keep-alive|proxy-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|access-control-.*)$/i;
const refusedInWebhooks = /^(?:authorization|cookie2?|expect|host|x-service-signature)$/i;

/**
 * Returns whether a template must not write a header: one of the connection or the framing of a message (RFC 9110, section
 * 7.6.1), a cookie, or one that decides which pages can read a response. Those of a webhook also have other owners.
 */
export function isRefusedHeader(name: string, isOfWebhook: boolean): boolean {
  return refusedHeader.test(name) || (isOfWebhook && refusedInWebhooks.test(name));
}

/** Matches a header name (RFC 9110, section 5.1). */
export const headerName: RegExp = /^[\w!#$%&'*+.^`|~-]+$/;

/** Matches the text of a header: visible ASCII, and spaces and tabs inside (RFC 9110, section 5.5). */
export const headerText: RegExp = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;

/** A profile without the headers that no template may write, and the names of those. */
export interface SendableProfile {
  readonly profile: JsonObject;
  readonly dropped: readonly string[];
}

function isSendable(name: string, text: unknown, isOfWebhook: boolean): boolean {
  const isText = typeof text !== 'string' || headerText.test(text);
  return headerName.test(name) && !isRefusedHeader(name, isOfWebhook) && isText;
}

/** Leaves out the headers of a stored profile that a template must not write, or that HTTP cannot send. */
export function dropHeaders(profile: JsonObject): SendableProfile {
  const dropped: string[] = [];
  const clean = (value: unknown, place: readonly string[], path: readonly string[]): unknown => {
    if (!isRecord(value)) return value;
    const [step, ...rest] = place;
    const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
      if (step !== undefined)
        return [[name, step === '*' || step === name ? clean(each, rest, [...path, name]) : each]];
      if (isSendable(name, each, path[0] === 'eventHeaders' || path[1] === 'event')) return [[name, each]];
      dropped.push([...path, name].join('.'));
      return [];
    });
    return Object.fromEntries(entries);
  };
  const cleaned = headerPlaces.reduce((given: unknown, place) => clean(given, place, []), profile);
  return { profile: cleaned as JsonObject, dropped };
}

/** The paths of the headers in a profile. */
const headerPlaces = [
  ['headers', '*'],
  ['refusals', '*', 'headers'],
  ['errorShape', 'headers'],
  ['pagination', 'headers'],
  // Of an earlier version.
  ['eventHeaders'],
];

/** The values and lists of the templates of a profile that are JSON. */
export const templatePlaces: Readonly<
  Record<
    | 'envelope'
    | 'beside'
    | 'row'
    | 'page'
    | 'refusal'
    | 'issue'
    | `${'quote' | 'payment' | 'balance' | 'event'}Shape`,
    TemplateNames
  >
> = {
  envelope: { names: responseNames },
  beside: { names: [...paymentNames, ...responseNames] },
  quoteShape: { names: [...exchangeNames, ...responseNames] },
  paymentShape: { names: paymentNames },
  balanceShape: {
    names: responseNames,
    lists: { wallets: ['currency', 'balance', 'available', 'reserved'] },
  },
  eventShape: { names: [...paymentNames, 'event_key', 'at', 'renewed_at'] },
  row: { names: rowNames },
  page: { names: [...pageNames, ...responseNames], lists: { rows: ['row'] } },
  refusal: {
    names: errorNames,
    lists: { fields: [...problemNames, 'issue', 'issues'], issues: [...problemNames, 'issue'] },
  },
  issue: { names: problemNames },
};
