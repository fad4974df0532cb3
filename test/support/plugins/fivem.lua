-- What the resource uses of FiveM, with the state of one small server. Runs its server scripts in the manifest's order.
local resource = arg[1]

local function text(value)
  return '"' .. value:gsub('[\\"]', "\\%0") .. '"'
end

local function encode(value)
  if type(value) == "string" then return text(value) end
  if type(value) ~= "table" then return tostring(value) end
  local members = {}
  for _, each in ipairs(value) do members[#members + 1] = encode(each) end
  if #members > 0 then return "[" .. table.concat(members, ",") .. "]" end
  for name, each in pairs(value) do members[#members + 1] = text(name) .. ":" .. encode(each) end
  return "{" .. table.concat(members, ",") .. "}"
end
json = { encode = encode }

local convars = { sv_hostname = "^1Red ^7\"Arena\"", mapname = "Los Santos" }
function GetConvar(name, default) return convars[name] or default end
function GetConvarInt(_, default) return default end
function GetNumPlayerIndices() return 7 end
function GetNumResources() return 2 end
function GetResourceByFindIndex(index) return ({ [0] = "chat", "spawnmanager" })[index] end
function GetResourceState(name) return name == "chat" and "started" or "stopped" end
function PerformHttpRequest(url, answered, method, body, headers)
  print(method .. " " .. url)
  for name, value in pairs(headers) do print(name .. ": " .. value) end
  print(body)
  answered(503)
end
function Wait(ms)
  print("waits " .. ms .. " ms")
  os.exit(0)
end
function CreateThread(run) run() end

local manifest = { fx_version = print, game = print, name = print, description = print, version = print }
local scripts
manifest.server_scripts = function(list) scripts = list end
for name in pairs(manifest) do _G[name] = name == "server_scripts" and manifest[name] or function() end end
dofile(resource .. "/fxmanifest.lua")
for _, script in ipairs(scripts) do dofile(resource .. "/" .. script) end
