"""Faults of stripes: where they are, their streams and encodings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpora.build.orc.samples import TYPES
from corpora.build.orc.schemas import STRING
from properties.strategies.faults.common import Fault, Made, at, fields, put
from properties.strategies.faults.orc.fault import BARE, X, edit, ints, table
from reference_impl.orc.plan import Column, Dictionary
from reference_impl.orc.schema import EncodingKind, Stream, StreamKind, TypeKind
from reference_impl.orc.tamper import Tamper

if TYPE_CHECKING:
    from reference_impl.orc.schema import StripeInformation

_PLAIN = ints()
_TWO = ints((1, 2, 1, 2), BARE, stripes=(2, 2))
_EMPTY_LAST = ints(stripes=(3, 0))
_TIMES = table(TYPES[TypeKind.TIMESTAMP], ((0, 0), (1, 0)))
_INSTANTS = table(TYPES[TypeKind.TIMESTAMP_INSTANT], ((0, 0), (1, 0)))
_WORDS = table(STRING, (b"a", b"b", b"a"), Column(dictionary=Dictionary()))
_NO_EMPTY = replace(BARE, empty_streams=False)
_OF_NEXT = X._replace(stripe=1)


class _SecondOverFirst(Tamper):
    """Says of the second stripe that it begins one byte before the end of the first."""

    def __init__(self) -> None:
        self.end = 0

    def stripe_information(self, number: int, information: StripeInformation) -> StripeInformation:
        """Move the second stripe."""
        if number:
            return replace(information, offset=self.end - 1)
        lengths = (information.index_length, information.data_length, information.footer_length)
        self.end = sum(one or 0 for one in (information.offset, *lengths))
        return information


def _one_more(**stream: Any) -> Tamper:
    """List a stream more, behind all others."""
    listed = Stream(**{"kind": StreamKind.DATA, "length": 0, **stream})
    return edit(stripe_footer=fields(streams=lambda found: (*found, listed)))


def _encoding(**changes: Any) -> Tamper:
    """Change the encoding of `x`."""
    return edit(stripe_footer=fields(columns=at(2, fields(**changes))))


FAULTS = (
    Fault(
        "ORC-STRIPE-001",
        "begins-in-the-header",
        "a stripe begins with the last byte of the header",
        Made(_PLAIN, edit(stripe_information=fields(offset=2))),
        "it begins some bytes behind the header",
        Made(replace(_PLAIN, gap=7)),
    ),
    Fault(
        "ORC-STRIPE-002",
        "two-stripes-share-a-byte",
        "the second stripe begins with the last byte of the first",
        Made(_TWO, _SecondOverFirst()),
        "it begins behind it",
        Made(_TWO),
    ),
    Fault(
        "ORC-STRIPE-004",
        "encoding-missing",
        "the stripe footer has the encodings of two columns, and there are three",
        Made(_PLAIN, edit(stripe_footer=fields(columns=lambda found: found[:2]))),
        "it has those of three, the root among them",
        Made(_PLAIN),
    ),
    Fault(
        "ORC-STRIPE-005",
        "index-with-a-byte-of-data",
        "indexLength counts the first byte of data",
        Made(
            _PLAIN,
            edit(stripe_information=fields(index_length=lambda n: n + 1, data_length=lambda n: n - 1)),
        ),
        "there is no index",
        Made(replace(_PLAIN, row_index_stride=0)),
    ),
    Fault(
        "ORC-STRIPE-006",
        "byte-behind-the-streams",
        "a byte stands between the last stream and the stripe footer",
        Made(
            _PLAIN,
            edit(stripe=lambda data: data + b"\0", stripe_information=fields(data_length=lambda n: n + 1)),
        ),
        "bytes stand between the two stripes",
        Made(replace(_TWO, gap=1)),
    ),
    Fault(
        "ORC-STRIPE-007",
        "index-behind-data",
        "of a stripe without rows the index streams stand behind those of data",
        Made(_EMPTY_LAST, edit(_OF_NEXT, stripe_footer=fields(streams=lambda found: found[::-1]))),
        "they stand before them",
        Made(_EMPTY_LAST),
    ),
    Fault(
        "ORC-STRIPE-008",
        "data-twice",
        "a column has two streams of DATA, the second of no bytes",
        Made(_PLAIN, _one_more(column=2)),
        "it has one of DATA and one of PRESENT",
        Made(ints((1, None, 4))),
    ),
    Fault(
        "ORC-STRIPE-009",
        "stream-of-a-fourth-column",
        "a stream is of column 3, and there are columns 0 to 2",
        Made(_PLAIN, _one_more(column=3)),
        "one is of column 2, the last",
        Made(_PLAIN),
    ),
    Fault(
        "ORC-STRIPE-010",
        "stream-beyond-the-stripe",
        "the last stream is a byte longer than what is left of the stripe",
        Made(_PLAIN, _one_more(kind=StreamKind.PRESENT, column=0, length=1)),
        "it ends with the last byte in front of the stripe footer",
        Made(_PLAIN),
    ),
    Fault(
        "ORC-STRIPE-011",
        "dictionary-of-integers",
        "a column of LONG is in DICTIONARY_V2",
        Made(_PLAIN, _encoding(kind=EncodingKind.DICTIONARY_V2)),
        "one of STRING is",
        Made(_WORDS),
    ),
    Fault(
        "ORC-STRIPE-012",
        "no-data",
        "a column has values, and no DATA",
        Made(ints(layout=_NO_EMPTY), edit(stored=put(b""))),
        "it has neither values nor bytes of DATA",
        Made(ints((None, None), BARE)),
    ),
    Fault(
        "ORC-STRIPE-013",
        "count-of-a-dictionary",
        "a column of LONG has a stream of DICTIONARY_COUNT",
        Made(_PLAIN, _one_more(kind=StreamKind.DICTIONARY_COUNT, column=2)),
        "it has its own",
        Made(_PLAIN),
    ),
    Fault(
        "ORC-STRIPE-014",
        "no-zone",
        "a stripe has timestamps, and names no time zone",
        Made(_TIMES, edit(stripe_footer=fields(writer_timezone=None))),
        "they are instants, which need none",
        Made(_INSTANTS, edit(stripe_footer=fields(writer_timezone=None))),
    ),
    Fault(
        "ORC-STRIPE-015",
        "zone-on-mars",
        "the time zone is Mars/Olympus_Mons",
        Made(_TIMES, edit(stripe_footer=fields(writer_timezone="Mars/Olympus_Mons"))),
        "it is US/Pacific, an old name",
        Made(replace(_TIMES, writer_timezone="US/Pacific")),
    ),
    Fault(
        "ORC-STRIPE-016",
        "dictionary-without-size",
        "a dictionary has no dictionarySize",
        Made(_WORDS, _encoding(dictionary_size=None)),
        "one of no entries has none",
        Made(replace(_WORDS, rows=((0, None), (1, None))), _encoding(dictionary_size=None)),
    ),
)
