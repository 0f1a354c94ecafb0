"""An account on a server made with bovine: it looks up, signs and verifies with bovine's own code alone.

A test drives it by lines of JSON on standard input, `{"do": "follow", …}`, and reads one line of JSON for each;
`{"do": "received"}` answers with all that arrived and was found genuine.
"""

import asyncio
import json
import secrets
import socket
import ssl
import sys

import aiohttp
from aiohttp import web
from bovine import BovineActor
from bovine.activitystreams import Actor
from bovine.clients import fetch_nodeinfo, lookup_uri_with_webfinger
from bovine.crypto import build_validate_http_signature_raw, generate_rsa_public_private_key
from bovine.crypto.types import CryptographicIdentifier
from bovine.utils import webfinger_response_json

NAME = "bella"


class Directions(aiohttp.abc.AbstractResolver):
    """Names of the test, each at a port of this machine."""

    def __init__(self, ports):
        self.ports = ports

    async def resolve(self, host, port=0, family=socket.AF_INET):
        found = {"hostname": host, "host": "127.0.0.1", "port": self.ports[host]}
        return [{**found, "family": socket.AF_INET, "proto": 0, "flags": socket.AI_NUMERICHOST}]

    async def close(self):
        pass


class Account:
    def __init__(self, host, session):
        self.host = host
        self.session = session
        self.id = f"https://{host}/actor"
        self.public_key, private_key = generate_rsa_public_private_key()
        self.actor = BovineActor(actor_id=self.id, public_key_url=f"{self.id}#main-key", secret=private_key)
        self.verify = build_validate_http_signature_raw(self.key)
        self.received = []
        self.refused = 0

    async def key(self, url):
        document = await self.actor.get(url)
        return CryptographicIdentifier.from_public_key(document["publicKey"])

    def document(self):
        inbox = f"https://{self.host}/inbox"
        fields = {"inbox": inbox, "outbox": self.id, "public_key": self.public_key, "public_key_name": "main-key"}
        return Actor(id=self.id, preferred_username=NAME, name="Bella the cow", **fields).build()

    async def take(self, request):
        url = f"https://{self.host}{request.path_qs}"
        signer = await self.verify(request.method, url, request.headers, request.read)
        activity = await request.json()
        if not signer or signer != activity.get("actor"):
            self.refused += 1
            return web.Response(status=401)
        self.received.append(activity)
        return web.Response(status=202)

    async def obey(self, order):
        do = order["do"]
        if do == "look up":
            found, _ = await lookup_uri_with_webfinger(self.session, f"acct:{order['account']}")
            return await self.actor.get(found)
        if do == "nodeinfo":
            return await fetch_nodeinfo(self.session, order["host"])
        if do == "read":
            return await self.actor.get(order["url"])
        if do == "collection":
            return await self.actor.get_ordered_collection(order["url"])
        if do == "received":
            return {"received": self.received, "refused": self.refused}
        if do == "send":
            identity = {"@context": "https://www.w3.org/ns/activitystreams", "actor": self.id}
            activity = {"id": f"https://{self.host}/{secrets.token_urlsafe(9)}", **identity, **order["activity"]}
            await self.actor.post(order["to"], activity)
            return activity
        raise ValueError(f"{do} is unknown")


async def main(host, ports, authority, certificate, key):
    trusting = ssl.create_default_context(cafile=authority)
    connector = aiohttp.TCPConnector(resolver=Directions(ports), ssl=trusting)
    async with aiohttp.ClientSession(connector=connector) as session:
        account = Account(host, session)
        await account.actor.init(session=session)
        application = web.Application()
        as_activity = {"content_type": "application/activity+json"}

        async def show_actor(_request):
            return web.json_response(account.document(), **as_activity)

        async def show_account(_request):
            return web.json_response(webfinger_response_json(f"acct:{NAME}@{host}", account.id))

        application.add_routes(
            [
                web.get("/actor", show_actor),
                web.get("/.well-known/webfinger", show_account),
                web.post("/inbox", account.take),
            ]
        )
        runner = web.AppRunner(application)
        await runner.setup()
        serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        serving.load_cert_chain(certificate, key)
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=serving).start()
        answer({"port": runner.addresses[0][1], "id": account.id})
        while line := await asyncio.to_thread(sys.stdin.readline):
            try:
                answer({"answer": await account.obey(json.loads(line))})
            except Exception as error:  # whatever bovine objects to is the test's to judge
                answer({"error": f"{type(error).__name__}: {error}"})
        await runner.cleanup()


def answer(document):
    print(json.dumps(document), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2]), *sys.argv[3:6]))
