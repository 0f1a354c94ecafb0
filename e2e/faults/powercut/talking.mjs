// People who talk until the server is gone.

/** The server takes about as many from one person at once when it protects itself from floods only. */
const MOST_LINES_EACH = 20;

/** Says one line after the other, each as soon as the one before has come back. */
export async function keepTalking(client, round, onBack) {
  for (let number = 1; number <= MOST_LINES_EACH && client.isOpen(); number += 1) {
    const body = `${client.person.name} says line ${number} of round ${round}`;
    client.say(body);
    const isBack = client.hears((event) => event.type === 'CHAT' && event.body === `<p>${body}</p>`);
    if (!(await isBack.catch(() => false))) return; // the power is off
    onBack();
  }
}
