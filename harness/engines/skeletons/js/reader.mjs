// A reader of Parquet that reads one type: INT32, in PLAIN pages without compression. It refuses the rest.
//
// It is here to be replaced: put the reader that is to be tested into `read`, and describe it in `describe`.

import { readFileSync } from 'node:fs'
import { Table, Unsupported, field, integer, serve, utf8, whole } from './colconf.mjs'
import { Cursor } from './thrift.mjs'

const INT32 = 1
const [REQUIRED, OPTIONAL] = [0, 1]
const [PLAIN, RLE] = [0, 3]
const MOST_VALUES = 1 << 24 // of a column: a file of a few bytes may claim any number of nulls
const [DATA_PAGE, INDEX_PAGE, DATA_PAGE_V2] = [0, 1, 3]

function describe() {
  return { name: 'my_reader', version: '0.1.0', runtime: `Node ${process.versions.node}` }
}

function read(file, format) {
  if (format !== 'parquet') throw new Unsupported(`no reader of ${format}`)
  const bytes = readFileSync(file)
  const footer = footerOf(bytes)
  const leaves = leavesOf(footer[2])
  if (!leaves.length) throw new Unsupported('no column')
  const columns = leaves.map(() => [])
  for (const group of footer[4] ?? []) {
    if (group[1].length !== leaves.length) throw new Error('a row group has another number of columns')
    group[1].forEach((chunk, at) => readChunk(bytes, chunk, leaves[at], group[3], columns[at]))
  }
  if (columns.some(column => column.length !== footer[3])) throw new Error(`the row groups have not ${footer[3]} rows`)
  return new Table(leaves.map(leaf => field(leaf.name, integer(32))), columns, footer[3])
}

// The file ends with the footer, its length in 4 bytes, and "PAR1".
function footerOf(bytes) {
  const end = bytes.subarray(-4).toString('latin1')
  if (end === 'PARE') throw new Unsupported('the footer is encrypted')
  if (bytes.length < 12 || end !== 'PAR1') throw new Error('no file of Parquet')
  const size = bytes.readUInt32LE(bytes.length - 8)
  if (size > bytes.length - 12) throw new Error(`a footer of ${size} bytes is longer than the file`)
  return new Cursor(bytes.subarray(0, bytes.length - 8), bytes.length - 8 - size).struct()
}

function leavesOf(schema) {
  return schema.slice(1).map(element => {
    const name = utf8(element[4])
    const annotation = element[10]?.[10] // LogicalType.INTEGER
    const plain = element[6] === undefined && element[10] === undefined
    const int32 = element[6] === 17 || (annotation && annotation[1] === 32 && annotation[2]) // INT_32
    if (element[5] !== undefined || element[1] !== INT32 || !(plain || int32)) {
      throw new Unsupported(`column ${name} is no INT32`)
    }
    if (element[3] !== REQUIRED && element[3] !== OPTIONAL) throw new Unsupported(`column ${name} is repeated`)
    return { name, optional: element[3] === OPTIONAL }
  })
}

function readChunk(bytes, chunk, leaf, rows, column) {
  const meta = chunk[3]
  if (!meta || chunk[1]) throw new Unsupported('a column chunk in another place')
  if (meta[4] !== 0) throw new Unsupported(`codec ${meta[4]}`)
  const cursor = new Cursor(bytes, meta[9])
  const before = column.length
  if (before + meta[5] > MOST_VALUES) throw new Unsupported(`a column of ${before + meta[5]} values`)
  while (column.length - before < meta[5]) {
    const header = cursor.struct()
    readPage(header, cursor.take(header[3]), leaf, column, before + meta[5] - column.length)
  }
  if (column.length - before !== rows) throw new Error(`${column.length - before} values for ${rows} rows`)
}

// Append the values of a page, of which its chunk has at most `most`.
function readPage(header, page, leaf, column, most) {
  if (header[1] === INDEX_PAGE) return
  if (header[1] !== DATA_PAGE && header[1] !== DATA_PAGE_V2) throw new Unsupported(`a page of type ${header[1]}`)
  const second = header[1] === DATA_PAGE_V2
  const details = second ? header[8] : header[5]
  if (!details) throw new Error('a page without its header')
  const encoding = second ? details[4] : details[2]
  if (encoding !== PLAIN) throw new Unsupported(`encoding ${encoding}`)
  if (!(details[1] >= 0 && details[1] <= most)) throw new Error(`a page of ${details[1]} values, where ${most} are left`)
  const cursor = new Cursor(page)
  let present = new Array(details[1]).fill(1)
  if (second && !leaf.optional) cursor.take(details[5])
  if (leaf.optional) {
    if (!second && details[3] !== RLE) throw new Unsupported(`levels in encoding ${details[3]}`)
    const size = second ? details[5] : cursor.take(4).readUInt32LE(0)
    present = levels(new Cursor(cursor.take(size)), details[1])
  }
  for (const isThere of present) column.push(isThere ? whole(cursor.take(4).readInt32LE(0)) : null)
}

// The hybrid of runs and bit-packed groups of 8, of levels of one bit (Encodings.md, RLE).
function levels(cursor, count) {
  const out = []
  while (out.length < count) {
    const head = Number(cursor.varint())
    if (head === 0) throw new Error('a run of no levels')
    if (head & 1) {
      for (const byte of cursor.take(head >> 1)) for (let bit = 0; bit < 8; bit++) out.push((byte >> bit) & 1)
    } else {
      const level = cursor.byte()
      for (let left = Math.min(head >> 1, count - out.length); left > 0; left--) out.push(level)
    }
  }
  return out.slice(0, count)
}

await serve({ describe, read })
