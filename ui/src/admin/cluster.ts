/** Whether the server is one of several machines: what is about them is shown only then. */
import { createSignal } from 'solid-js';

const [isInCluster, setInCluster] = createSignal(false);

export { isInCluster, setInCluster };
