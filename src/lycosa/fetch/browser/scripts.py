"""Scripts that run in a rendered page. None clicks: banners, dialogues and walls stay."""

BEFORE = """
(() => {
  // Connections that bypass the proxy.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport"]) {
    try { delete globalThis[name]; } catch {}
  }
  globalThis.open = () => null;
  // Closed shadow trees are visible to readers, so archive them.
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    return attach.call(this, { ...init, mode: "open", serializable: true });
  };
})();
"""
"""Runs before the page's own scripts, in every frame."""

STATE = """
() => [document.readyState !== "loading", document.getElementsByTagName("*").length,
       document.documentElement ? document.documentElement.scrollHeight : 0]
"""
"""Returns whether the page is parsed, its number of elements and its height. While these change, it is not ready."""

SCROLL = """
() => {
  const top = document.scrollingElement || document.documentElement;
  if (!top || top.scrollTop + innerHeight >= top.scrollHeight - 1) return false;
  top.scrollTo(0, top.scrollHeight);
  return true;
}
"""
"""Scrolls to the end of the page. Returns whether it moved."""

DOCUMENT = """
([url, limit]) => {
  const roots = [];
  const visit = (node) => {
    for (const one of node.querySelectorAll("*")) {
      if (one.shadowRoot) { roots.push(one.shadowRoot); visit(one.shadowRoot); }
    }
  };
  visit(document);
  const top = document.documentElement;
  const inner = top.getHTML ? top.getHTML({ serializableShadowRoots: true, shadowRoots: roots }) : top.innerHTML;
  const start = top.cloneNode(false).outerHTML.replace(/<\\/html>$/i, "");
  const moved = location.href.split("#")[0] !== url.split("#")[0] && !document.querySelector("base[href]");
  const base = moved ? `<base href="${document.baseURI.replaceAll('"', "%22")}">` : "";
  return ("<!DOCTYPE html>" + start + inner.replace(/<head[^>]*>/i, (head) => head + base)).slice(0, limit) + "</html>";
}
"""
"""Returns the current document, with declarative shadow trees."""
