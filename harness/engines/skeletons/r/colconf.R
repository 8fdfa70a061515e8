# The protocol between colconf and an engine in R (4.1 and later), and its tagged values. Base R alone.
#
# An engine calls `serve` with functions that describe it and read a file into a `tagged_table`. colconf writes one request a
# line to standard input, each of which is answered by one line on standard output. Nothing else may write there: what
# is printed goes to standard error. The protocol: colconf's docs/protocol.md.

VERSION <- 3 # of the protocol
MAX_MESSAGE <- 4000
MAX_REPLY <- 64 * 1024^2 # bytes

# Raise the condition that the engine, or this program, lacks what the file needs: neither right nor wrong.
unsupported <- function(...) {
  stop(structure(class = c("unsupported", "error", "condition"), list(message = paste0(...), call = NULL)))
}

# Raise the condition that a table is none: this program's own mistake.
misspoke <- function(...) {
  stop(structure(class = c("misspoke", "error", "condition"), list(message = paste0(...), call = NULL)))
}

# What R says of a mistake in code, which says nothing of the file: its errors have no classes. `serve` has R speak English.
MISTAKES <- paste0("^object '.*' not found|^could not find function|^argument .* is missing, with no default|^unused argument",
  "|non-numeric argument|subscript out of bounds|operator is invalid for atomic vectors|missing value where TRUE/FALSE needed",
  "|argument is of length zero|the condition has length > 1|object of type '.*' is not subsettable|invalid argument type")

# Types, as text of JSON

simple <- function(kind) sprintf('{"kind":"%s"}', kind) # null, bool, date, int96, interval, string, json, bytes, …
integers <- function(bits, signed = TRUE) sprintf('{"kind":"int","bits":%d,"signed":%s}', bits, logical_text(signed))
floating <- function(bits) sprintf('{"kind":"float","bits":%d}', bits)
decimal <- function(precision, scale) sprintf('{"kind":"decimal","precision":%d,"scale":%d}', precision, scale)

# Return the type of a "time" or "timestamp", counted in s, ms, us or ns; utc: not a wall clock.
moment <- function(kind, unit, utc) sprintf('{"kind":"%s","unit":"%s","utc":%s}', kind, unit, logical_text(utc))

# Return a column, or a field of a struct; the name is text of JSON (`text`).
field <- function(name, type) sprintf('{"name":%s,"type":%s}', name, type)

nested <- function(kind, fields) sprintf('{"kind":"%s","children":[%s]}', kind, paste(fields, collapse = ","))
list_of <- function(element) nested("list", field('"element"', element))
struct_of <- function(fields) nested("struct", fields)
map_of <- function(key, value) nested("map", c(field('"key"', key), field('"value"', value)))

logical_text <- function(value) if (value) "true" else "false"

# Values, as text of JSON: "null", "true", "false"; `array_of` texts for lists and structs, and of pairs for maps

array_of <- function(values) sprintf("[%s]", paste(values, collapse = ","))

# Tag whole numbers: doubles of at most 53 bits, or texts of decimal digits. NA is null.
whole <- function(numbers) {
  digits <- if (is.character(numbers)) numbers else sprintf("%.0f", numbers)
  ifelse(is.na(numbers), "null", sprintf('"%s"', digits))
}

# Tag a float by its IEEE bits.
float64 <- function(number) binary(writeBin(number, raw(), size = 8, endian = "big"))
float32 <- function(number) binary(writeBin(number, raw(), size = 4, endian = "big"))

# Tag a byte string.
binary <- function(bytes) sprintf('"%s"', paste(as.character(bytes), collapse = ""))

# Tag the bytes of a text; those that are not UTF-8 become lone surrogates, U+DC80 to U+DCFF.
text <- function(bytes) {
  if (any(bytes == 0)) {
    parts <- split(bytes, cumsum(bytes == 0) - (bytes == 0))
    ends <- vapply(parts, function(part) any(part == 0), NA)
    inner <- vapply(parts, function(part) escaped(part[part != 0]), "")
    return(sprintf('"%s"', paste0(inner, ifelse(ends, "\\u0000", ""), collapse = "")))
  }
  sprintf('"%s"', escaped(bytes))
}

escaped <- function(bytes) {
  if (length(bytes) == 0) return("")
  if (!validUTF8(rawToChar(bytes))) return(surrogates(bytes))
  paste(vapply(utf8ToInt(rawToChar(bytes)), escaped_point, ""), collapse = "")
}

escaped_point <- function(point) {
  if (point == 34 || point == 92) return(paste0("\\", intToUtf8(point)))
  if (point >= 32 && point <= 126) return(intToUtf8(point))
  if (point < 65536) return(sprintf("\\u%04x", point))
  sprintf("\\u%04x\\u%04x", 55232 + point %/% 1024, 56320 + point %% 1024)
}

surrogates <- function(bytes) {
  out <- character()
  at <- 1
  while (at <= length(bytes)) {
    sizes <- seq_len(min(4, length(bytes) - at + 1))
    size <- Find(function(size) validUTF8(rawToChar(bytes[at:(at + size - 1)])), sizes)
    if (is.null(size)) {
      out <- c(out, sprintf("\\udc%s", as.character(bytes[at])))
      size <- 1
    } else {
      out <- c(out, escaped_point(utf8ToInt(rawToChar(bytes[at:(at + size - 1)]))))
    }
    at <- at + size
  }
  paste(out, collapse = "")
}

