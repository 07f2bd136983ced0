// The path of the program that the package of this platform carries.
"use strict";

const name = `@PACKAGE@-${process.platform}-${process.arch}`;
try {
  module.exports = require.resolve(`${name}/board${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  throw new Error(`the package ${name} is not installed`);
}
