CREATE TABLE `reachable_networks` (
	`id` integer PRIMARY KEY NOT NULL,
	`networks` text NOT NULL,
	`updated_at` integer NOT NULL
);
