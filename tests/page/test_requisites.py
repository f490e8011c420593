"""What a page needs to look right."""

from hypothesis import given
from hypothesis import strategies as st

from lycosa.page.document import Document
from lycosa.page.links.requisites import stylesheet_urls


def test_requisites_of_a_page():
    """Stylesheets, scripts, images, icons, and what inline styles load, each once, absolute."""
    html = (
        "<link rel=stylesheet href=a.css><link rel='shortcut icon' href=/i.ico><link rel=next href=n>"
        "<script src=s.js></script><script>x</script><style>@font-face{src:url('f.woff')}</style>"
        "<img src=p.png srcset='p.png 1x, q.png 2x'><div style='background:url(b.png)'></div>"
        "<video poster=v.png></video><img src=p.png><img src='data:x'><body background=bg.gif>"
    )
    page = Document(html.encode(), "http://a.example/d/p", "text/html; charset=utf-8")
    names = "d/a.css i.ico d/s.js d/f.woff d/p.png d/q.png d/b.png d/v.png d/bg.gif".split()
    assert sorted(page.requisites) == sorted("http://a.example/" + name for name in names)


def test_stylesheets_name_what_they_load():
    """url() in any quotes and @import are found, relative to the stylesheet."""
    css = "@import \"a.css\"; @import url(b.css) print; p{background:url( 'c d.png' )} q{src:URL(data:x)}"
    found = stylesheet_urls(css, "http://a.example/s/x.css")
    assert [url.rpartition("/")[2] for url in found] == ["a.css", "b.css", "c%20d.png"]


@given(st.text(alphabet=st.sampled_from("url(@import \"';)\n")))
def test_any_stylesheet_is_read(css):
    """Broken stylesheets give no crash, only http(s) URLs."""
    assert all(url.startswith("http") for url in stylesheet_urls(css, "http://a.example/"))
