// One of the protocol's own clients against a server: what came of each step, as a line of JSON.
//
// usage: client.mjs sdk|client stdio COMMAND ARGUMENT... | client.mjs sdk|client http URL
const [which, transport, target, ...rest] = process.argv.slice(2);

// What somebody says to each question: a word of the form, "decline", or undefined for who cannot be asked.
let says, asked = [];
const answer = async (request) => {
  asked.push(request.params.message);
  return says === "decline" ? { action: "decline" } : { action: "accept", content: { answer: says } };
};

async function connect(capabilities = {}) {
  const info = { name: "official", version: "1" };
  if (which === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(info, { capabilities });
    if (capabilities.elicitation) {
      const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
      client.setRequestHandler(ElicitRequestSchema, answer);
    }
    await client.connect(transport === "stdio"
      ? new StdioClientTransport({ command: target, args: rest, stderr: "inherit", env: process.env })
      : new StreamableHTTPClientTransport(new URL(target)));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client(info, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  if (capabilities.elicitation)
    client.setRequestHandler("elicitation/create", answer);
  await client.connect(transport === "stdio"
    ? new StdioClientTransport({ command: target, args: rest, stderr: "inherit", env: process.env })
    : new StreamableHTTPClientTransport(new URL(target)));
  return client;
}

const client = await connect();
const call = (name, args, options) => which === "sdk"
  ? client.callTool({ name, arguments: args }, undefined, options)
  : client.callTool({ name, arguments: args }, options);

const picture = `
import base64
class Picture:
    def _repr_png_(self):
        return base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
display(Picture())`;
const slowly = "import time\nfor i in range(5):\n    print('step', i, flush=True)\n    time.sleep(0.1)";

let session;
const steps = {
  tools: async () => (await client.listTools()).tools,
  server: async () => ({ ...client.getServerVersion?.(), capabilities: client.getServerCapabilities() }),
  first: async () => {
    const answer = await call("run_python", { code: "x = 20" });
    session = answer.structuredContent.session;
    return answer;
  },
  second: () => call("run_python", { code: "x + 1", session }),
  error: () => call("run_python", { code: "1 / 0", session }),
  picture: () => call("run_python", { code: picture, session }),
  progress: async () => {
    const told = [];
    await call("run_python", { code: slowly, session }, { onprogress: (p) => told.push(p), timeout: 60000 });
    return told;
  },
  cancel: async () => {
    const control = new AbortController();
    const begun = Date.now();
    setTimeout(() => control.abort(), 300);
    try {
      await call("run_python", { code: "while True: pass", session }, { signal: control.signal, timeout: 60000 });
    } catch (error) {
      const after = await call("run_python", { code: "x + 2", session });
      return { error: String(error), after: Number(after.structuredContent.value), ms: Date.now() - begun };
    }
    return { error: null };
  },
  variables: () => call("list_variables", { session }),
  file: async () => {
    await call("write_file", { session, path: "note.txt", text: "hello\n" });
    const made = await call("run_python", { session, code: "open('made.txt', 'w').write('made')" });
    return { made, read: await call("read_file", { session, path: "made.txt" }) };
  },
  stranger: async () => {
    try {
      return await call("run_python", { code: "1", session: "py_nobodys" });
    } catch (error) {
      return { thrown: String(error) };
    }
  },
  unknown: async () => {
    try {
      return await call("no_such_tool", {});
    } catch (error) {
      return { thrown: String(error), code: error.code };
    }
  },
  close: () => call("close_session", { session }),
  unasked: () => call("run_python", { code: "upper(text='x')" }),
  approval: async () => {
    const other = await connect({ elicitation: { form: {} } });
    const run = async (word, code) => {
      says = word, asked = [];
      const args = { name: "run_python", arguments: { code, session: "new" } };
      const result = await (which === "sdk" ? other.callTool(args, undefined) : other.callTool(args));
      return { asked, result };
    };
    const twice = "[upper(text=t)['TEXT'] for t in 'ab']";
    const seen = { once: await run("once", twice), always: await run("always", twice), refuse: await run("refuse", twice),
                   decline: await run("decline", twice) };
    await other.close();
    return seen;
  },
};

const outcome = {};
for (const [name, step] of Object.entries(steps)) {
  try {
    outcome[name] = await step();
  } catch (error) {
    outcome[name] = { failed: `${error.stack}` };
  }
}
console.log(JSON.stringify(outcome));
await client.close();
