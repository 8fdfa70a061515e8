"""A class loader of Spark's JVM that remembers which classes there are not.

Spark compiles the code of each new filter. Of each name in this code, the compiler asks whether it is a
class, and if it is none, Java has looked into all archives of Spark, about 250: measured, a seventh of the
time of a filter of small files. Each load of a file looks for data sources in all of them. Nothing of this
changes while a session lives, since it adds no archives.
"""

from __future__ import annotations

from typing import Any

_SOURCE = """
public class Remembering extends ClassLoader {
    private final java.util.Map absent = new java.util.concurrent.ConcurrentHashMap();
    private final java.util.Map services = new java.util.concurrent.ConcurrentHashMap();

    public Remembering(ClassLoader parent) { super(parent); }

    protected Class loadClass(String name, boolean resolve) throws ClassNotFoundException {
        Object before = this.absent.get(name);
        if (before != null) throw (ClassNotFoundException) before;
        try {
            return super.loadClass(name, resolve);
        } catch (ClassNotFoundException error) {
            error.setStackTrace(new StackTraceElement[0]);
            this.absent.put(name, error);
            throw error;
        }
    }

    public java.util.Enumeration getResources(String name) throws java.io.IOException {
        java.util.List urls = (java.util.List) this.services.get(name);
        if (urls == null) {
            urls = java.util.Collections.list(super.getResources(name));
            this.services.put(name, urls);
        }
        return java.util.Collections.enumeration(urls);
    }
}
"""


def remember_absent(gateway: Any) -> None:
    """Have the thread of Java that serves this process, and all that it starts, load classes so.

    To be called before the session starts, whose executor takes the class loader of this thread.
    """
    thread = gateway.jvm.java.lang.Thread.currentThread()
    compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(_SOURCE)
    (constructor,) = compiler.getClassLoader().loadClass("Remembering").getConstructors()
    arguments = gateway.new_array(gateway.jvm.java.lang.Object, 1)
    arguments[0] = thread.getContextClassLoader()
    thread.setContextClassLoader(constructor.newInstance(arguments))
