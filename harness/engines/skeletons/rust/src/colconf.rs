//! The protocol between colconf and an engine in Rust, and its tagged values.
//!
//! An engine calls `serve`. colconf writes one request a line to standard input, each of which is answered by one
//! line on standard output. Nothing else may write there (no `println!`). The protocol: colconf's docs/protocol.md.
#![allow(dead_code)] // types and values that a reader does not have yet

use crate::json::{write_escaped, Json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};

const VERSION: i64 = 3; // of the protocol
const BLOCK_ROWS: usize = 16_384; // rows of a block, except for the last
const INLINE_BYTES: usize = 4 << 20; // of a table's blocks in a reply; larger tables go to a spill file
const MAX_MESSAGE: usize = 4_000;

/// Why a file is not read.
#[derive(Debug)]
pub enum Failure {
    /// The engine, or this program, does not support what the file needs: neither right nor wrong.
    Unsupported(String),
    /// The file is refused.
    Refused(String),
    /// A table is none: this program's own mistake.
    Misspoke(String),
}

impl Failure {
    pub fn unsupported<T>(message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure::Unsupported(message.into()))
    }

    pub fn refused<T>(message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure::Refused(message.into()))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Refused(error.to_string())
    }
}

/// The reader that is tested.
pub trait Engine {
    /// Return the name (as in the manifest) and the version.
    fn describe(&self) -> (String, String);

    /// Return the table of a file; `config` has the manifest's switches. A panic is reported as `panicked`.
    fn read(&self, file: &Path, format: &str, config: &Json) -> Result<Table, Failure>;
}

/// A name, which is tagged text, and a type.
pub type Field = (Json, Json);

/// Fields, and for each a column of tagged values.
pub struct Table {
    pub fields: Vec<Field>,
    pub columns: Vec<Vec<Json>>,
    pub rows: usize,
}

// Types

/// Return a type without parameters: null, bool, date, int96, interval, string, json, enum, bytes, uuid, bson, …
pub fn simple(kind: &str) -> Json {
    object([("kind", Json::Text(kind.to_string()))])
}

pub fn integer(bits: u8, signed: bool) -> Json {
    object([("kind", Json::Text("int".to_string())), ("bits", number(bits)), ("signed", Json::Bool(signed))])
}

pub fn floating(bits: u8) -> Json {
    object([("kind", Json::Text("float".to_string())), ("bits", number(bits))])
}

pub fn decimal(precision: u32, scale: i32) -> Json {
    let kind = Json::Text("decimal".to_string());
    object([("kind", kind), ("precision", number(precision)), ("scale", number(scale))])
}

/// Return the type of "time" or "timestamp" counted in s, ms, us or ns; `utc`: not a wall clock.
pub fn moment(kind: &str, unit: &str, utc: bool) -> Json {
    let unit = Json::Text(unit.to_string());
    object([("kind", Json::Text(kind.to_string())), ("unit", unit), ("utc", Json::Bool(utc))])
}

pub fn list_of(element: Json) -> Json {
    nested("list", &[(Json::Text("element".to_string()), element)])
}

pub fn map_of(key: Json, value: Json) -> Json {
    nested("map", &[(Json::Text("key".to_string()), key), (Json::Text("value".to_string()), value)])
}

pub fn struct_of(fields: &[Field]) -> Json {
    nested("struct", fields)
}

fn nested(kind: &str, fields: &[Field]) -> Json {
    object([("kind", Json::Text(kind.to_string())), ("children", list_of_fields(fields))])
}

fn list_of_fields(fields: &[Field]) -> Json {
    let fields = fields.iter().map(|(name, kind)| object([("name", name.clone()), ("type", kind.clone())]));
    Json::List(fields.collect())
}

// Values: `Json::Null`, `Json::Bool`; `Json::List` for lists and structs, and of pairs for maps

/// Tag an integer, a decimal's unscaled integer, or a count of days or units.
pub fn whole(value: impl std::fmt::Display) -> Json {
    Json::Text(value.to_string())
}

/// Tag a float of 32 bits by its IEEE bits.
pub fn float32(value: f32) -> Json {
    Json::Text(format!("{:08x}", value.to_bits()))
}

/// Tag a float of 64 bits by its IEEE bits.
pub fn float64(value: f64) -> Json {
    Json::Text(format!("{:016x}", value.to_bits()))
}

/// Tag a byte string.
pub fn binary(bytes: &[u8]) -> Json {
    Json::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Tag the bytes of a text; those that are not UTF-8 become lone surrogates, U+DC80 to U+DCFF.
pub fn text(bytes: &[u8]) -> Json {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        write_escaped(chunk.valid(), &mut out);
        for byte in chunk.invalid() {
            out.push_str(&format!("\\udc{byte:02x}"));
        }
    }
    out.push('"');
    Json::Raw(out)
}

fn number(value: impl std::fmt::Display) -> Json {
    Json::Number(value.to_string())
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect::<BTreeMap<_, _>>())
}

// The conversation

