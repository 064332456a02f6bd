declare module 'virtual:profile-settings' {
  const settings: readonly {
    readonly name: string;
    readonly field?: string;
    readonly values: readonly string[];
    readonly meaning: string;
  }[];
  export default settings;
}
