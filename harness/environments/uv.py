"""`uv`, which makes environments: its path, its index, and its output.

uv does not read pip's configuration. Where uv itself is not configured, it gets pip's settings: the variables
of https://docs.astral.sh/uv/reference/environment/ from `pip config list`. The user's settings for uv
(`UV_…`, `uv.toml`) take precedence. pip takes the best version of all its indexes; with several indexes uv is
configured to do so too (https://docs.astral.sh/uv/pip/compatibility/, "Packages that exist on multiple
indexes").
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from harness.environments.problem import EnvironmentProblem

MEND = "pip install uv"
_SECONDS = 1800.0  # a Spark is 300 MB
_QUICK_SECONDS = 120.0
_LONGEST = 400  # characters of uv's output in a message
# pip's option: uv's variable, what joins several values, and the variables by which uv is configured already
_OPTIONS = {
    "index-url": ("UV_DEFAULT_INDEX", "", ("UV_INDEX_URL",)),
    "extra-index-url": ("UV_INDEX", " ", ("UV_EXTRA_INDEX_URL",)),
    "find-links": ("UV_FIND_LINKS", ",", ()),
    "no-index": ("UV_NO_INDEX", "", ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX")),
    "trusted-host": ("UV_INSECURE_HOST", " ", ()),
    "cert": ("SSL_CERT_FILE", "", ("SSL_CERT_DIR", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS")),
    "client-cert": ("SSL_CLIENT_CERT", "", ()),
    "proxy": ("ALL_PROXY", "", ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "all_proxy")),
    "timeout": ("UV_HTTP_TIMEOUT", "", ("UV_REQUEST_TIMEOUT",)),
    "default-timeout": ("UV_HTTP_TIMEOUT", "", ("UV_REQUEST_TIMEOUT",)),
}
_SECTIONS = ("global", "download", "install", ":env:")  # of pip, later sections take precedence
_OWN_PYTHON = ("PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX")  # uv would use the Python that these name


def find() -> str:
    """Return the path of uv; raises EnvironmentProblem if it is not there."""
    program = shutil.which("uv") or _packaged()
    if not program:
        raise EnvironmentProblem(
            f"uv, which creates the environments of other versions, is not installed; {MEND}"
        )
    return program


def _packaged() -> str | None:
    """Return the binary of the package `uv`, which an environment that is not activated has not on PATH."""
    try:
        from uv import find_uv_bin  # noqa: PLC0415 - uv may be a program alone, without the package
    except ImportError:
        return None
    try:
        return str(find_uv_bin())
    except FileNotFoundError:
        return None


def run(arguments: Sequence[str], stdin: str = "", *, quick: bool = False) -> CompletedProcess[str]:
    """Run uv in a folder of no project, whatever its status; raises EnvironmentProblem if it does not run."""
    program = find()
    try:
        with tempfile.TemporaryDirectory(prefix="colconf-uv-") as folder:
            return subprocess.run(
                [program, *arguments],
                input=stdin,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                check=False,
                cwd=folder,
                env=environment(os.environ),
                timeout=_QUICK_SECONDS if quick else _SECONDS,
            )
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentProblem(f"{program} does not run: {error}") from error


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return uv's variables: ours, and pip's configuration where uv is not configured."""
    env = {name: value for name, value in ours.items() if not name.startswith(_OWN_PYTHON)}
    given = {}
    for option, value in ({} if _has_file(ours) else pip_configuration()).items():
        name, joint, others = _OPTIONS.get(option, ("", "", ()))
        if name and value and not any(variable in env for variable in (name, *others)):
            given[name] = joint.join(value.split()) if joint else value
    if "UV_INDEX" in given and "UV_DEFAULT_INDEX" not in ours:
        given.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    if given.get("UV_NO_INDEX", "").lower() in {"0", "false", "no", "off"}:
        del given["UV_NO_INDEX"]
    return {**given, **env, "NO_COLOR": "1", "UV_NO_PROGRESS": "1"}


def _has_file(ours: Mapping[str, str]) -> bool:
    """Return whether uv has a configuration file: https://docs.astral.sh/uv/concepts/configuration-files/."""
    if "UV_CONFIG_FILE" in ours:
        return True
    home = Path(ours.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    system = [Path(folder) for folder in (ours.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)]
    return any((folder / "uv" / "uv.toml").is_file() for folder in (home, *system, Path("/etc")))


@cache
def pip_configuration() -> dict[str, str]:
    """Return pip's options by name, `{}` without a pip that answers."""
    pip = shutil.which("pip")
    for command in ([sys.executable, "-m", "pip"], *([[pip]] if pip else [])):
        try:
            done = subprocess.run(
                [*command, "config", "list"], capture_output=True, text=True, timeout=60, check=False
            )
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0:
            return _parsed(done.stdout)
    return {}


def _parsed(text: str) -> dict[str, str]:
    """Read lines such as `global.index-url='…'`."""
    by_section: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        key, equals, quoted = line.partition("=")
        section, _, option = key.rpartition(".")
        if equals and section in _SECTIONS:
            try:
                value = ast.literal_eval(quoted)
            except (SyntaxError, ValueError):
                continue
            by_section.setdefault(section, {})[option.replace("_", "-")] = str(value)
    return {option: value for section in _SECTIONS for option, value in by_section.get(section, {}).items()}


def why(done: CompletedProcess[str]) -> str:
    """Return the error of uv as one line."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith(("error:", "cause:", "×", "╰─▶"))] or lines
    text = " ".join(line.removeprefix("error:").removeprefix("cause:").strip(" ×╰─▶") for line in wrong)
    return text[:_LONGEST] if text else f"uv ended with status {done.returncode}"


def listed(arguments: Sequence[str]) -> list[dict[str, Any]]:
    """Return the list that uv prints as JSON; raises EnvironmentProblem."""
    option = "--output-format" if arguments[0] == "python" else "--format"
    done = run([*arguments, option, "json"], quick=True)
    try:
        entries = json.loads(done.stdout)
    except ValueError:
        entries = None
    if done.returncode or not isinstance(entries, list):
        raise EnvironmentProblem(f"uv {' '.join(arguments[:2])}: {why(done)}")
    return entries
