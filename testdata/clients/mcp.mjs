import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const env = { ...process.env, BOARD_RUN: "from-mcp", BOARD_WORKER: "writer" };
const client = new Client({ name: "writer", version: "1" });
await client.connect(new StdioClientTransport({ command: "board",
  args: ["mcp", "--format", "json"], env }));

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
}

const posted = await call("board_post", { content: "Tokens never expire", key: "w/1" });
console.log(posted.entry.id, (await call("board_gate", {})).verdict.open);
await client.close();
