// A plugin that keeps the gate: whoever says the word is a member.
import { packageOf } from './packages.mjs';

const MANIFEST = { slug: 'gate', name: 'Gate', permissions: ['auth.gate', 'http.serve', 'users.register'] };
const CODE = `from service_plugin import plugin, service

@plugin.get("/")
def door(req):
    if req.query.get("word") == "friend":
        user = service.users.register("member")
        service.auth.grant_session(user.user_id, 3600)
        return {"status": 303, "headers": {"Location": "/"}}
    return {"status": 200, "body": "Say friend."}
`;

/** Puts up a gate before everything, with the client of `pluginAdminOf`. */
export async function putUpGate(pluginAdmin) {
  await pluginAdmin.install(MANIFEST.slug, packageOf(MANIFEST, CODE));
  await pluginAdmin.until(MANIFEST.slug, ({ running }) => running);
  await pluginAdmin.guard(MANIFEST.slug, 'website-and-stream');
}

/** Goes in by the gate of `server`; the cookie of a member. */
export async function passGate(server) {
  const answer = await fetch(`${server.http}/plugins/${MANIFEST.slug}/?word=friend`, { redirect: 'manual' });
  if (answer.status !== 303) throw new Error(`the gate stays shut: ${answer.status} ${await answer.text()}`);
  return answer.headers.get('set-cookie').split(';')[0];
}
