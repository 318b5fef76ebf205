"""The page as one HTML file: the template, its style, its scripts and the charts' libraries, and no other address."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

HERE: Final = Path(__file__).parent


def render(view: Mapping[str, Any], *, specs: Mapping[str, Any], questions: Mapping[str, Any]) -> str:
    """The page's HTML.

    Args:
        view: what page.html prints; strings in it are escaped unless they are Markup.
        specs: Vega-Lite specification by figure ID.
        questions: see drilldown.
    """
    # A template that asks for what the view lacks is a fault; an unescaped value would be one too.
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["breakable"] = breakable
    return environment.get_template("page.html").render(
        **view,
        css=Markup((HERE / "page.css").read_text(encoding="utf-8")),
        script=Markup((HERE / "page.js").read_text(encoding="utf-8")),
        libraries=libraries(),
        specs=embedded(specs),
        questions=embedded(questions),
    )


def breakable(name: str) -> Markup:
    """A policy's name that may be broken after "+" and "_" where there is little room."""
    return Markup(escape(name).replace("+", Markup("+<wbr>")).replace("_", Markup("_<wbr>")))


def libraries() -> Markup:
    """Vega, Vega-Lite (of the version that Altair writes for) and Vega-Embed, which sets window.vegaEmbed."""
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    # In a script element only its end tag and a comment's beginning mean anything to the HTML parser.
    return Markup("(function(){" + bundle.replace("</script", r"<\/script").replace("<!--", r"<\!--") + "})();")


def embedded(value: Any) -> Markup:
    """JSON for a script element: "<" is escaped, so that no text in it can end the element."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.replace("<", r"\u003c").replace("\u2028", r"\u2028").replace("\u2029", r"\u2029"))
