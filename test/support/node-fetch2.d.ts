// node-fetch 2 under another name. It has no types; those of version 3 have the same call.
declare module 'node-fetch2' {
  import fetch from 'node-fetch';
  // oxlint-disable-next-line import/no-default-export -- as the package has it
  export default fetch;
}
