import type { PluginAccess, PluginFile } from "./plugin-file.ts";

/** A FiveM resource; the scripts run on the server alone, so players never see the key. */
export function writeFivem({ push_key, push_url, interval }: PluginAccess): PluginFile[] {
  return [
    { name: "vigil/fxmanifest.lua", text: MANIFEST },
    {
      name: "vigil/config.lua",
      text: `-- Keep this file private: it holds the server's push key.
Vigil = {
  url = ${quoted(push_url)},
  key = ${quoted(push_key)},
  -- Seconds between pushes.
  interval = ${interval},
}
`,
    },
    { name: "vigil/server.lua", text: SERVER },
    { name: "README.txt", text: README },
  ];
}

/** A string of JSON is one of Lua, as long as it has no \u and no slash escaped. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

const README = `Pushes players, server name and resources of a FiveM server to Vigil.

1. Copy the folder "vigil" into the server's folder "resources".
2. Add the line "ensure vigil" to server.cfg and restart the server.

Address and key are in vigil/config.lua. After the key was rotated, enter the new one there.
`;

const MANIFEST = `fx_version "cerulean"
game "common"

name "vigil"
description "Pushes the state of the server to Vigil"
version "1.0.0"

server_scripts { "config.lua", "server.lua" }
`;

const SERVER = `local TEXT_MAX = 200
local RESOURCES_MAX = 500

-- Colours such as ^1 are for the server list of the game.
local function plain(text)
  return string.sub((string.gsub(text, "%^%d", "")), 1, TEXT_MAX)
end

local function resources()
  local list = {}
  for index = 0, math.min(GetNumResources(), RESOURCES_MAX) - 1 do
    local name = GetResourceByFindIndex(index)
    if name then
      list[#list + 1] = { name = plain(name), state = GetResourceState(name) }
    end
  end
  return list
end

local function sample()
  return {
    player_count = GetNumPlayerIndices(),
    max_players = GetConvarInt("sv_maxclients", 48),
    map_name = plain(GetConvar("mapname", "")),
    server_name = plain(GetConvar("sv_projectName", GetConvar("sv_hostname", ""))),
    resources = resources(),
  }
end

local function push()
  local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. Vigil.key }
  PerformHttpRequest(Vigil.url, function(status)
    if status ~= 200 then
      print(("vigil: the push was answered %s"):format(tostring(status)))
    end
  end, "POST", json.encode(sample()), headers)
end

CreateThread(function()
  while true do
    push()
    Wait(Vigil.interval * 1000)
  end
end)
`;
