/** A machine of the cluster, as `GET /api/admin/nodes` tells of it. */
export interface Machine {
  /** Another one after each start. */
  id: string;
  name: string;
  version: string;
  roles: string[];
  since: string;
  lastSeen: string;
  viewers: number;
  chatClients: number;
  /** What it does for all machines. */
  holds: string[];
}
