// The protocol between colconf and an engine in JavaScript (Node 18 and later), and its tagged values.
//
// An engine calls `serve` with functions that describe it and read a file into a `Table`. colconf writes one
// request a line to standard input, each of which is answered by one line on standard output. Nothing else may
// write there: console.log goes to standard error. The protocol: colconf's docs/protocol.md.

import { Console } from 'node:console'
import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const VERSION = 3 // of the protocol
const BLOCK_ROWS = 16384 // rows of a block, except for the last
const BIG = 1 << 20 // bytes of the longest text or byte string that is sent as it is
const INLINE_BYTES = 4 << 20 // of a table's blocks in a reply; larger tables go to a spill file
const MAX_MESSAGE = 4000

/** The engine, or this program, does not support what the file needs: neither right nor wrong. */
export class Unsupported extends Error {}

/** An answer of this program is no table: its own mistake, and no one else's. */
export class Misspoke extends Error {}

// Types

export const NULL = { kind: 'null' }
export const BOOL = { kind: 'bool' }
export const DATE = { kind: 'date' } // values: days since 1970-01-01
export const INT96 = { kind: 'int96' } // values: nanoseconds since 1970-01-01
export const INTERVAL = { kind: 'interval' } // values: [months, days, nanoseconds], decimal strings
export const STRING = { kind: 'string' }
export const JSON_TEXT = { kind: 'json' }
export const ENUM = { kind: 'enum' }
export const BYTES = { kind: 'bytes' }
export const UUID = { kind: 'uuid' }
export const BSON = { kind: 'bson' }
export const GEOMETRY = { kind: 'geometry' } // values: WKB
export const GEOGRAPHY = { kind: 'geography' } // values: WKB
export const VARIANT = { kind: 'variant' } // values: [binary(metadata), binary(value)]
export const integer = (bits, signed = true) => ({ kind: 'int', bits, signed })
export const floating = bits => ({ kind: 'float', bits }) // 16, 32 or 64
export const decimal = (precision, scale) => ({ kind: 'decimal', precision, scale })
export const time = (unit, utc) => ({ kind: 'time', unit, utc }) // 's', 'ms', 'us' or 'ns'
export const timestamp = (unit, utc) => ({ kind: 'timestamp', unit, utc })
export const duration = unit => ({ kind: 'duration', unit })
export const field = (name, type) => ({ name, type })
export const listOf = element => ({ kind: 'list', children: [field('element', element)] })
export const structOf = fields => ({ kind: 'struct', children: fields })
export const mapOf = (key, value) => ({ kind: 'map', children: [field('key', key), field('value', value)] })
export const unionOf = types => ({ kind: 'union', children: types.map((type, tag) => field(`${tag}`, type)) })

// Values: null is null, a bool is itself, a list and a struct are arrays, a map is an array of [key, value]

/** Tag an integer, a decimal's unscaled integer, or a count of days or units: a bigint or a whole number. */
export function whole(number) {
  if (typeof number !== 'bigint' && !Number.isSafeInteger(number)) {
    throw new Misspoke(`not a whole number that is exact: ${number}`)
  }
  return number.toString()
}

/** Tag a float of 32 or 64 bits by its IEEE bits. */
export function float(bits, number) {
  const view = new DataView(new ArrayBuffer(bits / 8))
  if (bits === 32) view.setFloat32(0, number)
  else view.setFloat64(0, number)
  return hex(new Uint8Array(view.buffer))
}

/** Tag a byte string (a Uint8Array), or a float of 16 bits: its two bytes, big-endian. */
export function binary(bytes) {
  return bytes.length > BIG ? big(bytes) : hex(bytes)
}

/** Tag text. */
export function text(string) {
  if (string.length * 3 <= BIG) return string
  const bytes = Buffer.from(string, 'utf8')
  return bytes.length > BIG ? big(bytes) : string
}

/** Tag the bytes of a text; those that are not UTF-8 become lone surrogates, U+DC80 to U+DCFF. */
export function utf8(bytes) {
  if (bytes.length > BIG) return big(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return escaped(bytes)
  }
}

function escaped(bytes) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let out = ''
  for (let at = 0; at < bytes.length;) {
    const size = [1, 2, 3, 4].find(size => at + size <= bytes.length && decodes(decoder, bytes.subarray(at, at + size)))
    if (size) {
      out += decoder.decode(bytes.subarray(at, at + size))
      at += size
    } else {
      out += String.fromCharCode(0xdc00 + bytes[at++])
    }
  }
  return out
}

