package org.bukkit.entity;

public interface Player {}
