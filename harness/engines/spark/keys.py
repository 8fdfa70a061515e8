"""Pass keys to Spark: Hadoop properties name a class that implements `DecryptionPropertiesFactory`.

https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#columnar-encryption and, in parquet-java,
DecryptionPropertiesFactory, whose class `parquet.crypto.factory.class` names. Spark brings none that takes
keys as they are, and no KMS client: both are compiled here, by the compiler that Spark has for its own code,
and defined beside the interface, so that every class loader of the process finds them. Key material is opened
by parquet-java's own PropertiesDrivenCryptoFactory, with our KMS.

Runs in engine children: standard library plus pyspark, Python 3.9.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from corpora.keys import Keys
from harness.engines.errors import Unsupported
from harness.engines.spark.errors import lacks_class

_PACKAGE = "org.apache.parquet.crypto"
_FACTORY = "parquet.crypto.factory.class"
_SOURCE = """
package org.apache.parquet.crypto;

public class ColconfKeys implements DecryptionPropertiesFactory, DecryptionKeyRetriever,
        org.apache.parquet.crypto.keytools.KmsClient {
    private java.util.Map keys = new java.util.HashMap();

    public FileDecryptionProperties getFileDecryptionProperties(
            org.apache.hadoop.conf.Configuration conf, org.apache.hadoop.fs.Path path) {
        FileDecryptionProperties.Builder builder = FileDecryptionProperties.builder();
        String footer = conf.get("colconf.secret.footer");
        if (footer != null) builder.withFooterKey(bytes(footer));
        java.util.Map columns = new java.util.HashMap();
        String[][] told = pairs(conf, "colconf.secret.columns");
        for (int i = 0; i < told.length; i++) {
            org.apache.parquet.hadoop.metadata.ColumnPath name =
                org.apache.parquet.hadoop.metadata.ColumnPath.fromDotString(text(told[i][0]));
            columns.put(name, ColumnDecryptionProperties.builder(name).withKey(bytes(told[i][1])).build());
        }
        if (!columns.isEmpty()) builder.withColumnKeys(columns);
        String[][] named = pairs(conf, "colconf.secret.metadata");
        if (named.length > 0) {
            ColconfKeys retriever = new ColconfKeys();
            for (int i = 0; i < named.length; i++) retriever.keys.put(named[i][0], named[i][1]);
            builder.withKeyRetriever(retriever);
        }
        String prefix = conf.get("colconf.secret.prefix");
        if (prefix != null) builder.withAADPrefix(bytes(prefix));
        if (footer == null && columns.isEmpty() && named.length == 0) return null;
        return builder.build();
    }

    public byte[] getKey(byte[] metadata) {
        String found = (String) keys.get(hex(metadata));
        if (found == null) throw new KeyAccessDeniedException("no key of this metadata is known");
        return bytes(found);
    }

    public void initialize(org.apache.hadoop.conf.Configuration conf, String id, String url, String token) {
        String[][] told = pairs(conf, "colconf.secret.masters");
        for (int i = 0; i < told.length; i++) keys.put(text(told[i][0]), told[i][1]);
    }

    public String wrapKey(byte[] key, String master) {
        return org.apache.parquet.crypto.keytools.KeyToolkit.encryptKeyLocally(
            key, masterKey(master), master.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    public byte[] unwrapKey(String wrapped, String master) {
        return org.apache.parquet.crypto.keytools.KeyToolkit.decryptKeyLocally(
            wrapped, masterKey(master), master.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private byte[] masterKey(String name) {
        String found = (String) keys.get(name);
        if (found == null) throw new KeyAccessDeniedException("the master key is not known");
        return bytes(found);
    }

    private static String[][] pairs(org.apache.hadoop.conf.Configuration conf, String name) {
        String told = conf.get(name);
        if (told == null) return new String[0][];
        String[] parts = told.split(",");
        String[][] out = new String[parts.length][];
        for (int i = 0; i < parts.length; i++) out[i] = parts[i].split(":", 2);
        return out;
    }

    private static String text(String hex) {
        return new String(bytes(hex), java.nio.charset.StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String hex) {
        byte[] out = new byte[hex.length() / 2];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return out;
    }

    private static String hex(byte[] raw) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < raw.length; i++) out.append(String.format("%02x", new Object[] {raw[i] & 255}));
        return out.toString();
    }
}
"""
_DEFINER = """
package colconf;

public class Definer {
    public static String define(Class beside, byte[] code) throws Exception {
        return java.lang.invoke.MethodHandles.privateLookupIn(beside, java.lang.invoke.MethodHandles.lookup())
            .defineClass(code).getName();
    }
}
"""


class Taught:
    """A session, which learns our classes when it first needs them."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.context = session.sparkContext
        self._ready = False

    def _learn(self) -> None:
        """Compile and define our classes; raises Unsupported where this Spark has not what that takes."""
        if self._ready:
            return
        jvm = self.context._jvm
        try:
            beside = jvm.java.lang.Class.forName(f"{_PACKAGE}.DecryptionPropertiesFactory")
            code = _compiled(jvm, _SOURCE, beside.getClassLoader()).getBytecodes()
            definer = _compiled(jvm, _DEFINER, beside.getClassLoader()).getClassLoader()
            method = definer.loadClass("colconf.Definer").getMethods()[0]
            for name in sorted(code.keySet()):
                method.invoke(None, self._array(jvm, beside, code.get(name)))
        except Exception as error:
            if not lacks_class(error):
                raise
            raise Unsupported(
                f"this Spark takes keys from classes that are not in it: {error!r:.300}"
            ) from error
        self._ready = True

    def _array(self, jvm: Any, beside: Any, code: Any) -> Any:
        result = self.context._gateway.new_array(jvm.java.lang.Object, 2)
        result[0], result[1] = beside, code
        return result

    @contextmanager
    def known(self, keys: Keys, links: Iterable[str]) -> Iterator[None]:
        """Have the session know keys for a while; `links` are the names of the files that are asked for."""
        self._learn()
        conf = self.context._jsc.hadoopConfiguration()
        properties = _properties(keys)
        beside = list(_material(links))
        try:
            for name, value in properties.items():
                conf.set(name, value)
            yield
        finally:
            for name in properties:
                conf.unset(name)
            for link in beside:
                os.unlink(link)


def _compiled(jvm: Any, source: str, loader: Any) -> Any:
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(loader)
    compiler.cook(source)
    return compiler


def _properties(keys: Keys) -> dict[str, str]:
    """Return the properties; Spark redacts what has `secret` in its name (spark.redaction.regex)."""
    own = f"{_PACKAGE}.ColconfKeys"
    if keys.master_keys and keys.aad_prefix is not None:
        raise Unsupported("PropertiesDrivenCryptoFactory has no property for an AAD prefix")
    if keys.master_keys:
        masters = _pairs((name.encode(), key) for name, key in keys.master_keys.items())
        return {
            _FACTORY: f"{_PACKAGE}.keytools.PropertiesDrivenCryptoFactory",
            "parquet.encryption.kms.client.class": own,
            "colconf.secret.masters": masters,
            # Clients and keys are cached by token.
            "parquet.encryption.key.access.token": hashlib.sha256(masters.encode()).hexdigest(),
        }
    out = {_FACTORY: own}
    if keys.footer is not None:
        out["colconf.secret.footer"] = keys.footer.hex()
    if keys.columns:
        out["colconf.secret.columns"] = _pairs((path.encode(), key) for path, key in keys.columns.items())
    if keys.by_metadata:
        out["colconf.secret.metadata"] = _pairs(keys.by_metadata.items())
    if keys.aad_prefix is not None:
        out["colconf.secret.prefix"] = keys.aad_prefix.hex()
    return out


def _pairs(items: Iterable[tuple[bytes, bytes]]) -> str:
    return ",".join(f"{name.hex()}:{key.hex()}" for name, key in items)


def _material(links: Iterable[str]) -> Iterator[str]:
    """Yield links to the key material beside the files, under the names that those of the files ask for."""
    for link in links:
        folder, name = os.path.split(os.path.realpath(link))
        material = os.path.join(folder, f"_KEY_MATERIAL_FOR_{name}.json")
        if os.path.isfile(material):
            own = f"_KEY_MATERIAL_FOR_{os.path.basename(link)}.json"
            built = os.path.join(os.path.dirname(link), own)
            os.symlink(material, built)
            yield built
