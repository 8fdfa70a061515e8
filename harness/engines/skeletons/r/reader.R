# A reader of Parquet that reads one type: INT32, in PLAIN pages without compression. It refuses the rest.
#
# It is here to be replaced: put the reader that is to be tested into `read`, and describe it in `describe`.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "colconf.R"), encoding = "UTF-8")
source(file.path(here, "thrift.R"), encoding = "UTF-8")

INT32 <- 1
REQUIRED <- 0
OPTIONAL <- 1
PLAIN <- 0
RLE <- 3
DATA_PAGE <- 0
INDEX_PAGE <- 1
DATA_PAGE_V2 <- 3
INT_32 <- 17 # of ConvertedType
INTEGER <- "10" # of LogicalType
MOST_VALUES <- 2^24 # of a column chunk: a file of a few bytes may claim any number of nulls

describe <- function() c(name = "my_reader", version = "0.1.0", runtime = R.version.string)

read <- function(file, format, config) {
  if (format != "parquet") unsupported("no reader of ", format)
  if (!file.exists(file)) stop("no file ", file)
  bytes <- readBin(file, "raw", file.size(file))
  footer <- footer_of(bytes)
  leaves <- lapply(footer[["2"]][-1], leaf_of)
  if (length(leaves) == 0) unsupported("no column")
  columns <- lapply(leaves, function(leaf) character())
  for (group in footer[["4"]]) {
    if (length(group[["1"]]) != length(leaves)) stop("a row group has another number of columns")
    for (at in seq_along(leaves)) {
      columns[[at]] <- c(columns[[at]], read_chunk(bytes, group[["1"]][[at]], leaves[[at]], group[["3"]]))
    }
  }
  if (!all(lengths(columns) == needed(footer, 3))) stop("the row groups have not the rows of the file")
  fields <- vapply(leaves, function(leaf) field(leaf$name, integers(32)), "")
  tagged_table(fields, columns, footer[["3"]])
}

# Return the footer; behind it are its length in 4 bytes, and "PAR1".
footer_of <- function(bytes) {
  end <- length(bytes)
  magic <- utils::tail(bytes, 4)
  if (identical(magic, charToRaw("PARE"))) unsupported("the footer is encrypted")
  if (end < 12 || !identical(magic, charToRaw("PAR1"))) stop("no file of Parquet")
  size <- sum(as.integer(bytes[end - 7:4]) * 256^(0:3))
  if (size > end - 12) stop("the footer is longer than the file")
  cursor(bytes[seq_len(end - 8)], end - 8 - size)$struct()
}

leaf_of <- function(element) {
  name <- text(element[["4"]])
  annotation <- element[["10"]][[INTEGER]]
  plain <- is.null(element[["6"]]) && is.null(element[["10"]])
  signed <- identical(annotation[["1"]], 32) && isTRUE(annotation[["2"]])
  if (!is.null(element[["5"]]) || !identical(element[["1"]], INT32) ||
      !(plain || signed || identical(element[["6"]], INT_32))) {
    unsupported("column ", name, " is no INT32")
  }
  if (!element[["3"]] %in% c(REQUIRED, OPTIONAL)) unsupported("column ", name, " is repeated")
  list(name = name, optional = element[["3"]] == OPTIONAL)
}

# Return the tagged values of a column chunk.
read_chunk <- function(bytes, chunk, leaf, rows) {
  meta <- chunk[["3"]]
  if (is.null(meta) || !is.null(chunk[["1"]])) unsupported("a column chunk in another place")
  if (needed(meta, 4) != 0) unsupported("codec ", meta[["4"]])
  pages <- cursor(bytes, needed(meta, 9))
  out <- character()
  if (needed(meta, 5) > MOST_VALUES) unsupported("a column chunk of ", meta[["5"]], " values")
  while (length(out) < meta[["5"]]) {
    header <- pages$struct()
    out <- c(out, read_page(header, pages$take(needed(header, 3)), leaf, meta[["5"]] - length(out)))
  }
  if (length(out) != meta[["5"]] || meta[["5"]] != rows) stop(sprintf("%.0f values for %.0f rows", meta[["5"]], rows))
  out
}

# Return a field of a struct; a file without it is refused.
needed <- function(fields, number) {
  value <- fields[[as.character(number)]]
  if (is.null(value)) stop(sprintf("the field %d is missing", number))
  value
}

# Return the tagged values of a page, of which its chunk has at most `most`.
read_page <- function(header, page, leaf, most) {
  kind <- needed(header, 1)
  if (kind == INDEX_PAGE) return(character())
  if (!kind %in% c(DATA_PAGE, DATA_PAGE_V2)) unsupported("a page of type ", kind)
  second <- kind == DATA_PAGE_V2
  details <- needed(header, if (second) 8 else 5)
  encoding <- needed(details, if (second) 4 else 2)
  if (encoding != PLAIN) unsupported("encoding ", encoding)
  count <- needed(details, 1)
  if (count < 0 || count > most) stop(sprintf("a page of %.0f values, where %.0f are left", count, most))
  at <- cursor(page)
  present <- rep(1L, count)
  if (leaf$optional) {
    if (!second && details[["3"]] != RLE) unsupported("levels in another encoding")
    size <- if (second) details[["5"]] else sum(as.integer(at$take(4)) * 256^(0:3))
    present <- levels_of(cursor(at$take(size)), count)
  } else if (second) {
    at$take(details[["5"]])
  }
  out <- rep(NA_real_, count)
  out[present == 1L] <- int32(at$take(4 * sum(present)))
  whole(out)
}

# Return numbers of 32 bits as doubles: R's own integers have no -2^31.
int32 <- function(bytes) {
  parts <- readBin(bytes, "integer", length(bytes) / 2, size = 2, signed = FALSE, endian = "little")
  number <- parts[c(TRUE, FALSE)] + 65536 * parts[c(FALSE, TRUE)]
  ifelse(number < 2^31, number, number - 2^32)
}

# Return levels of one bit: a hybrid of runs and bit-packed groups of 8 (Encodings.md, RLE).
levels_of <- function(at, count) {
  out <- integer()
  while (length(out) < count) {
    head <- at$varint()
    if (head == 0) stop("a run of no levels")
    run <- if (head %% 2 == 1) {
      as.integer(rawToBits(at$take((head - 1) / 2)))
    } else {
      rep(at$byte(), min(head / 2, count - length(out)))
    }
    out <- c(out, run)
  }
  out[seq_len(count)]
}

serve(describe, read)
