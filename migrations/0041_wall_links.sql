CREATE TABLE `wall_links` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`last_shown_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `wall_links_token_hash_unique` ON `wall_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `wall_links_user` ON `wall_links` (`user_id`,`created_at`);