import type { Mode, OperationId } from '@service/contract';
import { type Json, toJson } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { MockResponse } from './request.ts';

/** The mode and profile of a response, and its request. */
export interface ResponseContext {
  /** Undefined for unknown callers. */
  readonly mode: Mode | undefined;
  readonly profile: Profile;
  readonly request: RequestFacts;
}

/** The values of a request that responses can show. */
interface RequestFacts {
  readonly id: string;
  /** Sandbox time, in milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
}

/** Creates a response with the success envelope. */
export function okResponse(
  { mode, profile }: ResponseContext,
  operation: OperationId,
  data: Json,
  status = 200,
): MockResponse {
  const body = toJson({ success: true, mode, data }, profile.numbers);
  return { status, headers: constantHeaders(profile, operation), body };
}

/** Returns the headers of a profile for some responses. `mergeHeaders` removes a header with an empty text. */
export function constantHeaders(
  { headers }: Profile,
  place: keyof Profile['headers'],
): Readonly<Record<string, string>> {
  const given = headers[place];
  if (given === undefined) return noHeaders;
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, text ?? '']));
}

/** The headers of a response without any. */
export const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
