CREATE TABLE `delivery_budgets` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`minute_at` integer NOT NULL,
	`taken` integer NOT NULL,
	`throttled_since` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_budgets_throttled` ON `delivery_budgets` (`throttled_since`) WHERE throttled_since IS NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `throttled_owner_id` text;--> statement-breakpoint
CREATE INDEX `deliveries_throttled` ON `deliveries` (`throttled_owner_id`,`created_at`) WHERE throttled_owner_id IS NOT NULL;