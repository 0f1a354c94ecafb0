(() => {
  const leaves = (to) => {
    try {
      const url = new URL(to, document.baseURI);
      return /^https?:$/.test(url.protocol) && !(url.host === location.host && url.pathname.startsWith("__HOME__"));
    } catch {
      return false;
    }
  };
  const free = (element, to) => {
    if (element.target || !leaves(to)) return;
    element.target = "_blank";
    element.rel = "noopener noreferrer";
  };
  addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.("a[href], area[href]");
      if (link) free(link, link.href);
    },
    true,
  );
  addEventListener("submit", (event) => free(event.target, event.submitter?.formAction ?? event.target.action), true);
})();
