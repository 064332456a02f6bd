import type { RawBody } from '../bytes.ts';
import type { Receiver, Refuse } from '../receiver.ts';
import type { SignatureSource } from '../signature.ts';

type HeaderMap<Value> = Readonly<Record<string, Value | undefined>> | null;

/** Describes what is needed of an event of API Gateway (payload 1.0 and 2.0), a function URL, or a load balancer. */
export interface LambdaEventLike {
  readonly httpMethod?: string;
  readonly requestContext?: { readonly http?: { readonly method: string } };
  readonly headers?: HeaderMap<string>;
  readonly multiValueHeaders?: HeaderMap<readonly string[]>;
  readonly body?: unknown;
  /** Holds the text that a parsing middleware has kept. */
  readonly rawBody?: unknown;
  readonly isBase64Encoded?: boolean;
}

/** Holds an answer as API Gateway and load balancers take it. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/** Converts a receiver to a handler of AWS Lambda: `export const handler = toLambda(receive)`. */
export function toLambda(receive: Receiver): (event: LambdaEventLike) => Promise<LambdaResult> {
  return async (event) => {
    const method = event.requestContext?.http?.method ?? event.httpMethod ?? '';
    // Where both forms are given, the list has every value and the single form only the last.
    const { multiValueHeaders, headers: single = {} } = event;
    const hasLists = Object.keys(multiValueHeaders ?? {}).length > 0;
    const source = (hasLists ? multiValueHeaders : single) as SignatureSource;
    const { status, headers, body } = await receive.deliver({
      method,
      headers: source,
      read: (_maxBytes, refuse) => readEventBody(event, refuse),
    });
    // A load balancer with multi-value headers reads no others.
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    return {
      statusCode: status,
      headers,
      ...(event.multiValueHeaders && { multiValueHeaders: lists }),
      body,
      isBase64Encoded: false,
    };
  };
}

function readEventBody({ body, rawBody, isBase64Encoded }: LambdaEventLike, refuse: Refuse): RawBody {
  const raw = rawBody ?? body ?? '';
  if (typeof raw !== 'string')
    throw refuse('body_not_raw', { message: 'Remove the JSON body parser (httpJsonBodyParser) before it.' });
  if (isBase64Encoded !== true) return raw;
  try {
    return Uint8Array.from(atob(raw), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw refuse('body_unreadable', { cause });
  }
}
