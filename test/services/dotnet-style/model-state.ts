/** Messages per field, in the order in which they were added. */
export class ModelState {
  readonly #errors = new Map<string, string[]>();

  get isValid(): boolean {
    return this.#errors.size === 0;
  }

  add(key: string, message: string): void {
    const messages = this.#errors.get(key);
    if (messages === undefined) this.#errors.set(key, [message]);
    else messages.push(message);
  }

  toErrors(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(this.#errors);
  }
}
