import manifest from '../../../package.json' with { type: 'json' };

/** Is the version of this package. */
export const version: string = manifest.version;
