"""The whole book as one PDF: each built page printed by Chromium, bound with bookmarks and inner links.

Run by ``make pdf`` after ``make book``; solutions are unfolded, live panels left out.
"""

import io
import shutil
import sys
from pathlib import Path

import yaml
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject
from serve import serving

ROOT = Path(__file__).resolve().parents[2]
HTML, PDF = ROOT / "_build" / "html", ROOT / "_build" / "pdf" / "ldp-crowdsourcing.pdf"
PAPER = {
    "format": "A4",
    "scale": 0.75,
    "print_background": True,
    "display_header_footer": True,
    "margin": {"top": "18mm", "bottom": "20mm", "left": "18mm", "right": "18mm"},
    "header_template": "<span></span>",
}
STYLE = """
  * { transition: none !important; animation: none !important; }
  .bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, .prev-next-footer, footer,
  .bd-footer, .live-start, .live-title, .copybtn, .headerlink, .sbt-scroll-pixel-helper,
  #print-main-content, .tag_hide-input > details { display: none !important; }
  .bd-main .bd-content .bd-article-container { max-width: none !important; padding: 0 !important; }
  .bd-article { padding: 0 !important; }
  figure, .math, table.dataframe, tr, div.proof, div.exercise { break-inside: avoid; }
  .cell_input, .cell_output > .output, div.highlight { break-inside: avoid; }
  h1, h2, h3 { break-after: avoid; }
  details > summary svg, .toggle-button { display: none !important; }
"""


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no browser found: install Chromium (Debian: apt-get install chromium)")
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [("", [toc["root"]])]
    parts += [(p["caption"], [chapter["file"] for chapter in p["chapters"]]) for p in toc["parts"]]
    with serving(HTML) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page, writer, starts = chromium.new_page(), PdfWriter(), {}
        for caption, names in parts:
            parent = None
            for name in names:
                print(f"== {name}")
                starts[name] = len(writer.pages)
                title, printed = render(page, f"{address}/{name}.html", first=len(writer.pages) == 0)
                for sheet in PdfReader(io.BytesIO(printed)).pages:
                    writer.add_page(sheet)
                if caption and parent is None:
                    parent = writer.add_outline_item(title=caption, page_number=starts[name])
                writer.add_outline_item(title=title, page_number=starts[name], parent=parent)
        chromium.close()
    link(writer, starts, address)
    writer.add_metadata({"/Title": "Local Differential Privacy for Crowdsourcing", "/Author": "The founders"})
    writer.compress_identical_objects()
    PDF.parent.mkdir(parents=True, exist_ok=True)
    with PDF.open("wb") as file:
        writer.write(file)
    print(f"== done: {PDF.relative_to(ROOT)}, {len(writer.pages)} pages")


def render(page, address: str, first: bool) -> tuple[str, bytes]:
    page.goto(address, wait_until="load")
    page.add_style_tag(content=STYLE)
    page.evaluate(
        """() => {
          document.documentElement.dataset.theme = 'light';
          document.querySelectorAll('details').forEach((d) => { d.open = true; });
          document.querySelectorAll('.toggle-hidden').forEach((d) => d.classList.remove('toggle-hidden'));
          document.querySelectorAll('img').forEach((i) => { i.loading = 'eager'; });
        }"""
    )
    title = page.locator("h1").first.inner_text().rstrip("#").strip()
    words = "" if first else f"{title} &nbsp; <span class='pageNumber'></span>"
    footer = f"<div style='width:100%;font-size:8px;text-align:center;color:#555'>{words}</div>"
    return title, page.pdf(**PAPER, footer_template=footer)


def link(writer: PdfWriter, starts: dict[str, int], address: str) -> None:
    """Links between chapters lead to the chapter's first page, not to the server that printed them."""
    for sheet in writer.pages:
        for reference in sheet.get("/Annots", ()):
            note = reference.get_object()
            target = str(note.get("/A", {}).get("/URI", ""))
            if target.startswith(address):
                name = target.removeprefix(f"{address}/").split("#")[0].removesuffix(".html")
                del note["/A"]
                if name in starts:
                    there = writer.pages[starts[name]].indirect_reference
                    note[NameObject("/Dest")] = ArrayObject([there, NameObject("/Fit")])


if __name__ == "__main__":
    main()
