"""The citation of a challenge."""

from dataclasses import dataclass

SCHEME = "https:"
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
"""Characters that have a special meaning in LaTeX -> their replacements."""


@dataclass(frozen=True)
class Citation:
    """Reference of a challenge. Unknown fields are "".

    Attributes:
        authors: Names of persons as "Family, Given", or of groups.
        url: Address of the description, without scheme.
        note: Text about the content of the reference, if its title does not say enough.
    """

    key: str
    title: str
    authors: tuple[str, ...] = ()
    year: str = ""
    url: str = ""
    doi: str = ""
    note: str = ""

    def bibtex(self) -> str:
        """Return the BibTeX entry."""
        # Groups are no persons: braces keep them in one piece.
        authors = " and ".join(
            latex(author) if "," in author else f"{{{latex(author)}}}" for author in self.authors
        )
        fields = {
            "title": f"{{{latex(self.title)}}}",
            "author": authors,
            "year": self.year,
            "doi": self.doi,
            "url": f"{SCHEME}//{self.url}" if self.url else "",
            "note": latex(self.note),
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@misc{{{self.key},\n{lines}}}\n"

    def words(self) -> str:
        """Return the reference as text for a list of references."""
        address = f"doi.org/{self.doi}" if self.doi else self.url
        link = f"{SCHEME}//{address}" if address else ""
        parts = ["; ".join(self.authors), self.title, self.note, self.year, link]
        return ". ".join(part for part in parts if part) + "."


def latex(text: str) -> str:
    """Return text with all LaTeX characters escaped."""
    return "".join(SPECIAL.get(character, character) for character in text)
