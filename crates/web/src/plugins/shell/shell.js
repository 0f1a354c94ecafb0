(() => {
  const { slug, path } = JSON.parse(document.getElementById("boot").textContent);
  const frame = document.querySelector("iframe");
  // Well before a pass ends, which is after ten minutes.
  const RENEW_MS = 4 * 60 * 1000;
  // The pass of somebody nobody knows.
  const NOBODY = "~";
  let pass = "";

  const token = () => {
    try {
      return localStorage.getItem("rillcast.chat.token");
    } catch {
      return null;
    }
  };

  const ask = async () => {
    const known = token();
    const query = known ? `?${new URLSearchParams({ accessToken: known })}` : "";
    const answer = await fetch(`/api/plugins/${slug}/pass${query}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ pass }),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return (await answer.json()).pass;
  };

  const show = (given) => {
    if (given === pass) return;
    pass = given;
    // Replaced, so that the way back leads away from here and not to an older frame.
    frame.contentWindow.location.replace(`/plugins/${slug}/${given}${path}${location.search}${location.hash}`);
  };

  const renew = () => ask().then(show, () => pass || show(NOBODY));
  renew();
  setInterval(renew, RENEW_MS);
  document.addEventListener("visibilitychange", () => document.hidden || renew());
  addEventListener("message", (event) => {
    const to = event.data?.rillcastOpen;
    if (event.source !== frame.contentWindow || typeof to !== "string") return;
    if (/^https?:\/\//i.test(to)) location.assign(to);
  });
})();
