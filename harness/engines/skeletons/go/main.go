// A reader of Parquet that reads one type: INT32, in PLAIN pages without compression. It refuses the rest.
//
// It is here to be replaced: put the reader that is to be tested into Read, and describe it in Describe.

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
)

const (
	typeInt32      = int64(1)
	required       = int64(0)
	optional       = int64(1)
	plain          = int64(0)
	rle            = int64(3)
	dataPage       = int64(0)
	indexPage      = int64(1)
	dataPageV2     = int64(3)
	convertedInt32 = int64(17)
	logicalInteger = int64(10)
	mostValues     = int64(1 << 24) // of a column chunk: a file of a few bytes may claim any number of nulls
)

type leaf struct {
	name     Text
	optional bool
}

type reader struct{}

func (reader) Describe() (name, version string) { return "my_reader", "0.1.0" }

func (reader) Read(file, format string, config map[string]string) (table *Table, err error) {
	if format != "parquet" {
		return nil, Unsupported("no reader of " + format)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case malformed:
			err = errors.New(string(reason))
		case Unsupported:
			err = reason
		default:
			panic(reason)
		}
	}()
	return read(data), nil
}

func read(data []byte) *Table {
	footer := footerOf(data)
	leaves := leavesOf(footer.list(2))
	table := &Table{Columns: make([][]Value, len(leaves)), Rows: int(footer.number(3))}
	for _, leaf := range leaves {
		table.Fields = append(table.Fields, Field{leaf.name, Integer(32, true)})
	}
	groups := []any{}
	if footer[4] != nil {
		groups = footer.list(4)
	}
	for _, item := range groups {
		group, _ := item.(fields)
		chunks := group.list(1)
		if len(chunks) != len(leaves) {
			panic(malformed("a row group has another number of columns"))
		}
		for at, chunk := range chunks {
			chunk, _ := chunk.(fields)
			table.Columns[at] = append(table.Columns[at], readChunk(data, chunk, leaves[at], group.number(3))...)
		}
	}
	for _, column := range table.Columns {
		if len(column) != table.Rows {
			panic(malformed(fmt.Sprintf("the row groups have not the %d rows of the file", table.Rows)))
		}
	}
	return table
}

// footerOf returns the footer; behind it are its length in 4 bytes, and "PAR1".
func footerOf(data []byte) fields {
	if bytes.HasSuffix(data, []byte("PARE")) {
		panic(Unsupported("the footer is encrypted"))
	}
	if len(data) < 12 || !bytes.HasSuffix(data, []byte("PAR1")) {
		panic(malformed("no file of Parquet"))
	}
	end := int64(len(data) - 8)
	size := int64(binary.LittleEndian.Uint32(data[end:]))
	if size > end-4 {
		panic(malformed(fmt.Sprintf("a footer of %d bytes is longer than the file", size)))
	}
	return (&cursor{bytes: data[end-size : end]}).fields(0)
}

func leavesOf(schema []any) []leaf {
	var leaves []leaf
	for at, item := range schema {
		element, _ := item.(fields)
		if at == 0 {
			continue // the root
		}
		name := Text(must[[]byte](element, 4))
		annotation, _ := element[10].(fields)
		integer, _ := annotation[logicalInteger].(fields)
		signed := integer[1] == int64(32) && integer[2] == true
		known := element[6] == nil && element[10] == nil || element[6] == convertedInt32 || signed
		if element[5] != nil || element[1] != typeInt32 || !known {
			panic(Unsupported(fmt.Sprintf("column %q is no INT32", name)))
		}
		repetition := element.number(3)
		if repetition != required && repetition != optional {
			panic(Unsupported(fmt.Sprintf("column %q is repeated", name)))
		}
		leaves = append(leaves, leaf{name, repetition == optional})
	}
	if len(leaves) == 0 {
		panic(Unsupported("no column"))
	}
	return leaves
}

func readChunk(data []byte, chunk fields, leaf leaf, rows int64) []Value {
	if chunk[3] == nil || chunk[1] != nil {
		panic(Unsupported("a column chunk in another place"))
	}
	meta := chunk.fields(3)
	if meta.number(4) != 0 {
		panic(Unsupported(fmt.Sprintf("codec %d", meta.number(4))))
	}
	at := &cursor{bytes: data}
	at.take(meta.number(9))
	if meta.number(5) > mostValues {
		panic(Unsupported(fmt.Sprintf("a column chunk of %d values", meta.number(5))))
	}
	var values []Value
	for int64(len(values)) < meta.number(5) {
		header := at.fields(0)
		values = append(values, readPage(header, at.take(header.number(3)), leaf, meta.number(5)-int64(len(values)))...)
	}
	if int64(len(values)) != meta.number(5) || meta.number(5) != rows {
		panic(malformed(fmt.Sprintf("%d values for %d rows", meta.number(5), rows)))
	}
	return values
}

// readPage returns the values of a page, of which its chunk has at most most.
func readPage(header fields, page []byte, leaf leaf, most int64) []Value {
	kind := header.number(1)
	if kind == indexPage {
		return nil
	}
	if kind != dataPage && kind != dataPageV2 {
		panic(Unsupported(fmt.Sprintf("a page of type %d", kind)))
	}
	second := kind == dataPageV2
	details, encoding := header[5], int64(2)
	if second {
		details, encoding = header[8], 4
	}
	about, _ := details.(fields)
	if about.number(encoding) != plain {
		panic(Unsupported(fmt.Sprintf("encoding %d", about.number(encoding))))
	}
	count, at := about.number(1), &cursor{bytes: page}
	if count < 0 || count > most {
		panic(malformed(fmt.Sprintf("a page of %d values, where %d are left", count, most)))
	}
	var present []byte
	switch {
	case leaf.optional && second:
		present = levels(at.take(about.number(5)), count)
	case leaf.optional:
		if about.number(3) != rle {
			panic(Unsupported("levels in another encoding"))
		}
		present = levels(at.take(int64(binary.LittleEndian.Uint32(at.take(4)))), count)
	case second:
		at.take(about.number(5))
	}
	var values []Value
	for number := int64(0); number < count; number++ {
		if present == nil || present[number] == 1 {
			values = append(values, Whole(int64(int32(binary.LittleEndian.Uint32(at.take(4))))))
		} else {
			values = append(values, nil)
		}
	}
	return values
}

// levels returns levels of one bit: a hybrid of runs and bit-packed groups of 8 (Encodings.md, RLE).
func levels(data []byte, count int64) []byte {
	at, out := &cursor{bytes: data}, []byte{}
	for int64(len(out)) < count {
		head := at.varint()
		if head == 0 {
			panic(malformed("a run of no levels"))
		}
		if head&1 == 1 {
			for _, packed := range at.take(int64(head >> 1)) {
				for bit := 0; bit < 8; bit++ {
					out = append(out, packed>>bit&1)
				}
			}
			continue
		}
		level := at.byte()
		for left := head >> 1; left > 0 && int64(len(out)) < count; left-- {
			out = append(out, level)
		}
	}
	return out
}

func main() {
	if err := serve(reader{}); err != nil {
		log.Fatal(err)
	}
}
