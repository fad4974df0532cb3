using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;

// What the plug-in uses of Rust, Oxide and Newtonsoft.Json, with the state of one small server.

public class BasePlayer
{
    public static List<BasePlayer> activePlayerList = new List<BasePlayer> { new BasePlayer(), new BasePlayer() };
    public static List<BasePlayer> sleepingPlayerList = new List<BasePlayer> { new BasePlayer() };
}

public class BaseNetworkable
{
    public static List<int> serverEntities = new List<int> { 1, 2, 3 };
}

public class Performance
{
    public static Performance report = new Performance();
    public int frameRate = 59;
}

namespace ConVar
{
    public class Server
    {
        public static int maxplayers = 64;
        public static string level = "Procedural Map";
        public static string hostname = new string('x', 300);
    }
}

namespace Newtonsoft.Json
{
    public static class JsonConvert
    {
        public static string SerializeObject(object value)
        {
            var map = value as IDictionary;
            if (map != null)
            {
                var members = new List<string>();
                foreach (DictionaryEntry entry in map)
                    members.Add("\"" + entry.Key + "\":" + SerializeObject(entry.Value));
                return "{" + string.Join(",", members.ToArray()) + "}";
            }
            if (value is string) return "\"" + value + "\"";
            return Convert.ToString(value, CultureInfo.InvariantCulture);
        }
    }
}

namespace Oxide.Core.Libraries
{
    public enum RequestMethod { GET, POST }

    public class WebRequests
    {
        public void Enqueue(string url, string body, Action<int, string> callback, object owner,
            RequestMethod method = RequestMethod.GET, Dictionary<string, string> headers = null, float timeout = 0f)
        {
            Console.WriteLine(method + " " + url);
            foreach (var header in headers) Console.WriteLine(header.Key + ": " + header.Value);
            Console.WriteLine(body);
            callback(503, "");
        }
    }
}

namespace Oxide.Plugins
{
    public class InfoAttribute : Attribute { public InfoAttribute(string title, string author, string version) { } }
    public class DescriptionAttribute : Attribute { public DescriptionAttribute(string text) { } }

    public class Timers
    {
        public void Every(float seconds, Action action) { Console.WriteLine("every " + seconds + " s"); }
    }

    public class RustPlugin
    {
        protected readonly Oxide.Core.Libraries.WebRequests webrequest = new Oxide.Core.Libraries.WebRequests();
        protected readonly Timers timer = new Timers();
        protected void PrintWarning(string text) { Console.WriteLine("warning: " + text); }
    }
}

public static class Program
{
    public static void Main()
    {
        var hook = typeof(Oxide.Plugins.Vigil).GetMethod("OnServerInitialized", BindingFlags.NonPublic | BindingFlags.Instance);
        hook.Invoke(new Oxide.Plugins.Vigil(), null);
    }
}
