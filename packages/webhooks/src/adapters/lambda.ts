import type { CreateBodyError } from '../http.ts';
import type { Receiver } from '../receiver.ts';
import type { RawBody, SignatureSource } from '../signature.ts';

/** The used members of an event of API Gateway (payload 1.0 and 2.0), a function URL or a load balancer. */
export interface LambdaEventLike {
  /** The HTTP method, in payload 1.0 and from a load balancer. */
  readonly httpMethod?: string;
  /** Facts about the request from API Gateway or a function URL. */
  readonly requestContext?: {
    /** The HTTP request, in payload 2.0 and from a function URL. */
    readonly http?: {
      /** The HTTP method, in capitals. */
      readonly method: string;
    };
  };
  /** The headers, with names in any case. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  /** The headers of a load balancer with multi-value headers. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null;
  /** The body: text, or base64 with `isBase64Encoded`. */
  readonly body?: unknown;
  /** The unparsed text that a parsing middleware kept. */
  readonly rawBody?: unknown;
  /** Whether `body` is base64. */
  readonly isBase64Encoded?: boolean;
}

/** A response for API Gateway and load balancers. */
export interface LambdaResult {
  /** The HTTP status. */
  readonly statusCode: number;
  /** The headers, for API Gateway and function URLs. */
  readonly headers: Record<string, string>;
  /** The headers, for a load balancer with multi-value headers. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** The text of the response body. */
  readonly body: string;
  /** Always `false`: the body is text. */
  readonly isBase64Encoded: false;
}

/**
 * Converts a receiver to a handler of AWS Lambda.
 *
 * @example export const handler = toLambda(receive);
 */
export function toLambda(receive: Receiver): (event: LambdaEventLike) => Promise<LambdaResult> {
  return async (event) => {
    const method = event.requestContext?.http?.method ?? event.httpMethod ?? '';
    // If both are present, `multiValueHeaders` has all values and `headers` only the last.
    const { multiValueHeaders, headers: single = {} } = event;
    const hasLists = Object.keys(multiValueHeaders ?? {}).length > 0;
    const source = (hasLists ? multiValueHeaders : single) as SignatureSource;
    const { status, headers, body } = await receive.deliver({
      method,
      headers: source,
      read: (_maxBytes, createError) => readEventBody(event, createError),
    });
    // A load balancer with multi-value headers ignores `headers`.
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

function readEventBody(
  { body, rawBody, isBase64Encoded }: LambdaEventLike,
  createError: CreateBodyError,
): RawBody {
  const raw = rawBody ?? body ?? '';
  if (typeof raw !== 'string')
    throw createError('body_not_raw', { message: 'Remove the JSON body parser (httpJsonBodyParser).' });
  if (isBase64Encoded !== true) return raw;
  try {
    return Uint8Array.from(atob(raw), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw createError('body_unreadable', { cause });
  }
}
