// Express 4 under another name. The members that the tests use have the types of version 5.
declare module 'express4' {
  import express from 'express';
  // oxlint-disable-next-line import/no-default-export -- as the package has it
  export default express;
}
