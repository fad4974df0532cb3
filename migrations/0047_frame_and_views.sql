CREATE TABLE `saved_views` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`list` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_views_name` ON `saved_views` (`user_id`,`name`);--> statement-breakpoint
CREATE INDEX `monitors_down` ON `monitors` (`owner_id`) WHERE status = 'down';--> statement-breakpoint
CREATE INDEX `monitors_down_on_page` ON `monitors` (`status_page_id`) WHERE status = 'down';--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`user_id`,`created_at`) WHERE read_at IS NULL;