// One of the protocol's own clients does the tasks that come as JSON on its stdin, [{name, programs}], by run_python.
// Prints {name: [the answer to each program]}.
//
// usage: client.mjs sdk|client COMMAND ARGUMENT...
import { text } from "node:stream/consumers";
const [which, command, ...args] = process.argv.slice(2);
const info = { name: "tasks", version: "1" };
const start = { command, args, stderr: "inherit", env: process.env };

async function connect() {
  if (which === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(info, { capabilities: {} });
    await client.connect(new StdioClientTransport(start));
    return client;
  }
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client(info, { capabilities: {}, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StdioClientTransport(start));
  return client;
}

const tasks = JSON.parse(await text(process.stdin));
const client = await connect();
const answers = {};
for (const { name, programs } of tasks) {
  answers[name] = [];
  let session = "new";
  for (const code of programs) {
    const answer = await client.callTool({ name: "run_python", arguments: { code, session } });
    session = answer.structuredContent?.session ?? "new";
    answers[name].push(answer);
  }
}
await client.close();
console.log(JSON.stringify(answers));
