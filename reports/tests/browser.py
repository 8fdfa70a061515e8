"""A headless browser for tests: a small client of the WebDriver protocol, which chromedriver speaks.

https://www.w3.org/TR/webdriver2/. A test that needs the browser skips where Chromium or its driver is
missing: `COLCONF_BROWSER` and `COLCONF_DRIVER` name them, else they are looked for in PATH. Accessibility is
checked by axe-core (https://www.npmjs.com/package/axe-core): `COLCONF_AXE` names its file `axe.min.js`.
"""

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BROWSER = os.environ.get("COLCONF_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = os.environ.get("COLCONF_DRIVER") or shutil.which("chromedriver")
AXE = os.environ.get("COLCONF_AXE")
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Space": " ", "Down": "\ue015", "Up": "\ue013"}

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
_SECONDS = 120  # of one command; the machine may be busy
_VIOLATIONS = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"], preload: false }).then(
  ({ violations }) => done(violations.map(({ id, impact, nodes }) =>
    `${id} (${impact}): ${nodes.slice(0, 4).map((node) => node.html.slice(0, 160)).join(" | ")}`)),
  (error) => done([String(error)]));
"""


class Browser:
    """A browser with one page."""

    def __init__(self, profile):
        """Start the driver and a browser with an empty profile."""
        self._driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        port = None
        for line in self._driver.stdout:
            if port := re.search(rb"successfully on port (\d+)", line):
                break
        assert port, "chromedriver did not start"
        self._address = f"http://127.0.0.1:{int(port[1])}/session"
        chrome = {"binary": shutil.which(BROWSER), "args": [*_FLAGS, f"--user-data-dir={profile}"]}
        wanted = {
            "goog:chromeOptions": chrome,
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": 1_000 * _SECONDS, "pageLoad": 1_000 * _SECONDS},
        }
        session = self._send("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._address += f"/{session['sessionId']}"

    def close(self):
        """End browser and driver."""
        with contextlib.suppress(OSError):
            self._send("DELETE", "")
        self._driver.terminate()
        self._driver.communicate()

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urlopen(request, timeout=_SECONDS) as reply:
                return json.load(reply)["value"]
        except HTTPError as error:
            message = json.load(error)["value"]["message"]
            raise AssertionError(message) from None

    def _chromium(self, command, **parameters):
        return self._send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def look(self, width=1280, height=800, theme="light", media="screen"):
        """Set the size of the window, the theme, and whether pages are seen on a screen or in print."""
        self._chromium(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self._chromium("Emulation.setEmulatedMedia", media=media, features=features)

    def open(self, address):
        """Open a page anew, even if only the part behind # differs from the page before."""
        self._send("POST", "/url", {"url": "about:blank"})
        self._send("POST", "/url", {"url": address})

    def js(self, body, *arguments):
        """Return what the body of a function returns in the page."""
        return self._send("POST", "/execute/sync", {"script": body, "args": list(arguments)})

    def count(self, selector):
        """Return the number of elements of the page that a selector matches and that are drawn."""
        return self.js(
            "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility()).length",
            selector,
        )

    def text(self, selector):
        """Return the text of the first element that a selector matches."""
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def click(self, selector):
        """Click into the middle of an element with the mouse."""
        found = self._send("POST", "/element", {"using": "css selector", "value": selector})
        self._send("POST", f"/element/{next(iter(found.values()))}/click", {})

    def press(self, *names):
        """Press keys, one after another; a name that is no key of `KEYS` is typed."""
        typed = [key for name in names for key in (KEYS.get(name, name) if name in KEYS else name)]
        actions = [{"type": kind, "value": key} for key in typed for kind in ("keyDown", "keyUp")]
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def back(self):
        """Go back in the history."""
        self._send("POST", "/back", {})

    def messages(self):
        """Return what the console said since the last call."""
        return [entry["message"] for entry in self._send("POST", "/se/log", {"type": "browser"})]

    def pdf(self):
        """Return the page as it prints."""
        return base64.b64decode(self._send("POST", "/print", {}))

    def picture(self, path, *, whole=True):
        """Write a picture of the page."""
        shot = self._chromium("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def violations(self):
        """Return what axe-core finds wrong for people who do not see the page, or not well."""
        self.js(f"if (!window.axe) {{ {Path(AXE).read_text('utf-8')} }}")
        return self._send("POST", "/execute/async", {"script": _VIOLATIONS, "args": []})
