"""What `colconf upgrade` says when it is done, on standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.listings.text import show_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SHOWN = 30


def show(account: dict[str, Any], files: Sequence[str]) -> None:
    """Print the account for people: the verdict first."""
    for line in lines(account):
        show_line(line)
    for file in files:
        show_line(file)


def lines(account: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the account."""
    groups = account["groups"]
    open_ = [group for group in groups if group["reviewed"] is None]
    versions = " → ".join(f"{one['name']}@{one['version']}" for one in account["engines"])
    if open_:
        yield f"NOT signed off: {versions}: {len(open_)} differences that nobody has reviewed"
    else:
        yield f"signed off: {versions}: nothing that is not reviewed"
    for one in account["inputs"]:
        yield (
            f"  {one['input']}: {one['cases']:,} files, {one['places']:,} answers under {one['configs']}"
            f" configurations, {one['differing']:,} files differ"
        )
        if one.get("blocks"):
            yield f"      digests of {one['rows']:,} rows in {one['blocks']:,} blocks, {one['bytes']:,} bytes"
        if one.get("unread"):
            yield f"      {one['unread']:,} of them neither version reads: nothing of these is compared"
        if one.get("whole"):
            yield f"      {one['whole']:,} of them read whole, because this engine has no batches"
    for group in open_[:_SHOWN]:
        at = group["smallest"]
        yield f"  {group['right']}: {group['class']} in {group['cases']:,}: {_plain(group['signature'])}"
        yield f"      {_plain(at['case'])} {_plain(at['path'])}: {_plain(at['old'])} → {_plain(at['new'])}"
        for cause in group["causes"]:
            yield f"      {_plain(cause['says'])}"
    if len(open_) > _SHOWN:
        yield f"  and {len(open_) - _SHOWN:,} more"
    for one in account["useless"]:
        yield f"  baseline: {_plain(one['signature'])}: {one['why']}"


def _plain(text: str) -> str:
    line = " ".join(text.split())[:200]
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
