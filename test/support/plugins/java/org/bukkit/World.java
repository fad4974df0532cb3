package org.bukkit;

public interface World {
  String getName();
}
