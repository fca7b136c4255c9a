// OpenAI's JavaScript client. Run in a folder whose node_modules has it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/`));
const OpenAI = require("openai").default ?? require("openai");
const { version } = JSON.parse(readFileSync(`${folder}/node_modules/openai/package.json`));

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
const asked = { model: "m", messages: [{ role: "user", content: "Which rivers flow north?" }] };
const look = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const schema = {
  type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false,
};

function leaked(text) {
  return text.includes("Xyzzyville") || text.includes("Quuxington");
}

function edited(text) {
  if (leaked(text)) return "leaked";
  const whole = text.startsWith("Rivers flow.") && text.trimEnd().endsWith("They end in seas.");
  return whole ? "ok" : `got ${JSON.stringify(text).slice(0, 120)}`;
}

const questions = {
  plain: async () => edited((await client.chat.completions.create(asked)).choices[0].message.content),
  stream: async () => {
    let text = "";
    for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
      text += chunk.choices[0]?.delta?.content ?? "";
    }
    return edited(text);
  },
  tools: async () => {
    const tools = [{ type: "function", function: { name: "look", description: "Look something up.", parameters: look } }];
    const call = (await client.chat.completions.create({ ...asked, tools })).choices[0].message.tool_calls[0].function;
    return call.name === "look" && JSON.parse(call.arguments).q === "rivers" ? "ok" : `got ${call.name} ${call.arguments}`;
  },
  structured: async () => {
    const response_format = { type: "json_schema", json_schema: { name: "answer", schema, strict: true } };
    const found = await client.chat.completions.create({ ...asked, response_format });
    return edited(JSON.parse(found.choices[0].message.content).text);
  },
};

const found = { version };
for (const [what, ask] of Object.entries(questions)) {
  try {
    found[what] = await ask();
  } catch (error) {
    const text = String(error?.message ?? error);
    found[what] = leaked(text) ? "leaked" : `${error?.constructor?.name}: ${text}`.slice(0, 200);
  }
}
console.log(JSON.stringify(found));
