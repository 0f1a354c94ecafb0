// Waits on a condition instead of a time.

const PAUSE_MS = 25;
/** Nothing takes this long; a machine that stands still for a while is no failure of ours. */
const DEADLINE_MS = 30_000;

/**
 * Calls `attempt` until it neither throws nor returns undefined or false, and returns what it returned.
 * After the deadline the last error is thrown.
 */
export async function eventually(attempt, { deadlineMs = DEADLINE_MS, giveUp = () => false } = {}) {
  const end = Date.now() + deadlineMs;
  for (;;) {
    let problem = new Error(`the condition did not hold within ${deadlineMs} ms`);
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      problem = error;
    }
    if (Date.now() > end || giveUp()) throw problem;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
