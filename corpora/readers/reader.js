// A reader of colconf's corpora in JavaScript, without a library: node reader.js FOLDER
// It checks every file against the manifest and its case, decodes every expected value, and prints what it found.
'use strict'
const crypto = require('crypto')
const fs = require('fs')
const path = require('path')

const sha256 = (data) => crypto.createHash('sha256').update(data).digest('hex')

// The digest of a folder: of the paths and digests of its files, in the order of the parts of their paths.
function digestOfFolder (folder) {
  const files = []
  const walk = (below) => {
    for (const entry of fs.readdirSync(path.join(folder, ...below), { withFileTypes: true })) {
      if ('_.'.includes(entry.name[0])) continue
      const parts = [...below, entry.name]
      entry.isDirectory() ? walk(parts) : files.push(parts)
    }
  }
  walk([])
  files.sort((a, b) => {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1
    }
    return a.length - b.length
  })
  return sha256(files.map((parts) =>
    `${parts.join('/')}\0${sha256(fs.readFileSync(path.join(folder, ...parts)))}\n`).join(''))
}

// A value of a type, as JavaScript has it: integers as BigInt, floats as numbers, bytes as Buffer.
function decode (type, value) {
  if (value === null) return null
  if (typeof value === 'object' && !Array.isArray(value)) return value // {sha256, bytes} of a large value
  const child = (i) => type.children[i].type
  switch (type.kind) {
    case 'bool': return typeof value === 'boolean' ? value : fail(value)
    case 'float': return float(type.bits, Buffer.from(value, 'hex'))
    case 'int': case 'decimal': case 'date': case 'time': case 'timestamp': case 'duration': case 'int96':
      return BigInt(value)
    case 'interval': return value.map(BigInt)
    case 'string': case 'json': case 'enum': return value
    case 'bytes': case 'uuid': case 'bson': case 'geometry': case 'geography': return bytes(value)
    case 'variant': return value.map(bytes)
    case 'list': return value.map((each) => decode(child(0), each))
    case 'struct': return value.map((each, i) => decode(child(i), each))
    case 'map': return value.map(([key, of]) => [decode(child(0), key), decode(child(1), of)])
    case 'union': return [BigInt(value[0]), decode(child(Number(value[0])), value[1])]
    default: return fail(type.kind)
  }
}

function fail (what) { throw new Error(`not of the documented form: ${what}`) }

function bytes (text) {
  const data = Buffer.from(text, 'hex')
  return data.toString('hex') === text ? data : fail(text)
}

function float (bits, data) {
  if (data.length * 8 !== bits) fail(data.toString('hex'))
  if (bits !== 16) return bits === 32 ? data.readFloatBE() : data.readDoubleBE()
  const [sign, exponent, fraction] = [data[0] >> 7 ? -1 : 1, (data[0] >> 2) & 31, data.readUInt16BE() & 1023]
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction)
}

const root = process.argv[2]
const json = (name) => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'))
const manifest = json('manifest.json')
for (const file of manifest.files) {
  if (sha256(fs.readFileSync(path.join(root, file.path))) !== file.sha256) fail(file.path)
}
const counts = { cases: 0, tables: 0, accept: 0, either: 0, refuse: 0, rows: 0, values: 0, probes: 0 }
for (const entry of json('cases.json')) {
  const record = json(entry.json)
  const file = path.join(root, entry.file)
  const digest = entry.table ? digestOfFolder(file) : sha256(fs.readFileSync(file))
  if (record.id !== entry.id || digest !== record.sha256) fail(entry.id)
  counts.cases++
  counts.tables += entry.table ? 1 : 0
  counts[record.expectation.kind]++
  counts.probes += (record.probes || []).length
  const table = record.expectation.table
  if (!table) continue
  counts.rows += table.rows
  let rows = 0
  for (const block of table.blocks) {
    block.forEach((column, i) => { counts.values += column.map((v) => decode(table.columns[i].type, v)).length })
    rows += block.length ? block[0].length : 0
  }
  if (table.columns.length && rows !== table.rows) fail(`${entry.id}: ${rows} of ${table.rows} rows`)
}
console.log(Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(', '))
