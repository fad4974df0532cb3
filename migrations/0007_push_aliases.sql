CREATE TABLE `push_aliases` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`monitor_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `push_aliases_monitor` ON `push_aliases` (`monitor_id`);