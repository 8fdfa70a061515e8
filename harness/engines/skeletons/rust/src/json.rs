//! JSON, as far as requests and replies need it.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
    /// Text of JSON that is written as it is: strings with lone surrogates, which no `String` holds.
    Raw(String),
}

impl Json {
    /// Return a member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.get(name),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// Append the text of the value, which is ASCII.
    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(text) | Json::Raw(text) => out.push_str(text),
            Json::Text(text) => write_text(text, out),
            Json::List(values) => {
                out.push('[');
                for (at, value) in values.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    value.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Return the value of a text, or what is wrong with it.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut parser = Parser { bytes: text.as_bytes(), at: 0 };
        let value = parser.value(0)?;
        parser.space();
        if parser.at < text.len() {
            return Err(parser.error());
        }
        Ok(value)
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    write_escaped(text, out);
    out.push('"');
}

/// Append the text between the quotes of a string.
pub fn write_escaped(text: &str, out: &mut String) {
    for unit in text.encode_utf16() {
        match unit {
            0x22 | 0x5c => {
                out.push('\\');
                out.push(unit as u8 as char);
            }
            0x20..=0x7e => out.push(unit as u8 as char),
            _ => write!(out, "\\u{unit:04x}").expect("a String takes any text"),
        }
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > 100 {
            return Err("nested too deep".to_string());
        }
        self.space();
        match self.peek()? {
            b'{' => {
                let mut members = BTreeMap::new();
                while self.follows(b'}', members.is_empty())? {
                    let name = self.text()?;
                    self.space();
                    self.expect(b':')?;
                    members.insert(name, self.value(depth + 1)?);
                }
                Ok(Json::Object(members))
            }
            b'[' => {
                let mut values = Vec::new();
                while self.follows(b']', values.is_empty())? {
                    values.push(self.value(depth + 1)?);
                }
                Ok(Json::List(values))
            }
            b'"' => Ok(Json::Text(self.text()?)),
            _ => self.word(),
        }
    }

    /// Pass over the bracket or comma before the next element; return whether there is one.
    fn follows(&mut self, end: u8, first: bool) -> Result<bool, String> {
        if first {
            self.at += 1;
        }
        self.space();
        if self.peek()? == end {
            self.at += 1;
            return Ok(false);
        }
        if !first {
            self.expect(b',')?;
            self.space();
        }
        Ok(true)
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect(b'"')?;
        let mut units: Vec<u16> = Vec::new();
        loop {
            let start = self.at;
            while !matches!(self.peek()?, b'"' | b'\\') {
                self.at += 1;
            }
            let plain = std::str::from_utf8(&self.bytes[start..self.at]).map_err(|_| self.error())?;
            units.extend(plain.encode_utf16());
            self.at += 1;
            if self.bytes[self.at - 1] == b'"' {
                return String::from_utf16(&units).map_err(|_| "text with a lone surrogate".to_string());
            }
            let escaped = self.peek()?;
            self.at += 1;
            units.push(match escaped {
                b'b' => 8,
                b'f' => 12,
                b'n' => 10,
                b'r' => 13,
                b't' => 9,
                b'u' => {
                    let digits = self.bytes.get(self.at..self.at + 4).ok_or_else(|| self.error())?;
                    self.at += 4;
                    let digits = std::str::from_utf8(digits).map_err(|_| self.error())?;
                    u16::from_str_radix(digits, 16).map_err(|_| self.error())?
                }
                other => u16::from(other),
            });
        }
    }

    fn word(&mut self) -> Result<Json, String> {
        let start = self.at;
        while self.at < self.bytes.len() && !b",]} \t\r\n".contains(&self.bytes[self.at]) {
            self.at += 1;
        }
        match &self.bytes[start..self.at] {
            b"null" => Ok(Json::Null),
            b"true" => Ok(Json::Bool(true)),
            b"false" => Ok(Json::Bool(false)),
            digits => {
                let text = String::from_utf8_lossy(digits).into_owned();
                text.parse::<f64>().map_err(|_| self.error())?;
                Ok(Json::Number(text))
            }
        }
    }

    fn peek(&self) -> Result<u8, String> {
        self.bytes.get(self.at).copied().ok_or_else(|| self.error())
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.peek()? != byte {
            return Err(self.error());
        }
        self.at += 1;
        Ok(())
    }

    fn space(&mut self) {
        while self.at < self.bytes.len() && b" \t\r\n".contains(&self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn error(&self) -> String {
        format!("no JSON at {}", self.at)
    }
}
