#!/usr/bin/env node
// Runs the program that the package of this platform carries.
"use strict";
const { spawn } = require("child_process");

let program;
try {
  program = require("./program.cjs");
} catch (err) {
  console.error(`board: ${err.message}.`);
  console.error("  try: npm install without --omit=optional; if there is no such package, build from source");
  process.exit(1);
}

// A signal of the terminal reaches both processes. This one waits for the other to end.
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal === "SIGINT" || child.kill(signal));
}
child.on("error", (err) => {
  console.error(`board: cannot run ${program}: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 1 : code);
});
