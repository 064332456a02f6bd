/** The environment of a child process without variables of the machine. The cache of compiled code makes its start three times as fast. */
export const childEnv: Readonly<Record<string, string | undefined>> = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  // Set by `npm run test:node`, for versions of Node that strip types only with an option.
  ...(process.env.NODE_OPTIONS !== undefined && { NODE_OPTIONS: process.env.NODE_OPTIONS }),
};
