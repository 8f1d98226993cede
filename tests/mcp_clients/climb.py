"""A whole climb through a client of MCP: climb.py LIBRARY ADDRESS MODE KERNEL

LIBRARY: mcp or fastmcp. ADDRESS: the program that serves over its standard input, or the URL of a server (its token in
$HONE_MCP_TOKEN). MODE: "auto" negotiates the newest protocol, "legacy" begins with a handshake.
"""
import asyncio
import os
import sys

library, address, mode, kernel = sys.argv[1:]
token = os.environ.get("HONE_MCP_TOKEN", "")
is_web = address.startswith("http://")
SIZES = {"m": 64, "n": 64, "k": 64}


def client():
    if library == "fastmcp":
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

        return Client(StreamableHttpTransport(address, auth=token) if is_web
                      else StdioTransport(address, ["mcp"], env=dict(os.environ)))
    from mcp.client.client import Client

    if is_web:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        return Client(streamable_http_client(address, http_client=web), mode=mode)
    from mcp.client.stdio import StdioServerParameters, stdio_client

    return Client(stdio_client(StdioServerParameters(command=address, args=["mcp"], env=dict(os.environ))), mode=mode)


def check(truth, *what):
    if not truth:
        sys.exit(f"FAILED: {what}")


async def climb(session):
    told = []

    async def progress(amount, total, message):
        told.append((amount, message))

    async def call(tool, **arguments):
        extra = {"progress_handler" if library == "fastmcp" else "progress_callback": progress}
        if library == "fastmcp":
            extra["raise_on_error"] = False
        result = await session.call_tool(tool, arguments, **extra)
        wrong = result.is_error
        return wrong, result.structured_content

    async def finished(tool, **arguments):
        wrong, content = await call(tool, kernel=kernel, sizes=SIZES, **arguments)
        check(not wrong, tool, content)
        while content["state"] in ("queued", "running"):
            wrong, content = await call("job", job=content["job"], wait_s=20)
        check(content["state"] == "done" and not wrong, tool, content)
        return content["result"]

    if library == "mcp":
        check(session.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28"), session.protocol_version)
    listed = await session.list_tools()
    names = [tool.name for tool in (listed if isinstance(listed, list) else listed.tools)]
    check(len(names) <= 12 and "run_candidate" in names, names)

    _, kernels = await call("list_kernels", matching=kernel)
    check(kernel in [entry["kernel"] for entry in kernels["kernels"]], kernels)
    _, read = await call("read_kernel", kernel=kernel)
    source = read["naive"]["device.cpp"]
    check("int64_t p = 0" in source, source)

    wrong, refused = await call("write_candidate", kernel=kernel, name="../outside")
    check(wrong and "scratch" in refused["error"]["message"], refused)
    _, written = await call("write_candidate", kernel=kernel, name="mine", **{"from": "naive"},
                            edits=[{"file": "device.cpp", "old": "int64_t p = 0", "new": "int64_t p = 1"}])
    result = await finished("run_candidate", candidate=written["candidate"], depth="check")
    check(result["status"] == "correctness" and result["mismatch"]["index"] == [0, 0], result)
    await call("write_candidate", kernel=kernel, name="mine",
               edits=[{"file": "device.cpp", "old": "int64_t p = 1", "new": "int64_t p = 0"}])
    result = await finished("run_candidate", candidate="scratch/mine")
    check(result["status"] == "correct", result)

    result = await finished("apply_step", step="reorder-loops", checkpoint="start")
    check(result["status"] == "correct" and result["checkpoint"], result)
    result = await finished("optimize", budget=12, no_libraries=True)
    best = result["best"]
    check(best and result["kept_steps"], result)
    result = await finished("profile_candidate", candidate="best", tools=["instructions"])
    check(result["reports"][0]["report"], result)
    result = await finished("compare", a="best", others=["start", "scratch/mine"])
    check(result["correct"] and len(result["rivals"]) == 2, result)
    _, seen = await call("read_candidate", kernel=kernel, candidate="best", against="start")
    check(seen["candidate"] == best and "+" in seen["diff"], seen)
    result = await finished("ship", candidate="best")
    check(os.path.exists(os.path.join(result["folder"], "README.md")), result)

    _, started = await call("optimize", kernel=kernel, budget=60, sizes=SIZES)
    _, stopped = await call("job", job=started["job"], cancel=True)
    check(stopped["state"] == "cancelled", stopped)

    contents = await session.read_resource(f"hone://report/{kernel}")
    text = (contents if isinstance(contents, list) else contents.contents)[0].text
    check("reorder-loops" in text, text)
    await session.list_resource_templates()
    prompt = await session.get_prompt("optimise_kernel", {"kernel": kernel})
    check(kernel in prompt.messages[0].content.text, prompt)
    check(any(message for _, message in told), "no progress")
    check(len(await jobs(call)) > 5, "jobs")


async def jobs(call):
    _, listed = await call("job")
    return listed["jobs"]


async def main():
    async with client() as session:
        await climb(session)


asyncio.run(main())
print("climbed")
