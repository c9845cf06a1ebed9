"""Back ends of the views: figures, SVG for paper, HTML reports, archives for papers."""
