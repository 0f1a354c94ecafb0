(() => {
  const pass = "__PASS__", home = "__HOME__", name = "operatorPass";
  const carry = (to) => {
    try {
      const url = new URL(to, document.baseURI);
      if (url.host === location.host && url.pathname.startsWith(home)) {
        url.searchParams.set(name, pass);
        return url.href;
      }
    } catch {}
    return to;
  };
  const ask = window.fetch;
  window.fetch = (what, how) => ask(what instanceof Request ? new Request(carry(what.url), what) : carry(what), how);
  const open = XMLHttpRequest.prototype.open;
  XMLHttpRequest.prototype.open = function (method, to, ...rest) {
    return open.call(this, method, carry(to), ...rest);
  };
  const Plain = window.EventSource;
  window.EventSource = class extends Plain {
    constructor(to, how) {
      super(carry(to), how);
    }
  };
  const prepare = (form, button) => {
    const to = button?.getAttribute("formaction") ?? form.getAttribute("action") ?? location.href;
    const carried = carry(to);
    if (carried === to && !to.includes(name)) return;
    const method = button?.getAttribute("formmethod") ?? form.getAttribute("method") ?? "get";
    if (method.toLowerCase() === "get") {
      const field = form.querySelector(`input[name=${name}]`) ?? document.createElement("input");
      Object.assign(field, { type: "hidden", name, value: pass });
      form.append(field);
    } else {
      (button?.hasAttribute("formaction") ? button : form).setAttribute(
        button?.hasAttribute("formaction") ? "formaction" : "action",
        carried,
      );
    }
  };
  addEventListener("submit", (event) => prepare(event.target, event.submitter), true);
  const submit = HTMLFormElement.prototype.submit;
  HTMLFormElement.prototype.submit = function () {
    prepare(this);
    submit.call(this);
  };
  addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.("a[href]");
      if (link) link.href = carry(link.href);
    },
    true,
  );
})();
