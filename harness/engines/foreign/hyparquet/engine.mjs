// hyparquet behind colconf's protocol.
//
// Values that hyparquet would turn into a Date, a text or GeoJSON are taken as they are stored, by its custom parsers
// (`parsers`, types.d.ts): a Date has no microseconds. Byte arrays without annotation stay bytes (`utf8: false`).

import { readFileSync } from 'node:fs'
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import * as colconf from '../../skeletons/js/colconf.mjs'
import { Unsupported } from '../../skeletons/js/colconf.mjs'

const version = JSON.parse(readFileSync(new URL('./node_modules/hyparquet/package.json', import.meta.url))).version
const asStored = value => value
const stringFromBytes = bytes => bytes && colconf.utf8(bytes) // a text: it may be the key of a map
const parsers = Object.fromEntries([
  'timestampFromMilliseconds', 'timestampFromMicroseconds', 'timestampFromNanoseconds', 'dateFromDays',
  'jsonFromBytes', 'geometryFromBytes', 'geographyFromBytes', 'uuidFromBytes',
].map(name => [name, asStored]).concat([['stringFromBytes', stringFromBytes]]))
const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' }
const INTEGERS = /^(U?)INT_(8|16|32|64)$/

function describe() {
  return { name: 'hyparquet', version, runtime: `Node ${process.versions.node}` }
}

async function read(path, format, config) {
  if (format !== 'parquet') throw new Unsupported(`no reader of ${format}`)
  try {
    return await readTable(await asyncBufferFromFile(path), config.api)
  } catch (error) {
    // The message of a file that is not there has its path, which may say anything.
    if (!error.code && /not supported|unsupported/.test(error.message)) throw new Unsupported(error.message)
    throw error
  }
}

async function readTable(file, api) {
  const metadata = await parquetMetadataAsync(file, { geoparquet: false })
  const nodes = parquetSchema(metadata).children
  const kinds = nodes.map(kindOf)
  const columns = nodes.map(() => [])
  const options = { file, metadata, compressors, parsers, utf8: false, geoparquet: false }
  if (api === 'chunks') await readChunks(options, nodes, columns)
  else await readRows(options, columns)
  const tagged = columns.map((column, at) => column.map(value => tag(kinds[at], value)))
  const fields = nodes.map((node, at) => colconf.field(node.element.name, kinds[at].type))
  return new colconf.Table(fields, tagged, tagged.length ? tagged[0].length : Number(metadata.num_rows))
}

async function readRows(options, columns) {
  await parquetRead({ ...options, onComplete: rows => {
    for (const row of rows) columns.forEach((column, at) => column.push(row[at]))
  } })
}

async function readChunks(options, nodes, columns) {
  const names = nodes.map(node => node.element.name)
  if (new Set(names).size < names.length) throw new Unsupported('chunks have no more than the name of their column')
  await parquetRead({ ...options, onChunk: ({ columnName, columnData, rowStart }) => {
    const column = columns[names.indexOf(columnName)]
    for (let at = 0; at < columnData.length; at++) column[Number(rowStart) + at] = columnData[at]
  } })
}

// A kind is a tagged type, and how a value of it is tagged.

const scalar = (type, tagged) => ({ type, tagged })

function kindOf(node) {
  const { element, children } = node
  const kind = children.length ? kindOfGroup(node) : kindOfLeaf(element)
  return element.repetition_type === 'REPEATED' ? listOf(kind) : kind
}

/** Return the kind of a list or map as src/schema.js recognizes it (isListLike, isMapLike), or of a struct. */
function kindOfGroup({ element, children }) {
  const [repeated] = children
  if (element.logical_type?.type === 'VARIANT') throw new Unsupported('values of VARIANT are given as JavaScript has them')
  const single = children.length === 1 && repeated.element.repetition_type === 'REPEATED'
  if (element.converted_type === 'LIST' && single && repeated.children.length <= 1) {
    return listOf(repeated.children.length ? kindOf(repeated.children[0]) : kindOfLeaf(repeated.element))
  }
  if (element.converted_type === 'MAP' && single && repeated.children.length === 2) {
    const [key, value] = ['key', 'value'].map(name => repeated.children.find(child => child.element.name === name))
    if (key && value) return mapOf(kindOf(key), kindOf(value))
  }
  return structOf(children)
}

