#!/usr/bin/env node
// What a package runs first: older releases of Node.js could not read the rest.
const NODE_MIN = 24;
if (Number.parseInt(process.versions.node, 10) < NODE_MIN) {
  console.error(`Vigil needs Node.js ${NODE_MIN} or newer, and this is ${process.versions.node}: https://nodejs.org`);
  process.exit(1);
}
process.report.excludeNetwork = true;
if (process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime) {
  console.error(
    "The Workers runtime needs glibc, which Alpine and other systems with musl lack: use Debian or Ubuntu.",
  );
  process.exit(1);
}
await import("./vigil.js");
