import type { PluginAccess, PluginFile } from "./plugin-file.ts";

/** A plug-in of Oxide (uMod), which compiles the source itself when the server loads it. */
export function writeRust(access: PluginAccess): PluginFile[] {
  return [
    { name: "oxide/plugins/Vigil.cs", text: sourceOf(access) },
    { name: "README.txt", text: README },
  ];
}

const README = `Pushes players, frame rate and map of a Rust server with Oxide (uMod) to Vigil.

Copy the folder "oxide" over the server's own; the plug-in is loaded at once, without a restart.

Address and key are at the top of oxide/plugins/Vigil.cs. After the key was rotated, enter the new one there.
`;

/** Strings of JSON are strings of C#. */
const sourceOf = ({ push_key, push_url, interval }: PluginAccess) => `using System;
using System.Collections.Generic;
using Newtonsoft.Json;
using Oxide.Core.Libraries;

namespace Oxide.Plugins
{
    [Info("Vigil", "Vigil", "1.0.0")]
    [Description("Pushes the state of the server to Vigil")]
    public class Vigil : RustPlugin
    {
        // Keep this file private: it holds the server's push key.
        private const string PushUrl = ${JSON.stringify(push_url)};
        private const string PushKey = ${JSON.stringify(push_key)};
        // Seconds between pushes.
        private const float Interval = ${interval}f;
        private const int TextMax = 200;

        private readonly Dictionary<string, string> headers = new Dictionary<string, string>
        {
            ["Content-Type"] = "application/json",
            ["Authorization"] = "Bearer " + PushKey
        };

        private void OnServerInitialized()
        {
            Push();
            timer.Every(Interval, Push);
        }

        private void Push()
        {
            var sample = new Dictionary<string, object>
            {
                ["player_count"] = BasePlayer.activePlayerList.Count,
                ["max_players"] = ConVar.Server.maxplayers,
                ["fps"] = Performance.report.frameRate,
                ["map_name"] = Shorten(ConVar.Server.level),
                ["server_name"] = Shorten(ConVar.Server.hostname),
                ["custom_metrics"] = new Dictionary<string, object>
                {
                    ["sleepers"] = BasePlayer.sleepingPlayerList.Count,
                    ["entities"] = BaseNetworkable.serverEntities.Count
                }
            };
            webrequest.Enqueue(PushUrl, JsonConvert.SerializeObject(sample), OnAnswer, this, RequestMethod.POST, headers);
        }

        private void OnAnswer(int status, string body)
        {
            if (status != 200) PrintWarning("the push was answered " + status);
        }

        private static string Shorten(string text)
        {
            if (text == null) return "";
            return text.Length <= TextMax ? text : text.Substring(0, TextMax);
        }
    }
}
`;
