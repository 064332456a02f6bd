// Generated from docs/project.json by `npm run generate`. Do not edit.
/** The documentation pages that errors and help texts link to. */
export const docs = {
  guide: 'https://docs.example.com/payments-kit/cli',
  chaos: 'https://docs.example.com/payments-kit/cli/chaos',
} as const;
