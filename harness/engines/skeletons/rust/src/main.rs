//! A reader of Parquet that reads one type: INT32, in PLAIN pages without compression. It refuses the rest.
//!
//! It is here to be replaced: put the reader that is to be tested into `read`, and describe it in `describe`.

mod colconf;
mod json;
mod thrift;

use colconf::{Engine, Failure, Table};
use json::Json;
use std::path::Path;
use thrift::{field, Cursor, Struct, Value};

const INT32: i64 = 1;
const REQUIRED: i64 = 0;
const OPTIONAL: i64 = 1;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const DATA_PAGE: i64 = 0;
const INDEX_PAGE: i64 = 1;
const DATA_PAGE_V2: i64 = 3;
const INT_32: i64 = 17; // of ConvertedType
const INTEGER: i64 = 10; // of LogicalType
const MOST_VALUES: i64 = 1 << 24; // of a column chunk: a file of a few bytes may claim any number of nulls

struct Leaf {
    name: Json,
    optional: bool,
}

struct Reader;

impl Engine for Reader {
    fn describe(&self) -> (String, String) {
        ("my_reader".to_string(), env!("CARGO_PKG_VERSION").to_string())
    }

    fn read(&self, file: &Path, format: &str, _config: &Json) -> Result<Table, Failure> {
        if format != "parquet" {
            return Failure::unsupported(format!("no reader of {format}"));
        }
        let bytes = std::fs::read(file)?;
        let footer = footer(&bytes)?;
        let leaves = leaves(field(&footer, 2)?.list()?)?;
        let mut columns: Vec<Vec<Json>> = leaves.iter().map(|_| Vec::new()).collect();
        for group in footer.get(&4).map_or(Ok(&[][..]), Value::list)? {
            let chunks = field(group.fields()?, 1)?.list()?;
            if chunks.len() != leaves.len() {
                return Failure::refused("a row group has another number of columns");
            }
            let rows = field(group.fields()?, 3)?.integer()?;
            for ((chunk, leaf), column) in chunks.iter().zip(&leaves).zip(&mut columns) {
                read_chunk(&bytes, chunk.fields()?, leaf, rows, column)?;
            }
        }
        let rows = usize::try_from(field(&footer, 3)?.integer()?).unwrap_or(usize::MAX);
        if columns.iter().any(|column| column.len() != rows) {
            return Failure::refused(format!("the row groups have not the {rows} rows of the file"));
        }
        let fields = leaves.into_iter().map(|leaf| (leaf.name, colconf::integer(32, true))).collect();
        Ok(Table { fields, columns, rows })
    }
}

/// Return the footer; behind it are its length in 4 bytes, and "PAR1".
fn footer(bytes: &[u8]) -> Result<Struct, Failure> {
    if bytes.ends_with(b"PARE") {
        return Failure::unsupported("the footer is encrypted");
    }
    if bytes.len() < 12 || !bytes.ends_with(b"PAR1") {
        return Failure::refused("no file of Parquet");
    }
    let end = bytes.len() - 8;
    let size = little_endian(&bytes[end..end + 4]) as u32 as usize;
    if size > end - 4 {
        return Failure::refused(format!("a footer of {size} bytes is longer than the file"));
    }
    Cursor::new(&bytes[end - size..end]).fields(0)
}

fn leaves(schema: &[Value]) -> Result<Vec<Leaf>, Failure> {
    let mut leaves = Vec::new();
    for element in schema.iter().skip(1) {
        let element = element.fields()?;
        let name = colconf::text(field(element, 4)?.bytes()?);
        let converted = element.get(&6).map(Value::integer).transpose()?;
        let annotation = element.get(&10).map(Value::fields).transpose()?;
        let integer = annotation.and_then(|union| union.get(&INTEGER)).map(Value::fields).transpose()?;
        let signed = integer.is_some_and(|integer| {
            matches!((integer.get(&1), integer.get(&2)), (Some(Value::Integer(32)), Some(Value::Bool(true))))
        });
        let plain = converted.is_none() && annotation.is_none();
        let stored = element.get(&1).map(Value::integer).transpose()?;
        if element.contains_key(&5) || stored != Some(INT32) || !(plain || signed || converted == Some(INT_32)) {
            return Failure::unsupported(format!("column {name:?} is no INT32"));
        }
        let repetition = field(element, 3)?.integer()?;
        if repetition != REQUIRED && repetition != OPTIONAL {
            return Failure::unsupported(format!("column {name:?} is repeated"));
        }
        leaves.push(Leaf { name, optional: repetition == OPTIONAL });
    }
    if leaves.is_empty() {
        return Failure::unsupported("no column");
    }
    Ok(leaves)
}