# Return a table: fields (`field`), and for each a column, a character vector of tagged values.
tagged_table <- function(fields, columns, rows) {
  if (length(fields) != length(columns) || !all(lengths(columns) == rows)) {
    misspoke(length(fields), " fields, and columns of ", paste(lengths(columns), collapse = ", "), " values for ", rows, " rows")
  }
  values <- array_of(vapply(columns, array_of, ""))
  sprintf('{"columns":%s,"rows":%.0f,"values":%s}', array_of(fields), rows, values)
}

# JSON of requests: objects are named lists, arrays lists, numbers doubles

parse_json <- function(line) {
  pattern <- '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[{}\\[\\],:]|[^\\s{}\\[\\],:"]+'
  rest <- gsub(pattern, "", line, perl = TRUE)
  if (grepl("\\S", rest)) stop("no JSON")
  tokens <- regmatches(line, gregexpr(pattern, line, perl = TRUE))[[1]]
  at <- 0
  take <- function(expected = NULL) {
    at <<- at + 1
    if (at > length(tokens) || !(is.null(expected) || tokens[at] %in% expected)) stop("no JSON")
    tokens[at]
  }
  elements <- function(end, element) {
    out <- list()
    if (at < length(tokens) && tokens[at + 1] == end) {
      take()
      return(out)
    }
    repeat {
      out <- c(out, element())
      if (take(c(",", end)) == end) return(out)
    }
  }
  value <- function() {
    token <- take()
    if (token == "{") {
      return(elements("}", function() {
        name <- string(take())
        take(":")
        structure(list(value()), names = name)
      }))
    }
    if (token == "[") return(elements("]", function() list(value())))
    if (startsWith(token, '"')) return(string(token))
    if (token %in% c("true", "false")) return(token == "true")
    if (token == "null") return(NA)
    number <- suppressWarnings(as.numeric(token))
    if (is.na(number)) stop("no JSON")
    number
  }
  out <- value()
  if (at < length(tokens)) stop("no JSON")
  out
}

string <- function(token) {
  if (!startsWith(token, '"')) stop("no JSON")
  inner <- substr(token, 2, nchar(token) - 1)
  parts <- regmatches(inner, gregexpr("(\\\\u[0-9a-fA-F]{4})+|\\\\.|[^\\\\]+", inner, perl = TRUE))[[1]]
  paste(vapply(parts, unescaped, ""), collapse = "")
}

# Return what an escape stands for: \uXXXX, also of surrogate pairs, or a backslash and a letter.
unescaped <- function(part) {
  if (!startsWith(part, "\\")) return(part)
  if (!startsWith(part, "\\u")) {
    letter <- substr(part, 2, 2)
    known <- c(b = "\b", f = "\f", n = "\n", r = "\r", t = "\t")
    return(if (letter %in% names(known)) known[[letter]] else letter)
  }
  units <- strtoi(strsplit(part, "\\u", fixed = TRUE)[[1]][-1], 16L)
  intToUtf8(units, allow_surrogate_pairs = TRUE)
}

json_text <- function(string) text(charToRaw(enc2utf8(string)))

# Reply to requests until `stop` or the end of standard input.
#
# `describe()` returns a named character vector; `read(file, format, config)` a `tagged_table`. It calls `unsupported` for what
# is not supported; any other error is a refusal of the file.
serve <- function(describe, read) {
  Sys.setenv(LANGUAGE = "en")
  requests <- file("stdin", "r", encoding = "UTF-8")
  replies <- file("/dev/fd/1", "w")
  sink(stderr())
  while (length(line <- readLines(requests, n = 1, warn = FALSE))) {
    request <- tryCatch(parse_json(line), error = function(error) NULL)
    writeLines(answer(request, describe, read), replies)
    flush(replies)
    if (is.list(request) && identical(request$op, "stop")) break
  }
}

answer <- function(request, describe, read) {
  if (!is.list(request) || !is.numeric(request$id) || !is.character(request$op)) return(failure(-1, "misspoke", "error", "no request", "request"))
  failed <- function(kind) {
    function(error) failure(request$id, kind, class(error)[1], conditionMessage(error), request$op)
  }
  tryCatch(
    good(request$id, member(request, describe, read)),
    unsupported = failed("unsupported"),
    misspoke = failed("misspoke"),
    stackOverflowError = failed("panicked"),
    error = function(error) failed(kind_of(conditionMessage(error)))(error)
  )
}

kind_of <- function(message) {
  if (grepl("^cannot allocate", message)) return("out_of_memory")
  if (grepl(MISTAKES, message)) "panicked" else "refused"
}

# Return the member of a good reply.
member <- function(request, describe, read) {
  if (!identical(request$v, VERSION)) unsupported("a version that is not ", VERSION)
  if (request$op == "stop") return('"stopped":true')
  if (request$op == "describe") {
    description <- describe()
    members <- sprintf("%s:%s", vapply(names(description), json_text, ""), vapply(description, json_text, ""))
    return(sprintf('"description":{%s}', paste(members, collapse = ",")))
  }
  if (request$op != "read") unsupported("this engine does not answer ", request$op)
  if (!is.null(request$keys)) unsupported("this engine takes no keys")
  out <- read(request$file, request$format, request$config)
  if (nchar(out, "bytes") > MAX_REPLY - 1000) unsupported("the table is too large for a reply")
  paste0('"table":', out)
}

good <- function(id, member) sprintf('{"v":%d,"id":%.0f,%s}', VERSION, id, member)

failure <- function(id, kind, class, message, phase) {
  texts <- vapply(c(kind, class, substr(message, 1, MAX_MESSAGE), phase), json_text, "")
  error <- sprintf('"error":{"kind":%s,"class":%s,"message":%s,"phase":%s}', texts[1], texts[2], texts[3], texts[4])
  good(id, error)
}
