"""Names that strangers may give to a team, a file or a case: each tries to become a link, a picture, a script
or a formula."""

PAYLOADS = (
    "![x](https://evil.example/beacon.png)",
    "[go](https://evil.example)",
    "https://evil.example/a",
    "www.evil.example",
    "mail@evil.example",
    "<img src=https://evil.example/i.png onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>body{display:none}</style>",
    "<iframe src=https://evil.example></iframe>",
    "**bold** _it_ `code` ~~gone~~",
    "# heading\n- list",
    ":red[colour] :material/home: :smile:",
    "$\\href{https://evil.example}{x}$",
    "&lt;b&gt; &amp; \"quoted\" 'single'",
    '=HYPERLINK("https://evil.example")',
    "gpj.\u202eexe\u200b.csv",
)
