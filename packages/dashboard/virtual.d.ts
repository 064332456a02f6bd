declare module 'virtual:profile-settings' {
  const settings: readonly {
    readonly name: string;
    /** The field of the setting that has the values. */
    readonly field?: string;
    readonly values: readonly string[];
    readonly meaning: string;
  }[];
  export default settings;
}
