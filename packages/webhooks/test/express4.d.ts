// Version 4 under another name; what the tests use of it has the types of version 5.
declare module 'express4' {
  import express from 'express';
  // oxlint-disable-next-line import/no-default-export -- as the package has it
  export default express;
}
