"""Words that no result of the single image may say: a research-use label forbids them."""

import re

from scoring.single_image.wording import BANNER, RESEARCH_USE

BANNED = (
    r"diagnos\w*",
    r"refer(s|red|ral|rals|ring)?",
    r"biops\w*",
    r"urgent\w*",
    r"safe(?!-scan)\w*",
    r"healthy",
    r"low[ -]risk",
    r"% chance",
    r"you have",
    r"your (risk|lesion|mole)",
    r"cancerous",
    r"rul(e|es|ed|ing) (it )?out",
)
"""What a rendered result never says. The banner and the label are not results: they say what must not be
concluded."""
_BANNED = re.compile("|".join(rf"(?<!\w){pattern}(?!\w)" for pattern in BANNED), re.IGNORECASE)


def banned(text: str) -> list[str]:
    """Return the banned words in a text, the banner and the label left out."""
    plain = text.replace("**", "")
    for allowed in (BANNER.replace("**", ""), RESEARCH_USE):
        plain = plain.replace(allowed, " ")
    return [match.group(0) for match in _BANNED.finditer(plain)]
