(() => {
  const { slug, path } = JSON.parse(document.getElementById("boot").textContent);
  const frame = document.querySelector("iframe");
  // Well before a pass ends, which is after ten minutes.
  const RENEW_MS = 4 * 60 * 1000;
  const RETRY_MS = 5 * 1000;
  // A page that was away for longer than this asks when it is back.
  const FRESH_MS = 30 * 1000;
  // The pass of somebody nobody knows.
  const NOBODY = "~";
  let pass = "";
  let run = 0;
  let askedAt = 0;

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

  const renew = async () => {
    run += 1;
    const mine = run;
    askedAt = Date.now();
    try {
      const given = await ask();
      if (mine === run) show(given);
    } catch {
      if (!pass) show(NOBODY);
      // Without an answer what is shown stays as it is, and is asked for again soon.
      if (mine === run) setTimeout(() => mine === run && renew(), RETRY_MS);
    }
  };
  renew();
  setInterval(renew, RENEW_MS);
  const back = () => document.hidden || Date.now() - askedAt < FRESH_MS || renew();
  document.addEventListener("visibilitychange", back);
  for (const event of ["focus", "online", "pageshow"]) addEventListener(event, back);
  addEventListener("message", (event) => {
    const to = event.data?.rillcastOpen;
    if (event.source !== frame.contentWindow || typeof to !== "string") return;
    // Only after a click, as a page that is not in a frame could without asking: else the link in the frame is there.
    if (!/^https?:\/\//i.test(to) || !navigator.userActivation?.isActive) return;
    if (new URL(to).host !== location.host) location.assign(to);
  });
})();
