/** The beneficiary fields that identify a supplier. */
export interface BeneficiaryIdentity {
  readonly name: string;
  /** Undefined when the create sent no account. */
  readonly account: string | undefined;
}

/** Returns a beneficiary name in the form in which names are compared: NFKC, with each run of white space as one space. */
export function normalizeName(name: string): string {
  return name.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ');
}

/** Returns an account number in the form in which accounts are compared: NFKC, without white space, an IBAN in upper case. */
export function normalizeAccount(account: string): string {
  const compact = account.normalize('NFKC').replaceAll(/\s+/gu, '');
  return iban.test(compact) ? compact.toUpperCase() : compact;
}

const iban = /^[a-z]{2}\d{2}[a-z\d]{11,30}$/i;
