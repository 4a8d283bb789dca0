// The peers that run in Node.js, asked as those of serve.py are.
//
//     node node.mjs pyodide|monty MODULES WORKLOADS.json 3>&1 >/dev/null
//
// MODULES is the node_modules that has them.
//
// pyodide  CPython in WebAssembly, an instance for each session
// monty    Monty, a subset of Python in Rust: a MontyRepl for each session. It prints to
//          descriptor 1, and there is no way to have that; answers are written to descriptor 3
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'

const WARM_UP_RUNS = 50, WARM_UP_NS = 20e6, MIN_RUNS = 3, LONG_NS = 1e9, CALLS = 100
const CALLING_CELL = 'for n in range(100):\n    echo(n=n)'
const [name, modules, file] = process.argv.slice(2)
const clock = () => Number(process.hrtime.bigint())
const workloads = JSON.parse(fs.readFileSync(file, 'utf8'))
const jsonOf = (file) => JSON.parse(fs.readFileSync(path.join(modules, file), 'utf8'))
const versionOf = (folder) => jsonOf(path.join(folder, 'package.json')).version

// ---- peers: open, run (value, printed, traceback; null where it can not tell), close ---------

async function makePyodide() {
  const { loadPyodide } = await import(path.join(modules, 'pyodide/pyodide.mjs'))
  return {
    python: jsonOf('pyodide/pyodide-lock.json').info.python,
    version: `Pyodide ${versionOf('pyodide')}, Node.js ${process.version}`,
    open: () => loadPyodide(),
    async openWithTool() {
      const session = await loadPyodide()
      session.globals.set('echo', () => 1)
      return session
    },
    run(session, source) {
      const lines = []
      session.setStdout({ batched: (line) => lines.push(line, '\n') })
      try {
        const result = session.runPython(source)
        const value = result === undefined ? null : String(result)
        result?.destroy?.()
        return [value, lines.join(''), null]
      } catch (error) {
        return [null, lines.join(''), error.message]
      }
    },
    close() {},
  }
}

async function makeMonty() {
  const { MontyRepl } = await import(path.join(modules, '@pydantic/monty/wrapper.js'))
  return {
    python: 'its own',
    version: `Monty ${versionOf('@pydantic/monty')}, Node.js ${process.version}`,
    isPlain: true,
    open: () => new MontyRepl(),
    run(session, source) {
      try {
        session.feed(source)
        return [null, null, null]
      } catch (error) {
        return [null, null, error.display ? error.display() : String(error)]
      }
    },
    close() {},
  }
}

// ---- measuring ----------------------------------------------------------------------------------

async function repeat(budgetMs, sample) {
  let warm = 0
  for (let runs = 0; runs < WARM_UP_RUNS && warm < WARM_UP_NS; runs++) {
    const start = clock()
    await sample()
    warm += clock() - start
  }
  const times = [], start = clock(), end = start + budgetMs * 1e6
  while (clock() < end || !times.length || (times.length < MIN_RUNS && clock() < start + LONG_NS))
    times.push(await sample())
  times.sort((a, b) => a - b)
  return {
    runs: times.length, median: times[Math.floor(times.length / 2)], min: times[0],
    p99: times[Math.floor(times.length * 0.99)],
  }
}

function check(workload, [value, printed, error]) {
  if (workload.error ? !error?.includes(workload.error) : error !== null)
    throw new Error(error ?? `no ${workload.error}`)
  if (value !== null && workload.value && !/\[/.test(workload.value) && value !== workload.value)
    throw new Error(`value ${value} instead of ${workload.value}`)
  if (printed !== null && printed.length !== (workload.printed ?? 0))
    throw new Error(`${printed.length} characters printed`)
}

const workloadOf = (key) => (peer.isPlain && workloads[key].plain) || workloads[key]

async function openSession(workload) {
  const session = await peer.open()
  for (const cell of workload.setup ?? []) check({}, peer.run(session, cell))
  return session
}

// The session that all turns are in: an open may take seconds.
let turning
async function standing(workload) {
  turning ??= await peer.open()
  for (const cell of workload.setup ?? []) check({}, peer.run(turning, cell))
  return turning
}

const held = []
const commands = {
  async turn(key, kind, ms) {
    const workload = workloadOf(key), session = await standing(workload)
    let number = 0
    return repeat(ms, () => {
      const source = kind === 'fresh' ? `${workload.cell}  # ${++number}` : workload.cell
      const start = clock(), outcome = peer.run(session, source), took = clock() - start
      check(workload, outcome)
      return took
    })
  },
  async conversation(key, ms) {
    const workload = workloadOf(key)
    return repeat(ms, async () => {
      const start = clock(), session = await openSession(workload)
      let errors = 0
      for (const cell of workload.cells) errors += peer.run(session, cell)[2] !== null
      peer.close(session)
      const took = clock() - start
      if (errors !== workload.errors) throw new Error(`${errors} cells failed`)
      return took
    })
  },
  async first() {
    const session = await peer.open()
    check({}, peer.run(session, 'x = 0'))
    peer.close(session)
    return {}
  },
  open(cell, ms) {
    return repeat(ms, async () => {
      const start = clock(), session = await peer.open()
      check({}, peer.run(session, cell.replaceAll('~', ' ')))
      const took = clock() - start
      peer.close(session)
      return took
    })
  },
  async hold(key, count) {
    while (held.length < count) {
      const session = await peer.open()
      held.push(session)
      for (const cell of ['x = 0', 'x = x + 1\nx']) check({}, peer.run(session, cell))
      if (key !== '-') check(workloadOf(key), peer.run(session, workloadOf(key).cell))
    }
    return { held: held.length }
  },
  async tool(ms) {
    const session = await peer.openWithTool()
    return repeat(ms, () => {
      const start = clock(), outcome = peer.run(session, CALLING_CELL), took = clock() - start
      check({}, outcome)
      return Math.round(took / CALLS)
    })
  },
}

// ---- answers ------------------------------------------------------------------------------------

// Descriptor 1 is Monty's own: prints go there.
const ANSWERS = 3
const answer = (what) => fs.writeSync(ANSWERS, JSON.stringify(what) + '\n')
const peer = await { pyodide: makePyodide, monty: makeMonty }[name]()
if (!peer.openWithTool) delete commands.tool
answer({ python: peer.python, version: peer.version, commands: Object.keys(commands) })
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [command, ...words] = line.trim().split(/\s+/)
  try {
    answer(await commands[command](...words))
  } catch (error) {
    answer({ cannot: String(error.message ?? error).trim().split('\n').pop().slice(0, 200) })
  }
}
process.exit(0)
