// The protocol between colconf and an engine in Go, and its tagged values.
//
// An engine calls serve. colconf writes one request a line to standard input, each of which is answered by one line
// on standard output. Nothing else may write there: os.Stdout is standard error while it serves. The protocol:
// colconf's docs/protocol.md.

package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"
)

const (
	version     = 3       // of the protocol
	blockRows   = 16384   // rows of a block, except for the last
	inlineBytes = 4 << 20 // of a table's blocks in a reply; larger tables go to a spill file
	maxMessage  = 4000
)

// Unsupported says that the engine, or this program, lacks what the file needs: neither right nor wrong.
type Unsupported string

func (e Unsupported) Error() string { return string(e) }

// misspoke is a table that is none: this program's own mistake.
type misspoke string

func (e misspoke) Error() string { return string(e) }

// Engine is the reader that is tested.
type Engine interface {
	// Describe returns the name (as in the manifest) and the version.
	Describe() (name, version string)
	// Read returns the table of a file, Unsupported, or the error that refuses the file. A panic is reported as such.
	Read(file, format string, config map[string]string) (*Table, error)
}

// Value is nil, a bool, a string, a Text, or a []Value: of lists and structs, and of pairs for maps.
type Value = any

// Table has fields, and for each a column of values.
type Table struct {
	Fields  []Field
	Columns [][]Value
	Rows    int
}

// Field is a column, or a field of a struct.
type Field struct {
	Name Text `json:"name"`
	Type Type `json:"type"`
}

// Types

// Type has its kind, and the parameters of that kind.
type Type map[string]any

// Simple is a type without parameters: null, bool, date, int96, interval, string, json, enum, bytes, uuid, bson, …
func Simple(kind string) Type { return Type{"kind": kind} }

// Integer is the type of integers of 8, 16, 32 or 64 bits.
func Integer(bits int, signed bool) Type { return Type{"kind": "int", "bits": bits, "signed": signed} }

// Floating is the type of floats of 16, 32 or 64 bits.
func Floating(bits int) Type { return Type{"kind": "float", "bits": bits} }

// Decimal is the type of decimals.
func Decimal(precision, scale int) Type {
	return Type{"kind": "decimal", "precision": precision, "scale": scale}
}

// Moment is the type of a "time" or "timestamp", counted in s, ms, us or ns; utc: not a wall clock.
func Moment(kind, unit string, utc bool) Type { return Type{"kind": kind, "unit": unit, "utc": utc} }

// ListOf is the type of lists.
func ListOf(element Type) Type { return nested("list", Field{Text("element"), element}) }

// StructOf is the type of structs.
func StructOf(fields ...Field) Type { return nested("struct", fields...) }

// MapOf is the type of maps.
func MapOf(key, value Type) Type {
	return nested("map", Field{Text("key"), key}, Field{Text("value"), value})
}

func nested(kind string, fields ...Field) Type { return Type{"kind": kind, "children": fields} }

// Values

// Whole tags an integer, or a count of days or units. (Of a big.Int: its String.)
func Whole(number int64) Value { return strconv.FormatInt(number, 10) }

// Float32 tags a float by its IEEE bits.
func Float32(number float32) Value { return fmt.Sprintf("%08x", math.Float32bits(number)) }

// Float64 tags a float by its IEEE bits.
func Float64(number float64) Value { return fmt.Sprintf("%016x", math.Float64bits(number)) }

// Binary tags a byte string.
func Binary(raw []byte) Value { return hex.EncodeToString(raw) }

// Text is the bytes of a text; those that are not UTF-8 become lone surrogates, U+DC80 to U+DCFF.
type Text string

// MarshalJSON returns a string of ASCII.
func (t Text) MarshalJSON() ([]byte, error) {
	out := []byte{'"'}
	for rest := string(t); rest != ""; {
		char, size := utf8.DecodeRuneInString(rest)
		switch {
		case char == utf8.RuneError && size == 1:
			out = append(out, fmt.Sprintf(`\udc%02x`, rest[0])...)
		case char == '"' || char == '\\':
			out = append(out, '\\', rest[0])
		case char >= ' ' && char <= '~':
			out = append(out, rest[0])
		case char > 0xFFFF:
			out = append(out, fmt.Sprintf(`\u%04x\u%04x`, 0xD7C0+char>>10, 0xDC00+char&0x3FF)...)
		default:
			out = append(out, fmt.Sprintf(`\u%04x`, char)...)
		}
		rest = rest[size:]
	}
	return append(out, '"'), nil
}

// The conversation

type request struct {
	V      json.Number       `json:"v"`
	ID     *int64            `json:"id"`
	Op     string            `json:"op"`
	File   string            `json:"file"`
	Format string            `json:"format"`
	Config map[string]string `json:"config"`
	Spill  string            `json:"spill"`
	Keys   json.RawMessage   `json:"keys"`
}

