declare module 'virtual:profile-settings' {
  const settings: readonly {
    readonly group: string;
    readonly name: string;
    readonly values: readonly string[];
    readonly meaning: string;
  }[];
  export default settings;
}
