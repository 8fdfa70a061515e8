// Thrift's compact protocol, as far as Parquet's footer and page headers need it.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

/** The bytes of a buffer from `at` on; every read is checked against the end. */
export class Cursor {
  constructor(bytes, at = 0) {
    Object.assign(this, { bytes, at })
  }

  take(size) {
    if (size < 0 || this.at + size > this.bytes.length) throw new Error(`${size} bytes at ${this.at} are not there`)
    this.at += size
    return this.bytes.subarray(this.at - size, this.at)
  }

  byte() {
    return this.take(1)[0]
  }

  varint() {
    let number = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte()
      number |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return number
    }
    throw new Error(`a varint at ${this.at} is longer than 10 bytes`)
  }

  zigzag() {
    const number = this.varint()
    return Number((number >> 1n) ^ -(number & 1n))
  }

  /** Return the fields of a struct by their ids. */
  struct(depth = 0) {
    const fields = {}
    for (let id = 0, head = this.byte(); head !== 0; head = this.byte()) {
      id = head >> 4 ? id + (head >> 4) : this.zigzag()
      fields[id] = (head & 15) <= 2 ? (head & 15) === 1 : this.value(head & 15, depth)
    }
    return fields
  }

  /** Return `size` elements, each a value of each of the types. */
  list(size, types, depth) {
    if (size > this.bytes.length) throw new Error(`a list of ${size} elements is longer than the file`)
    return Array.from({ length: size }, () => types.map(type => this.value(type, depth))).flat()
  }

  value(type, depth) {
    if (depth > 32) throw new Error('structs are nested too deep')
    switch (type) {
      case 1:
      case 2:
        return this.byte() === 1 // of a list
      case 3:
        return this.byte()
      case 4:
      case 5:
      case 6:
        return this.zigzag()
      case 7:
        return this.take(8)
      case 13: // a UUID
        return this.take(16)
      case 8:
        return this.take(Number(this.varint()))
      case 9:
      case 10: {
        const head = this.byte()
        return this.list(head >> 4 === 15 ? Number(this.varint()) : head >> 4, [head & 15], depth + 1)
      }
      case 11: {
        const size = Number(this.varint())
        const types = size ? this.byte() : 0
        return this.list(size, [types >> 4, types & 15], depth + 1)
      }
      case 12:
        return this.struct(depth + 1)
      default:
        throw new Error(`type ${type} of Thrift is not in Parquet's metadata`)
    }
  }
}