// serve replies to requests until `stop` or the end of standard input.
func serve(engine Engine) error {
	replies := bufio.NewWriter(os.Stdout)
	os.Stdout = os.Stderr
	requests := bufio.NewReader(os.Stdin)
	for {
		line, err := requests.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return nil
		} else if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		reply, stopped := answer(engine, line)
		if _, err := replies.Write(append(reply, '\n')); err != nil {
			return err
		}
		if err := replies.Flush(); err != nil || stopped {
			return err
		}
	}
}

func answer(engine Engine, line []byte) (reply []byte, stopped bool) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return failure(-1, "misspoke", err, "request"), false
	}
	if asked.ID == nil {
		return failure(-1, "misspoke", errors.New("no request"), "request"), false
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			reply = failure(*asked.ID, "panicked", fmt.Errorf("%v", panicked), asked.Op)
		}
	}()
	member, err := member(engine, &asked)
	var unsupported Unsupported
	var wrong misspoke
	switch {
	case errors.As(err, &wrong):
		return failure(*asked.ID, "misspoke", err, asked.Op), false
	case errors.As(err, &unsupported):
		return failure(*asked.ID, "unsupported", err, asked.Op), false
	case err != nil:
		return failure(*asked.ID, "refused", err, asked.Op), false
	}
	reply = []byte(fmt.Sprintf(`{"v":%d,"id":%d,`, version, *asked.ID))
	return append(append(reply, member...), '}'), asked.Op == "stop"
}

// member returns the member of a good reply.
func member(engine Engine, asked *request) ([]byte, error) {
	switch {
	case asked.V.String() != strconv.Itoa(version):
		return nil, Unsupported(fmt.Sprintf("version %s, not %d", asked.V, version))
	case asked.Op == "stop":
		return []byte(`"stopped":true`), nil
	case asked.Op == "describe":
		name, version := engine.Describe()
		description, err := json.Marshal(map[string]string{"name": name, "version": version})
		return append([]byte(`"description":`), description...), err
	case asked.Op != "read":
		return nil, Unsupported("this engine does not answer " + asked.Op)
	case asked.Keys != nil:
		return nil, Unsupported("this engine takes no keys")
	}
	table, err := engine.Read(asked.File, asked.Format, asked.Config)
	if err != nil {
		return nil, err
	}
	rendered, err := render(table, filepath.Join(asked.Spill, fmt.Sprintf("%d-0.jsonl", *asked.ID)))
	return append([]byte(`"table":`), rendered...), err
}

// render returns a table as JSON: with its blocks or, if they are large, in a file, a block a line.
func render(table *Table, spill string) ([]byte, error) {
	if len(table.Columns) != len(table.Fields) {
		return nil, misspoke(fmt.Sprintf("%d fields and %d columns", len(table.Fields), len(table.Columns)))
	}
	for _, column := range table.Columns {
		if len(column) != table.Rows {
			return nil, misspoke(fmt.Sprintf("%d values for %d rows", len(column), table.Rows))
		}
	}
	head, err := json.Marshal(map[string]any{"columns": table.Fields, "rows": table.Rows})
	if err != nil {
		return nil, err
	}
	var blocks bytes.Buffer
	for at := 0; at < table.Rows && len(table.Fields) > 0; at += blockRows {
		block := make([][]Value, len(table.Columns))
		for number, column := range table.Columns {
			block[number] = column[at:min(at+blockRows, table.Rows)]
		}
		text, err := json.Marshal(block)
		if err != nil {
			return nil, err
		}
		blocks.Write(append(text, '\n'))
	}
	out := bytes.NewBuffer(head[:len(head)-1])
	if blocks.Len() > inlineBytes {
		path, err := json.Marshal(spill)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(out, `,"spill":%s}`, path)
		return out.Bytes(), os.WriteFile(spill, blocks.Bytes(), 0o600)
	}
	inline := bytes.ReplaceAll(bytes.TrimSuffix(blocks.Bytes(), []byte{'\n'}), []byte{'\n'}, []byte{','})
	fmt.Fprintf(out, `,"blocks":[%s]}`, inline)
	return out.Bytes(), nil
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func failure(id int64, kind string, err error, phase string) []byte {
	message := []rune(err.Error())
	if len(message) > maxMessage {
		message = message[:maxMessage]
	}
	detail := map[string]string{
		"kind": kind, "class": fmt.Sprintf("%T", err), "message": string(message), "phase": phase,
	}
	reply, err := json.Marshal(map[string]any{"v": version, "id": id, "error": detail})
	if err != nil { // texts and numbers are always JSON
		panic(err)
	}
	return reply
}
