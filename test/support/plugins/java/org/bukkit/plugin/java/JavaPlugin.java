package org.bukkit.plugin.java;

import java.util.logging.Logger;
import org.bukkit.configuration.file.FileConfiguration;
import org.bukkit.plugin.Plugin;

public abstract class JavaPlugin implements Plugin {
  public void saveDefaultConfig() {}

  public FileConfiguration getConfig() {
    return new FileConfiguration(getClass().getResourceAsStream("/config.yml"));
  }

  public Logger getLogger() {
    return Logger.getLogger("Vigil");
  }

  public void onEnable() {}
}
