//! Thrift's compact protocol, as far as Parquet's footer and page headers need it; every read is checked.
//!
//! https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

use crate::colconf::Failure;
use std::collections::BTreeMap;

const DEPTH: usize = 32;

pub type Struct = BTreeMap<i64, Value>;

/// A value of Thrift; maps are lists of keys and values in turn.
#[derive(Debug)]
pub enum Value {
    Bool(bool),
    Integer(i64),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Struct(Struct),
}

impl Value {
    pub fn integer(&self) -> Result<i64, Failure> {
        match self {
            Value::Integer(number) => Ok(*number),
            _ => Failure::refused("a field of Thrift is no integer"),
        }
    }

    pub fn bytes(&self) -> Result<&[u8], Failure> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Failure::refused("a field of Thrift is no text"),
        }
    }

    pub fn list(&self) -> Result<&[Value], Failure> {
        match self {
            Value::List(values) => Ok(values),
            _ => Failure::refused("a field of Thrift is no list"),
        }
    }

    pub fn fields(&self) -> Result<&Struct, Failure> {
        match self {
            Value::Struct(fields) => Ok(fields),
            _ => Failure::refused("a field of Thrift is no struct"),
        }
    }
}

/// Return a field of a struct that must be there.
pub fn field(fields: &Struct, id: i64) -> Result<&Value, Failure> {
    fields.get(&id).map_or_else(|| Failure::refused(format!("field {id} is missing")), Ok)
}

/// The bytes of a buffer from `at` on.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    pub fn take(&mut self, size: i64) -> Result<&'a [u8], Failure> {
        let left = self.bytes.len() - self.at;
        match usize::try_from(size) {
            Ok(size) if size <= left => {
                self.at += size;
                Ok(&self.bytes[self.at - size..self.at])
            }
            _ => Failure::refused(format!("{size} bytes at {} are not there", self.at)),
        }
    }

    pub fn byte(&mut self) -> Result<u8, Failure> {
        Ok(self.take(1)?[0])
    }

    pub fn varint(&mut self) -> Result<u64, Failure> {
        let mut number = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            if shift < 64 {
                number |= u64::from(byte & 0x7f) << shift;
            }
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Failure::refused("a varint is longer than 10 bytes")
    }

    pub fn zigzag(&mut self) -> Result<i64, Failure> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Return the fields of a struct by their ids.
    pub fn fields(&mut self, depth: usize) -> Result<Struct, Failure> {
        let mut fields = Struct::new();
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(fields);
            }
            id = if head >> 4 == 0 { self.zigzag()? } else { id.wrapping_add(i64::from(head >> 4)) };
            let value = match head & 15 {
                kind @ (1 | 2) => Value::Bool(kind == 1),
                kind => self.value(kind, depth)?,
            };
            fields.insert(id, value);
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Result<Value, Failure> {
        if depth > DEPTH {
            return Failure::refused("structs are nested too deep");
        }
        Ok(match kind {
            1 | 2 => Value::Bool(self.byte()? == 1), // of a list
            3 => Value::Integer(i64::from(self.byte()?)),
            4..=6 => Value::Integer(self.zigzag()?),
            7 => Value::Bytes(self.take(8)?.to_vec()),
            13 => Value::Bytes(self.take(16)?.to_vec()), // a UUID
            8 => {
                let size = self.varint()? as i64;
                Value::Bytes(self.take(size)?.to_vec())
            }
            9 | 10 => {
                let head = self.byte()?;
                let size = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                self.list(size, &[head & 15], depth)?
            }
            11 => {
                let size = self.varint()?;
                let kinds = if size == 0 { 0 } else { self.byte()? };
                self.list(size, &[kinds >> 4, kinds & 15], depth)?
            }
            12 => Value::Struct(self.fields(depth + 1)?),
            _ => return Failure::refused(format!("type {kind} is unknown to Thrift")),
        })
    }

    fn list(&mut self, size: u64, kinds: &[u8], depth: usize) -> Result<Value, Failure> {
        if size > self.bytes.len() as u64 {
            return Failure::refused(format!("a list of {size} elements is longer than the file"));
        }
        let mut values = Vec::new();
        for _ in 0..size {
            for kind in kinds {
                values.push(self.value(*kind, depth + 1)?);
            }
        }
        Ok(Value::List(values))
    }
}
