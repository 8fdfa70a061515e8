"""The report of an upgrade as one self-contained HTML file that loads nothing and runs no script."""

from __future__ import annotations

from markupsafe import Markup

from reports.html import asset, digest, environment
from reports.upgrade_model import Upgrade


def render(model: Upgrade) -> str:
    """Return the report as an HTML document."""
    style = asset("upgrade.css")
    return (
        environment()
        .get_template("upgrade.html")
        .render(model=model, style=Markup(style), style_digest=digest(style))  # noqa: S704 - our own file
    )
