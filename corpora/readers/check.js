// Has a reader that speaks colconf's protocol read the cases of the corpora: node check.js CORPUS PROGRAM [ARGUMENT…]
// No Python, and nothing of colconf but the archive. Exit status: 0 no case is wrong, 1 some are, 2 error.
'use strict'
const fs = require('fs')
const os = require('os')
const path = require('path')
const { spawn } = require('child_process')
const { createInterface } = require('readline')

const VERSION = 3 // of the protocol
const SECONDS = 60 // for a file
const [root, program, ...args] = process.argv.slice(2)
if (!program) {
  console.error('usage: node check.js CORPUS PROGRAM [ARGUMENT…]')
  process.exit(2)
}
const json = (name) => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'))
const spill = fs.mkdtempSync(path.join(os.tmpdir(), 'corpus-'))

// The reader's process, which is started again after it ended.
class Reader {
  start () {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.on('error', (error) => { console.error(`${program}: ${error.message}`); process.exit(2) })
    child.stdin.on('error', () => {}) // it ended, as 'close' says
    child.on('close', () => { this.child = null; this.reply(null) })
    createInterface({ input: child.stdout }).on('line', (line) => this.reply(line))
    this.child = child
  }

  ask (request) {
    if (!this.child) this.start()
    const child = this.child
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), SECONDS * 1000)
      this.reply = (line) => { clearTimeout(timer); this.reply = () => {}; resolve(line) }
      child.stdin.write(JSON.stringify(request) + '\n')
    })
  }
}

// A value in a form that is equal for equal values: all NaN are one value, -0.0 is not 0.0.
function canonical (type, value) {
  if (value === null) return null
  const child = (i, each) => canonical(type.children[i].type, each)
  switch (type.kind) {
    case 'float': return isNaN_(type.bits, BigInt(`0x${value}`)) ? 'NaN' : value
    case 'list': return value.map((each) => child(0, each))
    case 'struct': return value.map((each, i) => child(i, each))
    case 'map': return value.map(([key, of]) => [child(0, key), child(1, of)])
    case 'union': return [value[0], child(Number(value[0]), value[1])]
    default: return value
  }
}

function isNaN_ (bits, value) {
  const infinity = { 16: 0x7c00n, 32: 0x7f800000n, 64: 0x7ff0000000000000n }[bits]
  return (value & ((1n << BigInt(bits - 1)) - 1n)) > infinity
}

// JSON with the keys of objects in one order.
const text = (value) => JSON.stringify(value, (_, each) =>
  each && typeof each === 'object' && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each)

// The columns of a table, each as a list of values.
function columnsOf (table) {
  let blocks = table.values ? [table.values] : table.blocks
  if (table.spill) blocks = fs.readFileSync(table.spill, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  return table.columns.map(({ type }, i) => blocks.flatMap((block) => block[i].map((value) => canonical(type, value))))
}

// What differs first between two tables, '' if nothing does.
function difference (expected, table) {
  if (text(expected.columns) !== text(table.columns)) return `columns ${text(table.columns)}`
  if (expected.rows !== table.rows) return `${table.rows} rows, not ${expected.rows}`
  const [wanted, got] = [columnsOf(expected), columnsOf(table)]
  for (const [i, column] of wanted.entries()) {
    const row = column.findIndex((value, at) => text(value) !== text(got[i][at]))
    if (row >= 0) return `${expected.columns[i].name}, row ${row}: ${text(got[i][row])}, not ${text(column[row])}`
    if (got[i].length !== column.length) return `${expected.columns[i].name}: ${got[i].length} values`
  }
  return ''
}

// The verdict about a reply: 'agree', 'unsupported', or what is wrong.
function verdict (record, line) {
  if (line === null) return 'crashed, or took too long'
  const reply = JSON.parse(line)
  const { kind, table } = record.expectation
  if (reply.error && reply.error.kind === 'unsupported') return 'unsupported'
  if (reply.error && reply.error.kind !== 'refused') return `${reply.error.kind}: ${reply.error.message}`
  if (reply.error) return kind === 'accept' ? `refused: ${reply.error.message}` : 'agree'
  if (!reply.table) return 'no table, and no error'
  if (kind === 'refuse') return `reads a file that breaks ${record.rule || record.expectation.rule}`
  return (table && difference(table, reply.table)) || 'agree'
}

async function main () {
  const reader = new Reader()
  const counts = { agree: 0, unsupported: 0, wrong: 0, 'breaks a SHOULD': 0, 'not asked': 0 }
  for (const [id, entry] of json('cases.json').entries()) {
    const record = json(entry.json)
    if (entry.table || record.keys) { counts['not asked']++; continue } // no folders, no encrypted files
    const file = path.resolve(root, entry.file)
    const line = await reader.ask({ v: VERSION, id, op: 'read', file, format: entry.format, config: {}, spill })
    const result = verdict(record, line)
    const name = result in counts ? result : record.level === 'MUST' ? 'wrong' : 'breaks a SHOULD'
    counts[name]++
    if (!(result in counts)) console.log(`${entry.id}: ${result.slice(0, 300)}`)
  }
  fs.rmSync(spill, { recursive: true })
  console.log(Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(', '))
  process.exit(counts.wrong ? 1 : 0)
}

main().catch((error) => { console.error(error.message); process.exit(2) })