function listOf(element) {
  return scalar(colconf.listOf(element.type), values => Array.from(values, value => tag(element, value)))
}

// A map is an object: its keys are texts, and those that are whole numbers come first, whatever their order in the file.
function mapOf(key, value) {
  if (key.type.kind !== 'string') throw new Unsupported('a map is an object, whose keys are texts')
  return scalar(colconf.mapOf(key.type, value.type), object => {
    const keys = Object.keys(object)
    if (keys.some(name => /^\d+$/.test(name))) throw new Unsupported('an object has no order of keys that are numbers')
    return keys.map(name => [colconf.text(name), tag(value, object[name])])
  })
}

function structOf(children) {
  const names = children.map(child => child.element.name)
  if (new Set(names).size < names.length) throw new Unsupported('an object has no two fields of one name')
  const kinds = children.map(kindOf)
  const type = colconf.structOf(names.map((name, at) => colconf.field(name, kinds[at].type)))
  return scalar(type, value => kinds.map((kind, at) => tag(kind, value[names[at]])))
}

function kindOfLeaf({ type, converted_type: converted, logical_type: logical }) {
  if (converted === 'DECIMAL') return double
  if (converted === 'DATE') return scalar(colconf.DATE, whole)
  if (converted === 'TIME_MILLIS' || converted === 'TIME_MICROS') return physical(type)
  if (logical?.type === 'TIMESTAMP') return scalar(colconf.timestamp(UNITS[logical.unit], logical.isAdjustedToUTC), whole)
  if (converted === 'TIMESTAMP_MILLIS') return scalar(colconf.timestamp('ms', true), whole)
  if (converted === 'TIMESTAMP_MICROS') return scalar(colconf.timestamp('us', true), whole)
  if (converted === 'UTF8' || logical?.type === 'STRING') return scalar(colconf.STRING, asStored)
  if (converted === 'JSON') return scalar(colconf.JSON_TEXT, colconf.utf8)
  if (logical?.type === 'UUID') return scalar(colconf.UUID, colconf.binary)
  if (logical?.type === 'GEOMETRY') return scalar(colconf.GEOMETRY, colconf.binary)
  if (logical?.type === 'GEOGRAPHY') return scalar(colconf.GEOGRAPHY, colconf.binary)
  if (logical?.type === 'FLOAT16') return scalar(colconf.floating(32), value => colconf.float(32, value))
  const [, unsigned, bits] = INTEGERS.exec(converted) ?? []
  const width = Number(bits) || logical?.bitWidth
  const isSigned = bits ? !unsigned : logical?.isSigned
  if (logical?.type === 'INTEGER' || bits) return width < 32 ? physical(type) : scalar(colconf.integer(width, isSigned), whole)
  return physical(type)
}

const whole = value => colconf.whole(typeof value === 'bigint' ? value : Number(value))
const double = scalar(colconf.floating(64), value => colconf.float(64, value))

function physical(type) {
  switch (type) {
    case 'BOOLEAN':
      return scalar(colconf.BOOL, asStored)
    case 'INT32':
      return scalar(colconf.integer(32), whole)
    case 'INT64':
      return scalar(colconf.integer(64), whole)
    case 'INT96': // of the parser timestampFromNanoseconds
      return scalar(colconf.INT96, whole)
    case 'FLOAT':
      return scalar(colconf.floating(32), value => colconf.float(32, value))
    case 'DOUBLE':
      return double
    default:
      return scalar(colconf.BYTES, colconf.binary)
  }
}

function tag(kind, value) {
  return value === undefined || value === null ? null : kind.tagged(value)
}

await colconf.serve({ describe, read })
