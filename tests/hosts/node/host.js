// host.js ADDON FORM WHAT [ARGUMENT...] - what run.py asks of the addon; prints one line of JSON.
'use strict';
const fs = require('fs');
const [addon, form, what, ...words] = process.argv.slice(2);
const snug = require(addon);

async function answer(session, code) {
  return JSON.parse(await session.run(code));
}

// Which of the modules of a profile do not import, with the reason.
async function modules(profile, ...names) {
  const session = await snug.open(form, profile);
  const failed = {};
  for (const name of names) {
    const result = await answer(session, `__import__("${name}")`);
    if (result.status !== 'ok') failed[name] = `${result.error.name}: ${result.error.value}`;
  }
  session.close();
  return failed;
}

async function value(profile, code) {
  const session = await snug.open(form, profile);
  const result = await answer(session, code);
  session.close();
  return result.value ? result.value.json : result.error;
}

function reading() {
  const begin = performance.now();
  return new Promise(resolve => fs.readFile(__filename, () => resolve(performance.now() - begin)));
}

// Many cells at once, and what reading a file takes meanwhile, in milliseconds.
async function many(count, seconds) {
  const sessions = await Promise.all(Array.from({length: Number(count)}, () => snug.open(form)));
  let isOver = false;
  const begin = performance.now();
  const cells = Promise.all(sessions.map((session, i) => answer(session, `import time\ntime.sleep(${seconds})\n${i}`)));
  const done = cells.then(() => { isOver = true; });
  const reads = [];
  while (!isOver) {
    reads.push(await reading());
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  await done;
  const values = (await cells).map(result => result.value && result.value.json);
  const wall = performance.now() - begin;
  sessions.forEach(session => session.close());
  return {values, reads, wall};
}

// A cell that is interrupted, and the next one of its session.
async function interrupted() {
  const session = await snug.open(form);
  await session.run('x = 5');
  const cell = answer(session, 'while True: pass');
  setTimeout(() => session.interrupt(), 50);
  const {status, state} = await cell;
  const after = await answer(session, 'x');
  session.close();
  return {status, state, after: after.value.json};
}

// The process ends while a cell runs.
async function ended() {
  const session = await snug.open(form);
  session.run('while True: pass');
  setTimeout(() => { console.log('"ending"'); process.exit(0); }, 100);
  return new Promise(() => {});
}

const known = {modules, value, many, interrupted, ended};
known[what](...words).then(said => console.log(JSON.stringify(said)), error => {
  console.log(JSON.stringify({error: error.code, message: error.message}));
  process.exitCode = 1;
});
