import type { Profile } from '../domain/profile.ts';

/** Says that this version is deprecated and when it ends (RFC 9745, RFC 8594), and where that is explained, where a profile has it so. */
export function deprecationHeaders({ deprecation }: Profile): Readonly<Record<string, string>> {
  if (deprecation === 'none') return {};
  return {
    Deprecation: `@${Math.floor(Date.parse(deprecation.deprecated) / 1000)}`,
    Sunset: new Date(deprecation.sunset).toUTCString(),
    Link: `<${deprecation.link ?? '/deprecation'}>; rel="deprecation"`,
  };
}
