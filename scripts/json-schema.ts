import type { Schema as Value } from '../packages/mock/src/domain/schema.ts';
import type { Schema } from './control-types.ts';

/** Returns the JSON schema of a value, with those of the schemas inside of it. */
export function toJson({ json }: Value): Schema {
  return resolve(json) as Schema;
}

function resolve(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(resolve);
  if ('parse' in node) return toJson(node as Value);
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolve(value)]));
}