/// Reply to requests until `stop` or the end of standard input.
pub fn serve(engine: &impl Engine) -> io::Result<()> {
    let mut replies = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        let request = String::from_utf8(line?).map_err(|error| error.to_string()).and_then(|line| Json::parse(&line));
        let (reply, stopped) = answer(engine, request);
        replies.write_all(reply.as_bytes())?;
        replies.write_all(b"\n")?;
        replies.flush()?;
        if stopped {
            break;
        }
    }
    Ok(())
}

fn answer(engine: &impl Engine, request: Result<Json, String>) -> (String, bool) {
    let request = match request {
        Ok(request) => request,
        Err(message) => return (failure(-1, "misspoke", &message, "request"), false),
    };
    let (Some(id), Some(op)) =
        (request.get("id").and_then(Json::as_integer), request.get("op").and_then(Json::as_text))
    else {
        return (failure(-1, "misspoke", "no request", "request"), false);
    };
    if request.get("v").and_then(Json::as_integer) != Some(VERSION) {
        return (failure(id, "unsupported", &format!("a version that is not {VERSION}"), op), false);
    }
    if op == "stop" {
        return (good(id, "\"stopped\":true"), true);
    }
    let reply = match catch_unwind(AssertUnwindSafe(|| member(engine, op, id, &request))) {
        Ok(Ok(member)) => good(id, &member),
        Ok(Err(Failure::Unsupported(message))) => failure(id, "unsupported", &message, op),
        Ok(Err(Failure::Refused(message))) => failure(id, "refused", &message, op),
        Ok(Err(Failure::Misspoke(message))) => failure(id, "misspoke", &message, op),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
            let message = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            failure(id, "panicked", &message, op)
        }
    };
    (reply, false)
}

/// Return the member of a good reply.
fn member(engine: &impl Engine, op: &str, id: i64, request: &Json) -> Result<String, Failure> {
    if op == "describe" {
        let (name, version) = engine.describe();
        let mut out = String::from("\"description\":");
        object([("name", Json::Text(name)), ("version", Json::Text(version))]).write(&mut out);
        return Ok(out);
    }
    if op != "read" || request.get("keys").is_some() {
        return Failure::unsupported(format!("this engine does not answer {op}, or takes no keys"));
    }
    let field = |name: &str| request.get(name).and_then(Json::as_text).unwrap_or_default();
    let config = request.get("config").cloned().unwrap_or(Json::Null);
    let table = engine.read(Path::new(field("file")), field("format"), &config)?;
    let spill = PathBuf::from(field("spill")).join(format!("{id}-0.jsonl"));
    Ok(format!("\"table\":{}", render(&table, &spill)?))
}

/// Return a table as JSON: with its blocks or, if they are large, in a file, a block a line.
fn render(table: &Table, spill: &Path) -> Result<String, Failure> {
    if table.fields.len() != table.columns.len() || table.columns.iter().any(|column| column.len() != table.rows) {
        return Err(Failure::Misspoke(format!("a column has not the {} values of the rows", table.rows)));
    }
    let mut out = String::new();
    object([("columns", list_of_fields(&table.fields)), ("rows", number(table.rows))]).write(&mut out);
    out.pop();
    let mut starts = (0..if table.fields.is_empty() { 0 } else { table.rows }).step_by(BLOCK_ROWS);
    let mut blocks: Vec<String> = Vec::new();
    let mut used = 0;
    for start in starts.by_ref() {
        blocks.push(block(table, start));
        used += blocks[blocks.len() - 1].len();
        if used > INLINE_BYTES {
            break;
        }
    }
    if used <= INLINE_BYTES {
        return Ok(format!("{out},\"blocks\":[{}]}}", blocks.join(",")));
    }
    let mut file = BufWriter::new(File::create(spill)?);
    for block in blocks.into_iter().chain(starts.map(|start| block(table, start))) {
        writeln!(file, "{block}")?;
    }
    file.flush()?;
    out.push_str(",\"spill\":");
    Json::Text(spill.to_string_lossy().into_owned()).write(&mut out);
    Ok(out + "}")
}

fn block(table: &Table, start: usize) -> String {
    let mut out = String::new();
    let cut = |column: &Vec<Json>| Json::List(column[start..table.rows.min(start + BLOCK_ROWS)].to_vec());
    Json::List(table.columns.iter().map(cut).collect()).write(&mut out);
    out
}

fn good(id: i64, member: &str) -> String {
    format!("{{\"v\":{VERSION},\"id\":{id},{member}}}")
}

fn failure(id: i64, kind: &str, message: &str, phase: &str) -> String {
    let message = Json::Text(message.chars().take(MAX_MESSAGE).collect());
    let [kind, phase] = [kind, phase].map(|text| Json::Text(text.to_string()));
    let texts = [("kind", kind), ("message", message), ("phase", phase)];
    let mut out = String::new();
    object([("v", number(VERSION)), ("id", number(id)), ("error", object(texts))]).write(&mut out);
    out
}
