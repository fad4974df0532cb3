package org.bukkit.configuration.file;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.stream.Collectors;

/** Reads `name: "text"` and `name: 1`, which is what the plug-in's configuration consists of. */
public class FileConfiguration {
  private final String text;

  public FileConfiguration(InputStream source) {
    text = new BufferedReader(new InputStreamReader(source)).lines().collect(Collectors.joining("\n"));
  }

  public String getString(String path) {
    for (String line : text.split("\n")) {
      if (line.startsWith(path + ": ")) return line.substring(path.length() + 2).replace("\"", "");
    }
    return null;
  }

  public int getInt(String path) {
    return Integer.parseInt(getString(path));
  }
}
