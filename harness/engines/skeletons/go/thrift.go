package main

import (
	"encoding/binary"
	"fmt"
)

// Thrift's compact protocol, as far as Parquet's footer and page headers need it; every read is checked.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

const depthLimit = 32

// fields are those of a struct by their ids: bool, int64, []byte, []any or fields. Maps are lists of keys and values.
type fields map[int64]any

// malformed is the panic of a cursor, which Read turns into an error.
type malformed string

// cursor is the bytes of a buffer from at on.
type cursor struct {
	bytes []byte
	at    int64
}

func (c *cursor) take(size int64) []byte {
	if size < 0 || c.at < 0 || c.at > int64(len(c.bytes)) || size > int64(len(c.bytes))-c.at {
		panic(malformed(fmt.Sprintf("%d bytes at %d are not there", size, c.at)))
	}
	c.at += size
	return c.bytes[c.at-size : c.at]
}

func (c *cursor) byte() byte { return c.take(1)[0] }

func (c *cursor) varint() uint64 {
	number, size := binary.Uvarint(c.bytes[c.at:])
	if size <= 0 {
		panic(malformed(fmt.Sprintf("no varint at %d", c.at)))
	}
	c.at += int64(size)
	return number
}

func (c *cursor) zigzag() int64 {
	number := c.varint()
	return int64(number>>1) ^ -int64(number&1)
}

func (c *cursor) fields(depth int) fields {
	out := fields{}
	var id int64
	for head := c.byte(); head != 0; head = c.byte() {
		if head>>4 == 0 {
			id = c.zigzag()
		} else {
			id += int64(head >> 4)
		}
		if kind := head & 15; kind <= 2 {
			out[id] = kind == 1
		} else {
			out[id] = c.value(kind, depth)
		}
	}
	return out
}

func (c *cursor) value(kind byte, depth int) any {
	if depth > depthLimit {
		panic(malformed("structs are nested too deep"))
	}
	switch kind {
	case 1, 2: // of a list
		return c.byte() == 1
	case 3:
		return int64(c.byte())
	case 4, 5, 6:
		return c.zigzag()
	case 7:
		return c.take(8)
	case 8:
		return c.take(int64(c.varint()))
	case 9, 10:
		head := c.byte()
		size := uint64(head >> 4)
		if size == 15 {
			size = c.varint()
		}
		return c.list(size, depth, head&15)
	case 11:
		size := c.varint()
		if size == 0 {
			return []any{}
		}
		kinds := c.byte()
		return c.list(size, depth, kinds>>4, kinds&15)
	case 12:
		return c.fields(depth + 1)
	case 13:
		return c.take(16) // a UUID
	}
	panic(malformed(fmt.Sprintf("type %d is unknown to Thrift", kind)))
}

func (c *cursor) list(size uint64, depth int, kinds ...byte) []any {
	if size > uint64(len(c.bytes)) {
		panic(malformed(fmt.Sprintf("a list of %d elements is longer than the file", size)))
	}
	out := []any{}
	for ; size > 0; size-- {
		for _, kind := range kinds {
			out = append(out, c.value(kind, depth+1))
		}
	}
	return out
}

// The fields of a struct as what they must be: one that is missing or of another type is malformed.

func must[T any](f fields, id int64) T {
	value, ok := f[id].(T)
	if !ok {
		panic(malformed(fmt.Sprintf("field %d is missing, or of another type", id)))
	}
	return value
}

func (f fields) number(id int64) int64 { return must[int64](f, id) }

func (f fields) list(id int64) []any { return must[[]any](f, id) }

func (f fields) fields(id int64) fields { return must[fields](f, id) }
