// Draws the poll, and draws it anew whenever the plugin says so.
const section = document.querySelector("#poll");

function draw(poll) {
  section.hidden = !poll;
  if (!poll) return;
  section.classList.toggle("over", !poll.open);
  section.querySelector("h1").textContent = poll.question;
  const all = poll.answers.reduce((sum, answer) => sum + answer.votes, 0);
  const lines = poll.answers.map(({ answer, votes }, index) => {
    const line = document.createElement("li");
    const name = document.createElement("span");
    const count = document.createElement("span");
    // Text, never HTML: whoever may ask a question must not be able to write a page.
    name.textContent = `${index + 1}. ${answer}`;
    count.textContent = votes;
    line.style.setProperty("--share", `${all ? (100 * votes) / all : 0}%`);
    line.append(name, count);
    return line;
  });
  section.querySelector("ol").replaceChildren(...lines);
}

async function look() {
  const answer = await fetch("api/poll");
  if (answer.ok) draw(await answer.json());
}

const results = new EventSource("_sse/results");
results.addEventListener("poll", (event) => draw(JSON.parse(event.data)));
// Also after a break: what was said meanwhile is not said again.
results.addEventListener("open", look);
