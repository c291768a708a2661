"""Fails if a link of the built book leads nowhere: links.py FOLDER"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def main():
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    dead, count = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            # The page for unknown addresses has links from the root of a site.
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists():
                dead.append(f"{path.relative_to(folder)}: {link}")
            elif anchor and target in pages and anchor not in pages[target].ids:
                dead.append(f"{path.relative_to(folder)}: {link} (no such heading)")
    if dead:
        sys.exit("dead links:\n" + "\n".join(dead))
    print(f"book: {len(pages)} pages, {count} links")


main()
