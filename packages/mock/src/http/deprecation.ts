import type { Profile } from '../domain/profile.ts';

/** Returns the deprecation headers of a profile (RFC 9745, RFC 8594). */
export function deprecationHeaders({ deprecation }: Profile): Readonly<Record<string, string>> {
  if (deprecation === 'none') return {};
  return {
    Deprecation: `@${Math.floor(Date.parse(deprecation.deprecated) / 1000)}`,
    Sunset: new Date(deprecation.sunset).toUTCString(),
    Link: `<${deprecation.link ?? '/deprecation'}>; rel="deprecation"`,
  };
}
