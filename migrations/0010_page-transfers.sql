CREATE TABLE `page_transfers` (
	`id` text PRIMARY KEY NOT NULL,
	`status_page_id` text NOT NULL,
	`from_user_id` text NOT NULL,
	`to_user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`from_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`to_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `page_transfers_status_page_id_unique` ON `page_transfers` (`status_page_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `page_transfers_token_hash_unique` ON `page_transfers` (`token_hash`);--> statement-breakpoint
CREATE INDEX `page_transfers_age` ON `page_transfers` (`expires_at`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `password_at` integer;