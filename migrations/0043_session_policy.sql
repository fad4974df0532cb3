CREATE TABLE `session_policies` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_ms` integer,
	`session_idle_ms` integer,
	`second_factor` text,
	`second_factor_from` integer,
	`allowed_networks` text,
	`updated_at` integer NOT NULL
);
