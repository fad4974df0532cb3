package dev.vigil;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.bukkit.Bukkit;
import org.bukkit.plugin.java.JavaPlugin;

/** Pushes the state of a Paper server. Address and key are in config.yml. */
public final class VigilPlugin extends JavaPlugin {
  private static final int TICKS_PER_SECOND = 20;
  private static final int TEXT_MAX = 200;

  private HttpClient client;
  private URI url;
  private String key;

  @Override
  public void onEnable() {
    saveDefaultConfig();
    client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    url = URI.create(getConfig().getString("url"));
    key = getConfig().getString("key");
    long ticks = (long) getConfig().getInt("interval") * TICKS_PER_SECOND;
    // The state is read by the server's own thread; the request is sent by another one.
    Bukkit.getScheduler().runTaskTimer(this, this::push, TICKS_PER_SECOND, ticks);
  }

  private void push() {
    HttpRequest request = HttpRequest.newBuilder(url)
        .timeout(Duration.ofSeconds(10))
        .header("Content-Type", "application/json")
        .header("Authorization", "Bearer " + key)
        .POST(HttpRequest.BodyPublishers.ofString(sample()))
        .build();
    client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).whenComplete((response, error) -> {
      if (error != null) getLogger().warning("the push failed: " + error.getMessage());
      else if (response.statusCode() != 200) getLogger().warning("the push was answered " + response.statusCode());
    });
  }

  private String sample() {
    double tps = Math.min(TICKS_PER_SECOND, Bukkit.getTPS()[0]);
    return "{\"player_count\":" + Bukkit.getOnlinePlayers().size()
        + ",\"max_players\":" + Bukkit.getMaxPlayers()
        + ",\"map_name\":" + quoted(Bukkit.getWorlds().get(0).getName())
        + ",\"server_name\":" + quoted(Bukkit.getMotd())
        + ",\"custom_metrics\":{\"tps\":" + Math.round(tps * 100) / 100.0 + "}}";
  }

  /** As JSON, without the codes that colour text in the game. */
  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    String plain = text.replaceAll("\u00a7.", "");
    for (char c : plain.substring(0, Math.min(plain.length(), TEXT_MAX)).toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append(' ');
      else out.append(c);
    }
    return out.append('"').toString();
  }
}
