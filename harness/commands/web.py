"""An address of the web, opened when a command's user asks for it."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from harness.listings.text import line
from harness.problem import Problem

SCHEMES = ("https://", "http://")
_SECONDS = 60.0  # without a byte
_CHUNK = 1 << 20


def copy(url: str, out: IO[bytes], most: int, headers: Mapping[str, str] | None = None) -> None:
    """Write the response of an address to `out`; raises Problem, also for more than `most` bytes."""
    left = most
    with _opened(url, headers) as reply:
        try:
            while data := reply.read(_CHUNK):
                left -= len(data)
                if left < 0:
                    raise Problem(f"{line(url)}: the response has more than {most:,} bytes")
                out.write(data)
        except (TimeoutError, http.client.HTTPException) as error:
            raise Problem(f"{line(url)}: {line(error) or 'ends too early'}") from error


@contextmanager
def _opened(url: str, headers: Mapping[str, str] | None) -> Iterator[IO[bytes]]:
    """Yield the response of an address; raises Problem for another scheme, a bad address and an error."""
    if not url.startswith(SCHEMES):
        raise Problem(f"{line(url)}: not an http or https URL")
    try:
        request = urllib.request.Request(url, headers=dict(headers or {}))  # noqa: S310 - http alone, see above
        reply = urllib.request.urlopen(request, timeout=_SECONDS)  # noqa: S310 - as above
    except urllib.error.HTTPError as error:
        error.close()
        raise Problem(f"{line(url)}: {error.code} {line(error.reason)}") from error
    except urllib.error.URLError as error:
        raise Problem(f"{line(url)}: {line(error.reason)}") from error
    except (ValueError, http.client.HTTPException) as error:
        raise Problem(f"{line(url)}: {line(error)}") from error
    with reply:
        yield reply
