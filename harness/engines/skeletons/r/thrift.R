# Thrift's compact protocol, as far as Parquet's footer and page headers need it; every read is checked.
# https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

DEPTH <- 32

# Return a cursor: functions that take from the bytes of a raw vector, from `at` (0 is the first byte) on.
cursor <- function(bytes, at = 0) {
  take <- function(size) {
    if (is.na(size) || size < 0 || at < 0 || at + size > length(bytes)) {
      stop(sprintf("%.0f bytes at %.0f are not there", size, at))
    }
    at <<- at + size
    if (size == 0) raw() else bytes[(at - size + 1):at]
  }
  byte <- function() as.integer(take(1))
  varint <- function() { # exact up to 2^53
    number <- 0
    for (place in 0:9) {
      next_byte <- byte()
      number <- number + bitwAnd(next_byte, 127L) * 128^place
      if (next_byte < 128L) return(number)
    }
    stop("a varint is longer than 10 bytes")
  }
  zigzag <- function() {
    number <- varint()
    if (number %% 2 == 0) number / 2 else -(number + 1) / 2
  }
  # Return the fields of a struct: a list whose names are their ids.
  struct <- function(depth = 0) {
    fields <- list()
    id <- 0
    while ((head <- byte()) != 0L) {
      id <- if (head %/% 16L) id + head %/% 16L else zigzag()
      kind <- head %% 16L
      fields[as.character(id)] <- list(if (kind <= 2L) kind == 1L else value(kind, depth))
    }
    fields
  }
  value <- function(kind, depth) {
    if (depth > DEPTH) stop("structs are nested too deep")
    switch(as.character(kind),
      "1" = , "2" = byte() == 1L, # of a list
      "3" = byte(),
      "4" = , "5" = , "6" = zigzag(),
      "7" = take(8),
      "13" = take(16), # a UUID
      "8" = take(varint()),
      "9" = , "10" = {
        head <- byte()
        elements(if (head %/% 16L == 15L) varint() else head %/% 16L, head %% 16L, depth)
      },
      "11" = {
        size <- varint()
        kinds <- if (size) byte() else 0L
        elements(size, c(kinds %/% 16L, kinds %% 16L), depth)
      },
      "12" = struct(depth + 1),
      stop("type ", kind, " is unknown to Thrift")
    )
  }
  elements <- function(size, kinds, depth) {
    if (size > length(bytes)) stop("a list is longer than the file")
    lapply(rep(kinds, size), value, depth = depth + 1)
  }
  list(take = take, byte = byte, varint = varint, struct = struct)
}
