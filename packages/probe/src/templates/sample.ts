import type { DefaultForms, KnownValues } from './known.ts';

/** A response, or a part of one, and the values that it may show. */
export interface Sample {
  readonly json: unknown;
  readonly known: KnownValues;
  /** The items that a part of the response may repeat. */
  readonly lists?: Readonly<Record<string, readonly SampleItem[]>>;
}

/** An item of a list: its name, which can be the name of a field, and its values. */
export interface SampleItem {
  readonly name: string;
  readonly known: KnownValues;
}

/** The place of a value in a response. */
export interface Place {
  /** The name of the field. */
  readonly key: string;
  readonly forms: DefaultForms;
  /** The fields whose values differ without an explanation. */
  readonly unexplained: Set<string>;
}
