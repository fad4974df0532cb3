package org.bukkit;

import java.util.Collection;
import java.util.List;
import org.bukkit.entity.Player;
import org.bukkit.scheduler.BukkitScheduler;

/** What the plug-in uses of Paper's interface, with the state of one small server; each signature is Paper's own. */
public final class Bukkit {
  public static BukkitScheduler getScheduler() {
    return (plugin, task, delay, period) -> {
      System.out.println("every " + period + " ticks");
      task.run();
      return null;
    };
  }

  public static double[] getTPS() {
    return new double[] {19.987, 20, 20};
  }

  public static Collection<? extends Player> getOnlinePlayers() {
    return List.of(new Player() {}, new Player() {});
  }

  public static int getMaxPlayers() {
    return 20;
  }

  public static List<World> getWorlds() {
    return List.of(() -> "world");
  }

  public static String getMotd() {
    return "\u00a7aA \"quoted\" \\ server";
  }
}
