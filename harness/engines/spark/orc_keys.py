"""How Spark's ORC is told keys: by the InMemoryKeystore that ORC Java brings, its key provider `memory`.

https://orc.apache.org/docs/core-java-config.html, `orc.key.provider`. ORC makes one provider of each kind in
a process and keeps it (`CryptoUtils.getKeyProvider`), empty as it is; ours, with the keys of a request, is
put in its place as long as that takes. A keystore has no way to forget a key, hence a new one for each.

Runs in engine children: standard library plus pyspark, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from harness.engines.errors import Unsupported
from harness.engines.spark.errors import lacks_class

_PROVIDER = "orc.key.provider"
_CACHED = "memory.java.security.SecureRandom"  # kind, and the class of the random numbers it is made with
_ALGORITHMS = {16: "AES_CTR_128", 32: "AES_CTR_256"}


@contextmanager
def known(session: Any, keys: Mapping[str, Mapping[int, bytes]]) -> Iterator[None]:
    """Have ORC know master keys for a while; raises Unsupported where this Spark's has no such provider."""
    context = session.sparkContext
    jvm, conf = context._jvm, context._jsc.hadoopConfiguration()
    try:
        field = jvm.java.lang.Class.forName("org.apache.orc.impl.CryptoUtils").getDeclaredField(
            "keyProviderCache"
        )
        field.setAccessible(True)
        cache, store = field.get(None), _keystore(jvm, keys)
    except Exception as error:
        if isinstance(error, Unsupported) or not lacks_class(error):
            raise
        raise Unsupported(f"this Spark's ORC has no provider of keys in memory: {error!r:.200}") from error
    try:
        cache.put(_CACHED, store)
        conf.set(_PROVIDER, "memory")
        yield
    finally:
        conf.unset(_PROVIDER)
        cache.remove(_CACHED)


def _keystore(jvm: Any, keys: Mapping[str, Mapping[int, bytes]]) -> Any:
    """Return a store with all keys; versions are added as they rise."""
    store = jvm.org.apache.orc.InMemoryKeystore()
    for name, versions in keys.items():
        for version, key in sorted(versions.items()):
            if len(key) not in _ALGORITHMS:
                raise Unsupported(f"ORC knows no algorithm of keys of {len(key)} bytes")
            algorithm = getattr(jvm.org.apache.orc.EncryptionAlgorithm, _ALGORITHMS[len(key)])
            store.addKey(name, version, algorithm, bytearray(key))
    return store
