import asyncio
import os

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    env = dict(os.environ, BOARD_RUN="from-mcp", BOARD_WORKER="writer")
    server = StdioServerParameters(command="board", args=["mcp", "--format", "json"], env=env)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()

        async def call(name, **arguments):
            result = await session.call_tool(name, arguments)
            if result.isError:
                raise RuntimeError(result.content[0].text)
            return result.structuredContent

        posted = await call("board_post", content="Tokens never expire", key="w/1")
        print(posted["entry"]["id"], (await call("board_gate"))["verdict"]["open"])


asyncio.run(main())