/// Append the values of a column chunk.
fn read_chunk(bytes: &[u8], chunk: &Struct, leaf: &Leaf, rows: i64, column: &mut Vec<Json>) -> Result<(), Failure> {
    let meta = match chunk.get(&3) {
        Some(meta) if !chunk.contains_key(&1) => meta.fields()?,
        _ => return Failure::unsupported("a column chunk in another place"),
    };
    let codec = field(meta, 4)?.integer()?;
    if codec != 0 {
        return Failure::unsupported(format!("codec {codec}"));
    }
    let values = field(meta, 5)?.integer()?;
    let mut cursor = Cursor::new(bytes);
    cursor.take(field(meta, 9)?.integer()?)?;
    let begin = column.len() as i64;
    if values > MOST_VALUES {
        return Failure::unsupported(format!("a column chunk of {values} values"));
    }
    while (column.len() as i64) - begin < values {
        let header = cursor.fields(0)?;
        let page = cursor.take(field(&header, 3)?.integer()?)?;
        read_page(&header, page, leaf, column, values - (column.len() as i64 - begin))?;
    }
    if column.len() as i64 - begin != values || values != rows {
        return Failure::refused(format!("{values} values for {rows} rows"));
    }
    Ok(())
}

/// Append the values of a page, of which its chunk has at most `most`.
fn read_page(header: &Struct, page: &[u8], leaf: &Leaf, column: &mut Vec<Json>, most: i64) -> Result<(), Failure> {
    let kind = field(header, 1)?.integer()?;
    if kind == INDEX_PAGE {
        return Ok(());
    }
    if kind != DATA_PAGE && kind != DATA_PAGE_V2 {
        return Failure::unsupported(format!("a page of type {kind}"));
    }
    let second = kind == DATA_PAGE_V2;
    let details = field(header, if second { 8 } else { 5 })?.fields()?;
    let encoding = field(details, if second { 4 } else { 2 })?.integer()?;
    if encoding != PLAIN {
        return Failure::unsupported(format!("encoding {encoding}"));
    }
    let count = field(details, 1)?.integer()?;
    if !(0..=most).contains(&count) {
        return Failure::refused(format!("a page of {count} values, where {most} are left"));
    }
    let mut cursor = Cursor::new(page);
    let mut present = None;
    if leaf.optional {
        if !second && field(details, 3)?.integer()? != RLE {
            return Failure::unsupported("levels in another encoding");
        }
        let size = if second {
            field(details, 5)?.integer()?
        } else {
            i64::from(little_endian(cursor.take(4)?) as u32)
        };
        present = Some(levels(cursor.take(size)?, count)?);
    } else if second {
        cursor.take(field(details, 5)?.integer()?)?;
    }
    for at in 0..count {
        let is_there = present.as_ref().is_none_or(|levels| levels[at as usize] == 1);
        column.push(if is_there { colconf::whole(little_endian(cursor.take(4)?)) } else { Json::Null });
    }
    Ok(())
}

/// Return levels of one bit: a hybrid of runs and bit-packed groups of 8 (Encodings.md, RLE).
fn levels(bytes: &[u8], count: i64) -> Result<Vec<u8>, Failure> {
    let mut cursor = Cursor::new(bytes);
    let mut out = Vec::new();
    while (out.len() as i64) < count {
        let head = cursor.varint()?;
        if head == 0 {
            return Failure::refused("a run of no levels");
        }
        if head & 1 == 1 {
            for byte in cursor.take((head >> 1) as i64)? {
                out.extend((0..8).map(|bit| byte >> bit & 1));
            }
        } else {
            let level = cursor.byte()?;
            let size = (head >> 1).min(count as u64 - out.len() as u64) as usize;
            out.resize(out.len() + size, level);
        }
    }
    Ok(out)
}

fn little_endian(bytes: &[u8]) -> i32 {
    i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn main() -> std::io::Result<()> {
    colconf::serve(&Reader)
}