function decodes(decoder, bytes) {
  try {
    decoder.decode(bytes)
    return true
  } catch {
    return false
  }
}

function hex(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

function big(bytes) {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length }
}

/** A table: fields (`field(name, type)`), and for each a column, an array of tagged values. */
export class Table {
  constructor(fields, columns, rows = columns.length ? columns[0].length : 0) {
    if (fields.length !== columns.length || columns.some(column => column.length !== rows)) {
      throw new Misspoke(`${fields.length} fields, and columns of ${columns.map(column => column.length)} values`)
    }
    Object.assign(this, { fields, columns, rows })
  }

  *blocks() {
    for (let at = 0; at < this.rows && this.fields.length; at += BLOCK_ROWS) {
      yield JSON.stringify(this.columns.map(column => column.slice(at, at + BLOCK_ROWS)))
    }
  }
}

/** Return a table as JSON: with its blocks or, if they are large, in the file `path`, a block a line. */
function render(table, path) {
  const head = JSON.stringify({ columns: table.fields, rows: table.rows }).slice(0, -1)
  const blocks = table.blocks()
  const first = []
  let used = 0
  for (let next = blocks.next(); !next.done; next = blocks.next()) {
    first.push(next.value)
    used += next.value.length
    if (used > INLINE_BYTES) break
  }
  if (used <= INLINE_BYTES) return `${head},"blocks":[${first.join(',')}]}`
  const out = openSync(path, 'w')
  try {
    for (const block of first) writeAll(out, `${block}\n`)
    for (const block of blocks) writeAll(out, `${block}\n`)
  } finally {
    closeSync(out)
  }
  return `${head},"spill":${JSON.stringify(path)}}`
}

/**
 * Reply to requests until `stop` or the end of standard input.
 *
 * `engine.describe()` returns the description; `engine.read(file, format, config)` a Table, or a promise of it.
 * It throws Unsupported for what is not supported; a TypeError or ReferenceError counts as a failure of its own
 * code, any other error as a refusal of the file.
 */
export async function serve(engine) {
  globalThis.console = new Console(process.stderr, process.stderr)
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const { reply, stopped } = await answer(engine, line)
    writeAll(1, `${reply}\n`)
    if (stopped) break
  }
  process.exit(0)
}

async function answer(engine, line) {
  let request
  try {
    request = JSON.parse(line)
    if (!Number.isInteger(request?.id)) throw new TypeError('no request')
  } catch (error) {
    return { reply: failure(-1, 'misspoke', error, 'request') }
  }
  const { id, op } = request
  if (request.v !== VERSION) {
    return { reply: failure(id, 'unsupported', new Error(`version ${request.v}, not ${VERSION}`), 'request') }
  }
  try {
    if (op === 'stop') return { reply: good(id, '"stopped":true'), stopped: true }
    if (op === 'describe') return { reply: good(id, `"description":${JSON.stringify(engine.describe())}`) }
    if (op !== 'read') throw new Unsupported(`this engine does not answer ${op}`)
    if (request.keys) throw new Unsupported('this engine takes no keys')
    const table = await engine.read(request.file, request.format, request.config)
    return { reply: good(id, `"table":${render(table, `${request.spill}/${id}-0.jsonl`)}`) }
  } catch (error) {
    return { reply: failure(id, kindOf(error), error, op) }
  }
}

function kindOf(error) {
  if (error instanceof Unsupported) return 'unsupported'
  if (error instanceof Misspoke) return 'misspoke'
  if (error instanceof TypeError || error instanceof ReferenceError) return 'panicked' // a mistake in code
  return /allocation failed|Invalid (string|array) length/.test(error?.message) ? 'out_of_memory' : 'refused'
}

function good(id, member) {
  return `{"v":${VERSION},"id":${id},${member}}`
}

function failure(id, kind, error, phase) {
  const name = `${error?.constructor?.name ?? typeof error}`.slice(0, 200)
  const message = `${error?.message ?? error}`.slice(0, MAX_MESSAGE)
  return JSON.stringify({ v: VERSION, id, error: { kind, class: name, message, phase } })
}

/** Write all of a text; a pipe may take only a part of it, or none until it is read. */
function writeAll(descriptor, string) {
  for (let bytes = Buffer.from(string, 'utf8'); bytes.length;) {
    try {
      bytes = bytes.subarray(writeSync(descriptor, bytes))
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}
